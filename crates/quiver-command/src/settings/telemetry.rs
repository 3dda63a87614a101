//! Settings of OpenTelemetry.

use super::{Layer, Secret};

/// Where to send which traces. The variables that begin with `OTEL_` are not among these settings, and take precedence.
#[derive(Clone, Debug, Default)]
pub(crate) struct TelemetrySettings {
    /// The address of the collector; the path `/v1/traces` is added.
    pub(crate) endpoint: Option<String>,
    /// Headers of every message to it: `name=value`, separated by commas.
    pub(crate) headers: Option<Secret>,
    /// The share of the traces starting here that are sent.
    pub(crate) sampling: Option<f64>,
    pub(crate) service_name: Option<String>,
}

impl TelemetrySettings {
    pub(super) fn of(layer: &Layer) -> Self {
        Self {
            endpoint: layer.otel_endpoint.clone(),
            headers: layer.otel_headers.clone(),
            sampling: layer.otel_sampling,
            service_name: layer.otel_service_name.clone(),
        }
    }
}

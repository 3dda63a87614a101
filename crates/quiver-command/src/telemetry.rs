//! Traces of requests and commands for an OpenTelemetry collector. Spans contain IDs and counts, never what was asked,
//! said or stored.

use std::{collections::HashMap, env, ffi::OsString, time::Duration};

use async_trait::async_trait;
use clap::Subcommand as _;
use opentelemetry::{KeyValue, global, trace::TracerProvider as _};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{Sampler, SdkTracerProvider},
};
use tokio::{runtime::Handle, time::timeout};
use tracing::Span;
use tracing_subscriber::{Layer, Registry, filter::FilterFn};

use crate::{arguments::Command, exit::Failed, settings::TelemetrySettings};

/// Maximum time for a message to the collector, whatever `OTEL_EXPORTER_OTLP_TIMEOUT` allows.
const MESSAGE_TIME_MAX: Duration = Duration::from_secs(10);
/// How long the process waits for the collector when it ends.
const END_TIME_MAX: Duration = Duration::from_secs(3);

/// The exporter of spans, if there is a collector.
pub(crate) struct Telemetry(Option<SdkTracerProvider>);

impl Telemetry {
    /// Starts to collect spans if an endpoint is set.
    pub(crate) fn begin(settings: &TelemetrySettings, runtime: &Handle) -> Result<Self, Failed> {
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_off = env::var("OTEL_SDK_DISABLED").is_ok_and(|value| value.eq_ignore_ascii_case("true"))
            || env::var("OTEL_TRACES_EXPORTER").is_ok_and(|value| value == "none");
        let has_variable =
            is_set("OTEL_EXPORTER_OTLP_ENDPOINT") || is_set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        if is_off || !has_variable && settings.endpoint.is_none() {
            return Ok(Self(None));
        }
        let mut exporter = SpanExporter::builder().with_http().with_http_client(Connection(runtime.clone()));
        if let Some(endpoint) = settings.endpoint.as_ref().filter(|_| !has_variable) {
            exporter = exporter.with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')));
        }
        if let Some(headers) = &settings.headers {
            exporter = exporter.with_headers(pairs(headers.reveal())?);
        }
        let exporter = exporter
            .build()
            .map_err(|error| Failed::usage(format!("traces can't be sent to a collector: {error}")))?;
        let mut provider =
            SdkTracerProvider::builder().with_resource(resource(settings)).with_batch_exporter(exporter);
        if let Some(share) = settings.sampling.filter(|_| !is_set("OTEL_TRACES_SAMPLER")) {
            let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(share)));
            provider = provider.with_sampler(sampler);
        }
        global::set_text_map_propagator(TraceContextPropagator::new());
        Ok(Self(Some(provider.build())))
    }

    /// Returns the layer that collects the spans of this process.
    pub(crate) fn layer(&self) -> Option<Box<dyn Layer<Registry> + Send + Sync>> {
        let tracer = self.0.as_ref()?.tracer("quiver");
        // Events may contain text that somebody wrote.
        let spans = FilterFn::new(|metadata| metadata.is_span() && metadata.target().starts_with("quiver"))
            .with_max_level_hint(tracing::Level::INFO);
        let layer = tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false);
        Some(layer.with_filter(spans).boxed())
    }

    /// Sends pending spans. The runtime must still exist.
    pub(crate) fn end(self) {
        if let Some(provider) = self.0 {
            // Failures are in the log.
            let _ = provider.shutdown_with_timeout(END_TIME_MAX);
        }
    }
}

/// Creates the span of a command. A command that serves others has none: each of their requests is a trace of its own.
pub(crate) fn span_of(typed: &[OsString]) -> Span {
    let mut words = typed.iter().skip(1).filter_map(|word| word.to_str());
    match words.find(|word| Command::has_subcommand(word)) {
        None | Some("serve" | "mcp" | "watch") => Span::none(),
        Some(name) => {
            let otel_name = format_args!("quiver {name}");
            tracing::info_span!(target: "quiver_command::command", "command", name, otel.name = %otel_name)
        }
    }
}

/// Returns the description of this process that every span carries.
fn resource(settings: &TelemetrySettings) -> Resource {
    let is_named = env::var_os("OTEL_SERVICE_NAME").is_some()
        || env::var("OTEL_RESOURCE_ATTRIBUTES").is_ok_and(|all| all.contains("service.name="));
    let resource =
        Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    if is_named {
        return resource.build();
    }
    resource.with_service_name(settings.service_name.clone().unwrap_or_else(|| "quiver".to_owned())).build()
}

/// Parses names and values in the form of `OTEL_EXPORTER_OTLP_HEADERS`.
fn pairs(text: &str) -> Result<HashMap<String, String>, Failed> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items
        .map(|item| {
            let (name, value) = item
                .split_once('=')
                .ok_or_else(|| Failed::usage("otel_headers must be `name=value`, separated by commas"))?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        })
        .collect()
}

/// Sends messages to the collector, each over its own connection.
#[derive(Debug)]
struct Connection(Handle);

#[async_trait]
impl HttpClient for Connection {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let address = request.uri();
        let address = format!(
            "{}://{}",
            address.scheme_str().unwrap_or("http"),
            address.authority().map_or("", |authority| authority.as_str())
        );
        // The calling thread has no runtime, and so no timers.
        let sent = self.0.spawn(async move {
            let exchange =
                async { quiver_server::Connection::connect(&address).await?.send_as_it_is(request).await };
            timeout(MESSAGE_TIME_MAX, exchange).await
        });
        Ok(sent.await???)
    }
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn headers_are_names_and_values() {
        let read = pairs(" authorization=Bearer abc==, x-team = notes ,").unwrap_or_default();
        assert_eq!((read["authorization"].as_str(), read["x-team"].as_str()), ("Bearer abc==", "notes"));
        let message = pairs("authorization: Bearer secret").err().map(|failed| failed.to_string());
        assert!(message.is_some_and(|message| !message.contains("secret")));
    }
}

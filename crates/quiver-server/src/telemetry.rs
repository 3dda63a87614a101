//! Distributed traces, carried by the headers of W3C trace context.

use axum::http::HeaderMap;
use opentelemetry::{
    global,
    trace::{Status, TraceContextExt as _},
};
use opentelemetry_http::{HeaderExtractor, HeaderInjector};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Makes the span of a request a part of its client's trace, if the client sends one.
pub(crate) fn continue_trace(span: &Span, headers: &HeaderMap) {
    let context = global::get_text_map_propagator(|known| known.extract(&HeaderExtractor(headers)));
    if context.span().span_context().is_valid() {
        // A span that is not exported has no parent.
        let _ = span.set_parent(context);
    }
}

/// Records the status of a reply.
pub(crate) fn answered(span: &Span, status: u16) {
    span.set_attribute("http.response.status_code", i64::from(status));
    if status >= 500 {
        span.set_status(Status::error(""));
    }
}

/// Passes the current trace on to another process.
pub(crate) fn pass_on_trace(headers: &mut HeaderMap) {
    let context = Span::current().context();
    global::get_text_map_propagator(|known| known.inject_context(&context, &mut HeaderInjector(headers)));
}

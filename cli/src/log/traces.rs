//! Exports calls as OpenTelemetry traces: a span for each, with audit events.
//! Those say what its tool did. They go to a collector over OTLP (HTTP, protobuf), as the standard
//! variables say: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME`,
//! …

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;

use super::layer::BoxedLayer;
use crate::settings::environment::is_set;
use crate::terminal::problem::Problem;

/// Variables that name a collector.
const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

/// Sends what is left when it is dropped.
pub(super) struct Export(SdkTracerProvider);

impl Drop for Export {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "traces are lost");
        }
    }
}

/// Begins to send traces, where the environment names a collector.
///
/// # Errors
/// When the address of the collector is not valid.
pub(super) fn start() -> anyhow::Result<Option<(BoxedLayer, Export)>> {
    let Some(name) = ENDPOINTS.into_iter().find(|name| is_set(name)) else {
        return Ok(None);
    };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .build()
        .map_err(|error| {
            Problem::user(format!("{name} names no collector of traces: {error}"))
                .hint("set it to a URL such as http://localhost:4318, or unset it")
        })?;
    let mut resource = Resource::builder();
    if !is_set("OTEL_SERVICE_NAME") {
        resource = resource.with_service_name("tool-hub");
    }
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .build();
    let layer = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("tool-hub"))
        .with_filter(Targets::new().with_target("tool_hub_host", LevelFilter::INFO))
        .boxed();
    Ok(Some((layer, Export(provider))))
}

//! Sends log events to standard error as text or JSON, and traces to a collector.
//! Traces need the feature `opentelemetry`.

mod layer;
#[cfg(feature = "opentelemetry")]
mod traces;

use std::io::IsTerminal as _;

use clap::ValueEnum;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::layer::{Filter, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use layer::BoxedLayer;

/// The form of an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line for people
    #[default]
    Text,
    /// A line of JSON for programs
    Json,
}

/// The default of a command's log.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Logging {
    pub(crate) format: LogFormat,
    /// The events, as `TOOL_HUB_LOG` writes them; nothing for none.
    pub(crate) events: Option<&'static str>,
}

/// Sends the traces that are not sent yet when it is dropped.
#[must_use]
pub(crate) struct TracingGuard {
    #[cfg(feature = "opentelemetry")]
    _export: Option<traces::Export>,
}

/// Sends the events that `asked` names, or those of the command's own, to standard error, and
/// traces to the collector that the environment names.
///
/// # Errors
/// When the environment names no valid collector.
pub(crate) fn start(asked: Option<&str>, logging: Logging) -> anyhow::Result<TracingGuard> {
    let events = asked.or(logging.events);
    let lines = events.map(|events| {
        lines(logging.format)
            .with_filter(event_filter(events))
            .boxed()
    });
    #[cfg(feature = "opentelemetry")]
    let (traces, export) = traces::start()?.unzip();
    #[cfg(not(feature = "opentelemetry"))]
    let traces: Option<BoxedLayer> = None;
    let layers: Vec<BoxedLayer> = lines.into_iter().chain(traces).collect();
    // Without a subscriber an event costs nothing.
    if !layers.is_empty() {
        tracing_subscriber::registry().with(layers).init();
    }
    Ok(TracingGuard {
        #[cfg(feature = "opentelemetry")]
        _export: export,
    })
}

/// A filter for `events` that leaves out the engine's own trace: it holds the guest's values before
/// secrets are masked.
fn event_filter<S: Subscriber>(events: &str) -> impl Filter<S> + use<S> {
    let is_safe = |metadata: &Metadata<'_>| {
        *metadata.level() != Level::TRACE || !metadata.target().starts_with("wasmtime")
    };
    EnvFilter::new(events).and(filter_fn(is_safe))
}

/// A line on standard error for each event.
fn lines<S>(format: LogFormat) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let lines = fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .boxed(),
    }
}

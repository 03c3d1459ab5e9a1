//! Counts requests, bytes and connections of the server, and writes them as text for Prometheus.
//!
//! Labels come from the routes and from fixed lists only: a label that clients could choose would
//! let them fill the memory.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use http::{Method, StatusCode};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::database::mirror::MirrorLag;
use crate::error::RegistryError;

/// The content type of [`Metrics::text`].
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper bounds of the durations' classes, in seconds: from a cached answer to a large upload.
const DURATION_BOUNDS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 60.0, 600.0,
];

/// Everything the server counts.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
    received: Counter<u64, AtomicU64>,
    sent: Counter<u64, AtomicU64>,
    connections: Gauge,
}

/// A request's route as [`crate::routes`] writes it, and its method.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RouteLabels {
    route: String,
    method: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: &'static str,
    /// The status, or `aborted` when the client went away before there was one.
    status: String,
}

impl RouteLabels {
    pub(crate) fn new(route: String, method: &Method) -> Self {
        let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
        let method = known.into_iter().find(|known| method == known);
        Self {
            route,
            method: method.unwrap_or("other"),
        }
    }

    pub(crate) fn route(&self) -> &str {
        &self.route
    }
}

/// An open connection; it counts until it is dropped.
pub(crate) struct OpenConnection(Gauge);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let durations: fn() -> Histogram = || Histogram::new(DURATION_BOUNDS);
        let metrics = Self {
            registry: Registry::with_prefix("tool_registry"),
            requests: Family::default(),
            durations: Family::new_with_constructor(durations),
            received: Counter::default(),
            sent: Counter::default(),
            connections: Gauge::default(),
        };
        metrics.registered()
    }

    fn registered(mut self) -> Self {
        let registry = &mut self.registry;
        let requests = self.requests.clone();
        registry.register(
            "http_requests",
            "Requests by route, method and status",
            requests,
        );
        registry.register_with_unit(
            "http_request_duration",
            "Time from a request's head to the end of its answer",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register_with_unit(
            "http_received",
            "Bytes of request bodies",
            Unit::Bytes,
            self.received.clone(),
        );
        registry.register_with_unit(
            "http_sent",
            "Bytes of answers' bodies",
            Unit::Bytes,
            self.sent.clone(),
        );
        let connections = self.connections.clone();
        registry.register("http_connections", "Open connections", connections);
        self
    }

    pub(crate) fn connection(&self) -> OpenConnection {
        self.connections.inc();
        OpenConnection(self.connections.clone())
    }

    pub(crate) fn received(&self, bytes: usize) {
        self.received.inc_by(bytes as u64);
    }

    pub(crate) fn sent(&self, bytes: usize) {
        self.sent.inc_by(bytes as u64);
    }

    /// A request that is over.
    pub(crate) fn answered(
        &self,
        labels: &RouteLabels,
        status: Option<StatusCode>,
        duration: Duration,
    ) {
        let status = status.map_or("aborted".to_owned(), |status| status.as_str().to_owned());
        let request = RequestLabels {
            route: labels.route.clone(),
            method: labels.method,
            status,
        };
        self.requests.get_or_create(&request).inc();
        let seconds = duration.as_secs_f64();
        self.durations.get_or_create(labels).observe(seconds);
    }

    /// All of it as text, with the lag of a mirror where this is one.
    pub(crate) fn text(&self, mirror: Option<MirrorLag>) -> Result<String, RegistryError> {
        let mut text = String::new();
        let mut written = text::encode_registry(&mut text, &self.registry);
        if let Some(lag) = mirror {
            written = written.and_then(|()| text::encode_registry(&mut text, &gauges(lag)));
        }
        written
            .and_then(|()| text::encode_eof(&mut text))
            .map_err(|_| RegistryError::Damaged("the metrics cannot be written".to_owned()))?;
        Ok(text)
    }
}

/// The gauges of a mirror, which are read from its database when they are asked for.
fn gauges(lag: MirrorLag) -> Registry {
    let mut registry = Registry::with_prefix("tool_registry_mirror");
    let mut add = |name: &str, help: &str, value: i64| {
        let gauge: Gauge = Gauge::default();
        gauge.set(value);
        registry.register(name, help, gauge);
    };
    let records = "Records that the upstream's log had more when it was asked last";
    add("records_behind", records, lag.records);
    let checked = "Seconds since the upstream was asked last, and its log held";
    add("check_age_seconds", checked, lag.check_age);
    if let Some(age) = lag.checkpoint_age {
        let signed = "Seconds since the upstream signed the checkpoint that is served";
        add("checkpoint_age_seconds", signed, age);
    }
    let missing = "Versions in the log that could not be taken";
    add("versions_missing", missing, lag.missing);
    let halted = "1 if the upstream's log is not followed any more, because it contradicts what was taken of it";
    add("halted", halted, lag.is_halted.into());
    registry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_choose_no_labels() {
        let metrics = Metrics::new();
        for name in ["FROG", "get", "TOAD"] {
            let method = Method::from_bytes(name.as_bytes()).unwrap();
            let labels = RouteLabels::new("/x".to_owned(), &method);
            metrics.answered(&labels, Some(StatusCode::OK), Duration::from_millis(3));
        }
        let text = metrics.text(None).unwrap();
        let line =
            "tool_registry_http_requests_total{route=\"/x\",method=\"other\",status=\"200\"} 3\n";
        assert!(text.contains(line), "{text}");
        let line = "tool_registry_http_request_duration_seconds_bucket{le=\"0.005\",route=\"/x\",method=\"other\"} 3\n";
        assert!(text.contains(line), "{text}");
    }
}

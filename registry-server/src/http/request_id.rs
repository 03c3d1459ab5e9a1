//! Gives every answer a request id, and every request one log line and one count.
//! The id is the client's, so that it can be found in both logs, or one of our own.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use http_body_util::BodyExt as _;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use crate::metrics::{Metrics, RouteLabels};
use crate::random;
use crate::registry::Registry;

/// The headers in which clients put an id, the first before the second.
const HEADERS: [&str; 2] = ["x-request-id", "x-amzn-trace-id"];
/// Longest id that is taken from a client.
const ID_BYTES_MAX: usize = 128;

/// The route of a request that has none, in metrics and logs.
const UNMATCHED: &str = "unmatched";
/// The routes of probes, which ask every few seconds: they are logged for debugging only.
const QUIET_ROUTES: &str = "/health";

/// Gives each request an id, sends the id back, and logs and counts how it was answered.
///
/// What happens on the way is logged in a span with the id, the method, the path, the route and,
/// once known, the account. The log line at the end of the answer's body adds the status, the time
/// and the bytes.
pub(crate) async fn with_request_id(
    State(registry): State<Registry>,
    request: Request,
    next: Next,
) -> Response {
    let id = id_of_client(request.headers()).unwrap_or_else(random::hex_id);
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or(UNMATCHED, MatchedPath::as_str)
        .to_owned();
    // The query is left out: pre-signed addresses and the like carry secrets there.
    let span = tracing::info_span!("request", id, method = %request.method(), path = request.uri().path(), route, account = Empty);
    let metrics = Arc::clone(registry.metrics());
    let mut exchange = Exchange {
        labels: RouteLabels::new(route, request.method()),
        metrics: Arc::clone(&metrics),
        span: span.clone(),
        started: Instant::now(),
        status: None,
        sent_bytes: 0,
    };
    let request = request.map(|body| {
        Body::new(body.inspect_frame(move |frame| {
            metrics.received(frame.data_ref().map_or(0, bytes::Bytes::len));
        }))
    });
    async move {
        let mut response = next.run(request).await;
        if let Ok(value) = HeaderValue::from_str(&id) {
            response
                .headers_mut()
                .insert(HeaderName::from_static("x-request-id"), value);
        }
        exchange.status = Some(response.status());
        response.map(|body| {
            Body::new(body.inspect_frame(move |frame| {
                exchange.sent(frame.data_ref().map_or(0, bytes::Bytes::len));
            }))
        })
    }
    .instrument(span)
    .await
}

/// The id that a client sent, if it cannot be taken for anything else on a line of a log.
fn id_of_client(headers: &HeaderMap) -> Option<String> {
    let id = HEADERS.iter().find_map(|name| headers.get(*name))?;
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_.:;=".contains(b);
    let bytes = id.as_bytes();
    let valid = !bytes.is_empty() && bytes.len() <= ID_BYTES_MAX && bytes.iter().all(plain);
    valid.then(|| String::from_utf8_lossy(bytes).into_owned())
}

/// A request and its answer. It is over when it is dropped: after the answer's last byte, or when
/// the client went away.
struct Exchange {
    labels: RouteLabels,
    metrics: Arc<Metrics>,
    span: Span,
    started: Instant,
    status: Option<StatusCode>,
    sent_bytes: u64,
}

impl Exchange {
    fn sent(&mut self, bytes: usize) {
        self.metrics.sent(bytes);
        self.sent_bytes += bytes as u64;
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let elapsed = self.started.elapsed();
        self.metrics.answered(&self.labels, self.status, elapsed);
        let elapsed_ms = elapsed.as_millis() as u64;
        let (span, sent_bytes) = (&self.span, self.sent_bytes);
        match self.status.map(|status| status.as_u16()) {
            Some(status) if self.labels.route().starts_with(QUIET_ROUTES) => {
                tracing::debug!(parent: span, status, elapsed_ms, sent_bytes, "answered");
            }
            Some(status) => {
                tracing::info!(parent: span, status, elapsed_ms, sent_bytes, "answered");
            }
            None => tracing::info!(parent: span, elapsed_ms, "the client went away"),
        }
    }
}

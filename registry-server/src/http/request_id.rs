//! A request id on every answer and every log line: the client's, so that it can be found in both logs, or one of our own.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue};
use tracing::Instrument as _;

use crate::random;

/// Where clients put an id, the first before the second.
const HEADERS: [&str; 2] = ["x-request-id", "x-amzn-trace-id"];
/// Longest id that is taken from a client.
const ID_BYTES_MAX: usize = 128;

/// Gives each request an id, logs how it was answered, and sends the id back.
pub(crate) async fn with_request_id(request: Request, next: Next) -> Response {
    let id = id_of_client(request.headers()).unwrap_or_else(random::hex_id);
    // The query is left out: pre-signed addresses and the like carry secrets there.
    let span =
        tracing::info_span!("request", id, method = %request.method(), path = request.uri().path());
    async move {
        let started = std::time::Instant::now();
        let mut response = next.run(request).await;
        if let Ok(value) = HeaderValue::from_str(&id) {
            response
                .headers_mut()
                .insert(HeaderName::from_static("x-request-id"), value);
        }
        tracing::info!(
            status = response.status().as_u16(),
            elapsed_ms = started.elapsed().as_millis() as u64,
            "answered"
        );
        response
    }
    .instrument(span)
    .await
}

/// Only what cannot be taken for anything else on a line of a log.
fn id_of_client(headers: &HeaderMap) -> Option<String> {
    let id = HEADERS.iter().find_map(|name| headers.get(*name))?;
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_.:;=".contains(b);
    let bytes = id.as_bytes();
    let valid = !bytes.is_empty() && bytes.len() <= ID_BYTES_MAX && bytes.iter().all(plain);
    valid.then(|| String::from_utf8_lossy(bytes).into_owned())
}

//! A request id on every answer and every log line.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue};
use tracing::Instrument as _;

use crate::random;

/// Gives each request an id, logs how it was answered, and sends the id back.
pub(crate) async fn with_request_id(request: Request, next: Next) -> Response {
    let id = random::hex_id();
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

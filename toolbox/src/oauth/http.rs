//! Sends the requests of OAuth: bounded in time and length, and followed to no other place.

use std::time::Duration;

use oauth2::{HttpRequest, HttpResponse};
use serde_json::Value;

/// The longest answer of a service that is read.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// The time that a service has for an answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);

/// A request was not answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpError {
    /// The service cannot be reached.
    #[error("the service cannot be reached")]
    Unreachable(#[from] reqwest::Error),
    /// The answer is longer than anything that belongs here.
    #[error("the answer is longer than {ANSWER_BYTES_MAX} bytes")]
    TooLong,
}

/// Sends `request` and reads its answer.
pub(super) async fn send(request: HttpRequest) -> Result<HttpResponse, HttpError> {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(ANSWER_TIME_MAX)
        .build()?;
    let (head, body) = request.into_parts();
    let request = client
        .request(head.method, head.uri.to_string())
        .headers(head.headers)
        .body(body);
    let mut response = request.send().await?;
    let (mut status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(HttpError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    // GitHub answers errors with 200, against RFC 6749, section 5.2.
    if status.is_success() && is_error(&body) {
        status = reqwest::StatusCode::BAD_REQUEST;
    }
    let mut answered = HttpResponse::new(body);
    *answered.status_mut() = status;
    *answered.headers_mut() = headers;
    Ok(answered)
}

fn is_error(body: &[u8]) -> bool {
    let value = serde_json::from_slice::<Value>(body);
    value.is_ok_and(|value| value["error"].is_string())
}

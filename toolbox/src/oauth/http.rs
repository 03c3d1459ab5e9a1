//! Sends the requests of OAuth, and reads errors also where their status says that there is none.

use std::time::Duration;

use oauth2::{HttpRequest, HttpResponse};
use reqwest::{Request, StatusCode};
use serde_json::Value;

use crate::bounded_http::{self, Answer, HttpError};

/// The time that a service has for an answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);

/// Sends `request` and reads its answer.
pub(super) async fn send(request: HttpRequest) -> Result<HttpResponse, HttpError> {
    let request = Request::try_from(request)?;
    let answer = bounded_http::send(request, ANSWER_TIME_MAX).await?;
    let Answer {
        mut status,
        headers,
        body,
    } = answer;
    // GitHub answers errors with 200, against RFC 6749, section 5.2.
    if status.is_success() && is_error(&body) {
        status = StatusCode::BAD_REQUEST;
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

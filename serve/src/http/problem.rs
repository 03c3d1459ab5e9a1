//! Error responses as problem details (RFC 9457).

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

/// The media type of a problem.
pub(crate) const PROBLEM_TYPE: &str = "application/problem+json";
/// The time after which a client should ask a busy server again.
const RETRY_AFTER_SECONDS: &str = "3";

/// The reason why a request is not answered. Its status says of what kind it is, so it has no type
/// of its own.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    detail: String,
    /// Further members, by which a program can mend its request.
    members: Map<String, Value>,
}

impl Problem {
    /// `detail` is one sentence for whoever made the request.
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
            members: Map::new(),
        }
    }

    /// The same with another member.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// The whole of it, as JSON.
    pub(crate) fn to_json(&self) -> Value {
        let mut problem = json!({
            "title": self.status.canonical_reason(),
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        if let Some(members) = problem.as_object_mut() {
            members.extend(self.members.clone());
        }
        problem
    }
}

impl Problem {
    /// The answer after which the connection is closed: what the client still sends is not read, or
    /// somebody else needs the connection.
    pub(crate) fn and_close(self) -> Response {
        let mut response = self.into_response();
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
        response
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.to_json().to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_TYPE));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            let seconds = HeaderValue::from_static(RETRY_AFTER_SECONDS);
            headers.insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

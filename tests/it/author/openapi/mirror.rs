//! The API of the tests: answers with what it was sent, or as the paths of its document say.

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use crate::support::picture::picture_file;

const DOCUMENT: &str = include_str!("parts.yaml");

/// Answers what it was sent, and as the paths of the document say.
pub(super) async fn mirror(request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
    let path = parts.uri.path();
    let query = parts.uri.query().unwrap_or_default();
    if let Some(status) = path.strip_prefix("/v1/fails/") {
        return failure(status.parse().expect("a status"));
    }
    match path {
        "/openapi.yaml" => return DOCUMENT.into_response(),
        "/v1/picture" => {
            return ([("content-type", "image/png")], picture_file(4, 4)).into_response();
        }
        "/v1/cursors" if query.is_empty() => {
            return axum::Json(json!({"items": [], "next_page_token": "a b"})).into_response();
        }
        _ if parts.method == "DELETE" => return StatusCode::NO_CONTENT.into_response(),
        _ => {}
    }
    let header = |name: &str| {
        let value = parts.headers.get(name);
        value.map(|value| value.to_str().expect("text").to_owned())
    };
    let mut answer = axum::Json(json!({
        "method": parts.method.as_str(), "uri": parts.uri.to_string(),
        "type": header("content-type"), "trace": header("x-trace"), "cookie": header("cookie"),
        "signed": header("authorization").is_some_and(|it| it == "Bearer sk-canary-71ab"),
        "body": String::from_utf8_lossy(&body),
    }))
    .into_response();
    if path == "/v1/pages" && query.is_empty() {
        let link = HeaderValue::from_static(
            "</v1/pages?page=1>; rel=\"prev\", </v1/pages?page=2>; rel=\"next\"",
        );
        answer.headers_mut().insert("link", link);
    }
    answer
}

fn failure(status: u16) -> Response {
    let body = match status {
        404 => json!({"message": "Not Found"}),
        422 => {
            json!({"message": "Validation failed", "errors": [{"field": "status", "code": "odd"}]})
        }
        400 => json!({"error": {"message": "No such price", "param": "price"}}),
        _ => json!({"title": "Out of order", "detail": "the printer burns"}),
    };
    let kind = [("content-type", "application/problem+json")];
    let status = StatusCode::from_u16(status).expect("a status");
    let mut answer = (status, kind, body.to_string()).into_response();
    if status == StatusCode::TOO_MANY_REQUESTS {
        let after = HeaderValue::from_static("7");
        answer.headers_mut().insert("retry-after", after);
    }
    answer
}

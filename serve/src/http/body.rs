//! The body of a request, read whole before anything is done about it: within its length and
//! its time.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures::StreamExt as _;

use super::problem::Problem;
use crate::mcp::MESSAGE_BYTES_MAX;

/// How long a body may take. A client that sends one byte at a time would otherwise keep its
/// place among the requests for as long as it likes.
const BODY_TIME: Duration = Duration::from_secs(30);

/// All of `body`, or why it is not taken.
pub(super) async fn whole(body: Body) -> Result<Body, Response> {
    read(body).await.map_err(|problem| {
        let mut response = problem.into_response();
        // What is left of the body is not waited for any longer, so nothing comes after it.
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
        response
    })
}

async fn read(body: Body) -> Result<Body, Problem> {
    let refused = |status, detail: String| Err(Problem::new(status, detail));
    match tokio::time::timeout(BODY_TIME, collect(body)).await {
        Ok(Ok(Some(bytes))) => Ok(Body::from(bytes)),
        Ok(Ok(None)) => refused(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a request has at most {MESSAGE_BYTES_MAX} bytes"),
        ),
        Ok(Err(error)) => refused(StatusCode::BAD_REQUEST, error.to_string()),
        Err(_) => refused(
            StatusCode::REQUEST_TIMEOUT,
            format!("the body was not here within {} s", BODY_TIME.as_secs()),
        ),
    }
}

/// All of it, or nothing when it is too long. That is found out by its end: a client that is
/// still sending would hear of a broken connection, and not why.
async fn collect(body: Body) -> Result<Option<Vec<u8>>, axum::Error> {
    let mut pieces = body.into_data_stream();
    let mut whole = Some(Vec::new());
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        whole = whole.filter(|bytes| bytes.len() + piece.len() <= MESSAGE_BYTES_MAX);
        if let Some(bytes) = &mut whole {
            bytes.extend_from_slice(&piece);
        }
    }
    Ok(whole)
}

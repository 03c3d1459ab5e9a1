//! `GET /.well-known/openapi.json`: serves the OpenAPI document of this registry.
//! The Hub has its own at that address.

use axum::response::IntoResponse as _;
use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;

use crate::access::{Anyone, Call};
use crate::http::{Refusal, Reply};

/// The document as it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Document(pub(crate) Bytes);

/// This document.
#[utoipa::path(
    get,
    path = "/.well-known/openapi.json",
    responses(
        (status = 200, description = "An OpenAPI document", content_type = "application/json", body = Object),
    ),
)]
pub(crate) async fn show(call: Call<Anyone>) -> Reply {
    let Some(Document(bytes)) = call.parts.extensions.get().cloned() else {
        return Err(Refusal::new(StatusCode::NOT_FOUND, "there is no document"));
    };
    Ok(([(CONTENT_TYPE, "application/json")], bytes).into_response())
}

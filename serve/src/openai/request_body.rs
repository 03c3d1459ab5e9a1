//! Reads the whole body of a request to the gateway, as bytes or as a JSON object.

use axum::body::{Body, Bytes};
use serde_json::{Map, Value};

use super::refusal::Refusal;
use crate::message_limits::MESSAGE_BYTES_MAX;

/// Reads a body that is a JSON object.
pub(super) async fn object(body: Body) -> Result<Map<String, Value>, Refusal> {
    serde_json::from_slice(&bytes(body).await?)
        .map_err(|error| Refusal::request(format!("the body is not a JSON object: {error}"), None))
}

/// Reads a body. Its length was checked before it came here.
pub(super) async fn bytes(body: Body) -> Result<Bytes, Refusal> {
    axum::body::to_bytes(body, MESSAGE_BYTES_MAX)
        .await
        .map_err(|error| Refusal::request(error.to_string(), None))
}

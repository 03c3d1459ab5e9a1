//! `GET /health`: whether the process answers.

use serde_json::json;

use super::json;
use crate::access::{Anyone, Call};
use crate::http::Reply;

pub(crate) async fn show(_: Call<Anyone>) -> Reply {
    Ok(json(json!({"status": "ok"})))
}

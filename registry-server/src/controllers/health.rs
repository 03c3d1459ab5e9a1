//! `GET /health`: whether the process answers.

use serde_json::json;

use super::json;
use crate::access::{Call, Probe};
use crate::http::Reply;

pub(crate) async fn show(_: Call<Probe>) -> Reply {
    Ok(json(json!({"status": "ok"})))
}

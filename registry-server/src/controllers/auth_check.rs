//! `GET …/auth-check` and `…/auth-check/write`: whether the caller has access; the scopes have
//! answered already.

use serde_json::json;

use super::json;
use crate::access::{Call, ReadRepository, WriteRepository};
use crate::http::Reply;

pub(crate) async fn read(_: Call<ReadRepository>) -> Reply {
    Ok(json(json!({"access": "read"})))
}

pub(crate) async fn write(_: Call<WriteRepository>) -> Reply {
    Ok(json(json!({"access": "write"})))
}

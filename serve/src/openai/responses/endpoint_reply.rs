//! The reply of a Responses endpoint: the members that are read here, and the rest.
//! The rest is passed on.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::openai::lenient::or_absent;

/// The endpoint's reply, which becomes the client's answer.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct ResponsesReply {
    #[serde(
        deserialize_with = "or_absent",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) id: Option<String>,
    #[serde(
        deserialize_with = "or_absent",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) status: Option<String>,
    /// The items.
    #[serde(
        deserialize_with = "or_absent",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) output: Option<Vec<Value>>,
    #[serde(flatten)]
    pub(super) rest: Map<String, Value>,
}

impl From<ResponsesReply> for Value {
    fn from(reply: ResponsesReply) -> Self {
        serde_json::json!(reply)
    }
}

//! Approved functions that JavaScript holds.

use napi_derive::napi;
use tool_hub_embed::Tools;

/// The functions of approved tools.
#[napi]
pub struct NativeTools {
    pub(crate) tools: Tools,
}

#[napi]
impl NativeTools {
    /// The functions as agents see them, a JSON array.
    #[napi]
    pub fn definitions(&self) -> napi::Result<String> {
        serde_json::to_string(self.tools.functions())
            .map_err(|error| napi::Error::from_reason(error.to_string()))
    }
}

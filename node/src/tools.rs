//! The `NativeTools`: JavaScript lists, limits and audits approved functions; `Bridge` calls them.

use std::path::Path;

use napi_derive::napi;
use tool_hub_embed::{CallLimits, CallerName, Tools};

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

    /// The same functions with lower limits, which are a JSON object.
    #[napi]
    pub fn limited(&self, limits: String) -> napi::Result<Self> {
        let limits: CallLimits = serde_json::from_str(&limits).map_err(|error| {
            let text = format!("the limits cannot be read: {error}");
            napi::Error::from_reason(text)
        })?;
        let tools = self.tools.limited(&limits);
        Ok(Self { tools })
    }

    /// The limits of a call of the function `name`, a JSON object; null if no tool has it.
    #[napi]
    pub fn limits(&self, name: String) -> napi::Result<Option<String>> {
        let limits = self.tools.limits(&name);
        let limits = limits.map_err(|error| napi::Error::from_reason(error.text()))?;
        let written = limits
            .map(|limits| serde_json::to_string(&limits))
            .transpose();
        written.map_err(|error| napi::Error::from_reason(error.to_string()))
    }

    /// The same functions; each call is noted in the audit log at `path`, as a call of `caller`.
    #[napi]
    pub fn audited(&self, path: String, caller: String) -> napi::Result<Self> {
        let caller: CallerName = caller
            .parse()
            .map_err(|error| napi::Error::from_reason(format!("{error}")))?;
        let tools = self
            .tools
            .audited(Path::new(&path), caller)
            .map_err(|error| {
                let text = format!("the audit log {path} cannot be written: {error}");
                napi::Error::from_reason(text)
            })?;
        Ok(Self { tools })
    }
}

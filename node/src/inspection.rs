//! The `NativeInspection`: an inspected package that JavaScript holds, as facts and reports.

use std::sync::Arc;

use napi_derive::napi;
use serde_json::json;
use tool_hub_embed::Inspection;

/// A package that was verified and has not run.
#[napi]
pub struct NativeInspection {
    pub(crate) inspection: Arc<Inspection>,
}

#[napi]
impl NativeInspection {
    /// What was found, as a JSON object.
    #[napi]
    pub fn facts(&self) -> String {
        let found = self.inspection.found();
        let refusals = found.refusals.iter().map(ToString::to_string);
        let functions = found
            .functions
            .iter()
            .map(|function| function.name.as_str());
        let capabilities = found.capabilities.iter().map(|it| {
            json!({ "access": it.access.to_string(), "what": it.what, "why": it.why, "used": it.used })
        });
        json!({
            "name": found.name,
            "version": found.version,
            "description": found.description,
            "publisher": self.inspection.publisher(),
            "signer": self.inspection.signer(),
            "published": self.inspection.published(),
            "digest": self.inspection.digest(),
            "capabilities": capabilities.collect::<Vec<_>>(),
            "functions": functions.collect::<Vec<_>>(),
            "warnings": found.warnings,
            "refusals": refusals.collect::<Vec<String>>(),
        })
        .to_string()
    }

    /// About ten lines to decide on.
    #[napi]
    pub fn report(&self) -> String {
        self.inspection.report()
    }

    /// The same with imports and all descriptions.
    #[napi]
    pub fn full_report(&self) -> String {
        self.inspection.full_report()
    }
}

//! Emits a call's audit events: rights given, requests, storage, questions, calls, and refusals.
//! Rights are directories, variables, requests, storage and functions of other tools.

use http::StatusCode;
use tool_hub_manifest::{Grants, Origin};
use wasmtime_wasi_http::Error;

use crate::secret::MaskedText;

/// The target by which these events are filtered.
const TARGET: &str = "tool_hub_host::audit";

/// A call of `tool` begins with `grants` at hand. Requests and storage have events of their
/// own when they are used; what happens inside a directory has none.
pub(crate) fn granted(tool: &str, grants: &Grants) {
    if !tracing::enabled!(target: TARGET, tracing::Level::INFO) {
        return;
    }
    for (name, grant) in &grants.directories {
        let (capability, access) = (format!("directory {name}"), grant.access);
        tracing::info!(target: TARGET, tool, capability, %access, path = ?grant.path, "given");
    }
    for (name, origin) in &grants.credentials {
        let capability = format!("credential {name} for {origin}");
        tracing::info!(target: TARGET, tool, capability, "given");
    }
    for name in &grants.variables {
        let capability = format!("variable {name}");
        tracing::info!(target: TARGET, tool, capability, "given");
    }
}

/// A request was answered with `status`, or failed.
pub(crate) fn requested(
    tool: &str,
    origin: &Origin,
    method: &MaskedText,
    status: Result<StatusCode, &Error>,
) {
    let capability = format!("network {origin}");
    let method = method.as_ref();
    match status.map(|status| status.as_u16()) {
        Ok(status) => {
            tracing::info!(target: TARGET, tool, capability, method, status, "used");
        }
        Err(error) => {
            tracing::info!(target: TARGET, tool, capability, method, ?error, "failed");
        }
    }
}

/// A bucket of the tool's storage was opened; its name is the guest's text.
pub(crate) fn opened(tool: &str, bucket: &MaskedText) {
    tracing::info!(target: TARGET, tool, capability = "storage", ?bucket, "used");
}

/// Records that a person was asked. The key holds only letters, digits and hyphens, and no secret.
pub(crate) fn asked(tool: &str, key: &str, answer: &str) {
    tracing::info!(target: TARGET, tool, capability = "question", key, answer, "used");
}

/// A function beside the tool was called. Its name is the guest's text.
pub(crate) fn called(tool: &str, function: &MaskedText, outcome: &str) {
    tracing::info!(target: TARGET, tool, capability = "toolbox", ?function, outcome, "used");
}

/// A function of a dependency was called.
pub(crate) fn called_dependency(tool: &str, function: &str, outcome: &str) {
    tracing::info!(target: TARGET, tool, capability = "dependency", function, outcome, "used");
}

/// Something was refused.
pub(crate) fn refused(tool: &str, capability: &str) {
    tracing::warn!(target: TARGET, tool, capability, "refused");
}

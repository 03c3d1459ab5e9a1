//! What a component needs from the start and no call may have. The engine finds it when it
//! compiles, and says it as text only.

use tool_hub_manifest::{Limits, ToolName};

use crate::HostError;

/// The limit that `reason`, the engine's words on a component that it did not compile, is
/// about.
fn limit(reason: &str, limits: &Limits) -> Option<(&'static str, u64)> {
    let says = |text| reason.contains(text);
    if says("core module instances, which exceeds") {
        Some(("instances", limits.instances.into()))
    } else if says("linear memories, which exceeds") || says("defined memories count") {
        Some(("memories", limits.memories.into()))
    } else if says("tables, which exceeds") || says("defined tables count") {
        Some(("tables", limits.tables.into()))
    } else if says("minimum element size") {
        Some(("table_elements", limits.table_elements.into()))
    } else if says("minimum byte size") || says("minimum size") {
        Some(("memory_bytes", limits.memory_bytes))
    } else {
        None
    }
}

/// The error for a component of `tool` that the engine did not compile for `reason`.
pub(crate) fn not_compiled(tool: &ToolName, limits: &Limits, reason: String) -> HostError {
    let tool = tool.clone();
    match limit(&reason, limits) {
        Some((limit, value)) => HostError::NeedsTooMuch { tool, limit, value },
        None => HostError::Compile { tool, reason },
    }
}

//! Reads the names and parameters of tools that a client defines, in either API.

use std::collections::HashMap;

use serde_json::Value;

/// The name of a tool, and of a call: functions and tools with free text have one.
pub(super) fn name_of(tool: &Value) -> Option<&str> {
    named(tool)?.get("name")?.as_str()
}

/// The object with the members of a function: the two APIs write them at different depths.
fn named(tool: &Value) -> Option<&Value> {
    let inner = tool.get("function").or_else(|| tool.get("custom"));
    inner.or_else(|| matches!(tool.get("type")?.as_str()?, "function" | "custom").then_some(tool))
}

pub(super) fn own_functions(tools: &[Value]) -> HashMap<String, Value> {
    let named = tools
        .iter()
        .filter_map(|tool| Some((name_of(tool)?, named(tool)?)));
    named
        .map(|(name, tool)| {
            (
                name.to_owned(),
                tool.get("parameters").cloned().unwrap_or_default(),
            )
        })
        .collect()
}

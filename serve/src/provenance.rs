//! Builds the MCP metadata that marks a tool's text as untrusted and names the tool.

use rmcp::model::MetaObject;
use serde_json::json;
use tool_hub_host::Tool;

/// Says that what goes with it is a stranger's text, and whose. It is data for a model, never
/// an instruction; only whoever puts it before the model can keep the two apart.
pub(crate) fn of(tool: Option<&Tool>) -> MetaObject {
    let mut provenance = MetaObject::new();
    provenance
        .0
        .insert("tool-hub/untrusted".to_owned(), true.into());
    if let Some(tool) = tool {
        let digest = tool.pin().digest().to_string();
        let tool = json!({"name": tool.name(), "digest": digest});
        provenance.0.insert("tool-hub/tool".to_owned(), tool);
    }
    provenance
}

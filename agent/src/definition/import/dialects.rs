//! Reads one function definition in the form of OpenAI's two APIs, Anthropic or MCP.

use serde_json::Value;
use tool_hub_manifest::{Annotations, FunctionSpec};

use super::error::ImportError;
use super::object::{Definition, member};
use crate::definition::result::unwrapped;

pub(super) fn openai(definition: Definition<'_>) -> Result<FunctionSpec, ImportError> {
    let at = definition.at("function");
    let Some(Value::Object(members)) = definition.members.get("function") else {
        return Err(member(at, "an object", definition.members.get("function")));
    };
    let function = Definition {
        members,
        pointer: &at,
    };
    let mut spec = responses(function)?;
    spec.output_schema = members.get("return").filter(|s| s.is_object()).cloned();
    Ok(spec)
}

pub(super) fn responses(definition: Definition<'_>) -> Result<FunctionSpec, ImportError> {
    plain(definition, "parameters")
}

pub(super) fn anthropic(definition: Definition<'_>) -> Result<FunctionSpec, ImportError> {
    plain(definition, "input_schema")
}

pub(super) fn mcp(definition: Definition<'_>) -> Result<FunctionSpec, ImportError> {
    let mut spec = plain(definition, "inputSchema")?;
    spec.title = Some(definition.text("title")?).filter(|title| !title.is_empty());
    let output = definition.members.get("outputSchema");
    spec.output_schema = output.filter(|schema| schema.is_object()).map(unwrapped);
    let hints = definition.members.get("annotations");
    let hint = |name: &str| hints.and_then(|hints| hints.get(name)?.as_bool());
    spec.annotations = Annotations {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
    };
    Ok(spec)
}

fn plain(definition: Definition<'_>, schema: &str) -> Result<FunctionSpec, ImportError> {
    Ok(FunctionSpec {
        name: definition.name()?,
        title: None,
        description: definition.text("description")?,
        input_schema: definition.arguments(schema)?,
        output_schema: None,
        annotations: Annotations::default(),
    })
}

//! Writes the tool objects of MCP's `tools/list`, as revision 2025-11-25 and later read them.

use serde_json::{Map, Value};
use tool_hub_manifest::{Annotations, FunctionSpec};

use super::object::object;
use crate::definition::report::Report;
use crate::definition::result::ResultShape;

const NAME_RULE: &str = "1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`";

pub(super) fn definition(spec: &FunctionSpec, report: &mut Report<'_>) -> Map<String, Value> {
    report.check_name(128, b"_-.", NAME_RULE);
    let mut tool = object([("name", spec.name.clone().into())]);
    if let Some(title) = &spec.title {
        tool.insert("title".to_owned(), title.clone().into());
    }
    tool.insert("description".to_owned(), spec.description.clone().into());
    tool.insert("inputSchema".to_owned(), spec.input_schema.clone());
    if let Some(output_schema) = &spec.output_schema {
        let shape = ResultShape::of_schema(output_schema);
        let schema = shape.schema(output_schema).into_owned();
        tool.insert("outputSchema".to_owned(), schema);
    }
    if let Some(hints) = hints(spec.annotations) {
        tool.insert("annotations".to_owned(), hints.into());
    }
    tool
}

fn hints(annotations: Annotations) -> Option<Map<String, Value>> {
    let hints: Map<String, Value> = [
        ("readOnlyHint", annotations.read_only),
        ("destructiveHint", annotations.destructive),
        ("idempotentHint", annotations.idempotent),
        ("openWorldHint", annotations.open_world),
    ]
    .into_iter()
    .filter_map(|(name, hint)| Some((name.to_owned(), Value::Bool(hint?))))
    .collect();
    (!hints.is_empty()).then_some(hints)
}

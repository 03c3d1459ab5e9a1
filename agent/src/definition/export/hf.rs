//! Writes definitions for Hugging Face Transformers, as `get_json_schema` writes them.
//! Chat templates read them. They have OpenAI's shape without its limits, and `return` for the
//! result.

use serde_json::{Map, Value};
use tool_hub_manifest::FunctionSpec;

use super::object::object;
use crate::definition::report::Report;

pub(super) fn definition(spec: &FunctionSpec, report: &mut Report<'_>) -> Map<String, Value> {
    report.add_title_and_annotations(spec);
    let mut function = object([
        ("name", spec.name.clone().into()),
        ("description", spec.description.clone().into()),
        ("parameters", spec.input_schema.clone()),
    ]);
    if let Some(output_schema) = &spec.output_schema {
        function.insert("return".to_owned(), output_schema.clone());
    }
    object([("type", "function".into()), ("function", function.into())])
}

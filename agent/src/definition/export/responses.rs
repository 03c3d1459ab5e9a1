//! Writes definitions for OpenAI's Responses API: a function's members are siblings of its type.

use serde_json::{Map, Value};
use tool_hub_manifest::FunctionSpec;

use super::object::object;
use super::openai;
use crate::definition::report::Report;

pub(super) fn definition(spec: &FunctionSpec, report: &mut Report<'_>) -> Map<String, Value> {
    let mut tool = flat(openai::function(spec, report));
    // This API defaults to strict.
    tool.insert("strict".to_owned(), false.into());
    tool
}

/// The same with a schema that the model cannot leave.
pub(super) fn strict(spec: &FunctionSpec, report: &mut Report<'_>) -> Map<String, Value> {
    flat(openai::strict_function(spec, report))
}

fn flat(function: Map<String, Value>) -> Map<String, Value> {
    let mut tool = object([("type", "function".into())]);
    tool.extend(function);
    tool
}

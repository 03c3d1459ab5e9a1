//! Writes definitions for OpenAI's Chat Completions API, which many other servers read too.

use serde_json::{Map, Value, json};
use tool_hub_manifest::FunctionSpec;

use super::object::object;
use super::strict;
use crate::definition::loss::LossKind;
use crate::definition::report::Report;
use crate::schema::json_pointer::escape;

const NAME_RULE: &str = "1 to 64 of A-Z, a-z, 0-9, `_` and `-`";
const DESCRIPTION_CHARACTERS_MAX: usize = 1024;
const ROOT_KEYWORDS_REFUSED: [&str; 5] = ["oneOf", "allOf", "anyOf", "enum", "not"];

pub(super) fn definition(spec: &FunctionSpec, report: &mut Report<'_>) -> Map<String, Value> {
    wrapped(function(spec, report))
}

/// The same with a schema that the model cannot leave.
pub(super) fn strict(spec: &FunctionSpec, report: &mut Report<'_>) -> Map<String, Value> {
    wrapped(strict_function(spec, report))
}

fn wrapped(function: Map<String, Value>) -> Map<String, Value> {
    object([("type", "function".into()), ("function", function.into())])
}

/// The function object that both of OpenAI's APIs share.
pub(super) fn function(spec: &FunctionSpec, report: &mut Report<'_>) -> Map<String, Value> {
    let description = description(spec, report);
    let mut parameters = spec.input_schema.clone();
    weaken_tuples(&mut parameters, "", report);
    object([
        ("name", spec.name.clone().into()),
        ("description", description.into()),
        ("parameters", parameters),
    ])
}

/// The function object that both of OpenAI's APIs share, with a strict schema.
pub(super) fn strict_function(spec: &FunctionSpec, report: &mut Report<'_>) -> Map<String, Value> {
    let description = description(spec, report);
    object([
        ("name", spec.name.clone().into()),
        ("description", description.into()),
        ("parameters", strict::compile(&spec.input_schema, report)),
        ("strict", true.into()),
    ])
}

/// Returns the description, and reports the parts that are lost.
fn description(spec: &FunctionSpec, report: &mut Report<'_>) -> String {
    report.check_name(64, b"_-", NAME_RULE);
    report.check_root(&spec.input_schema, &ROOT_KEYWORDS_REFUSED);
    report.add_title_and_annotations(spec);
    if spec.output_schema.is_some() {
        report.add(LossKind::OutputSchema);
    }
    cut(&spec.description, report)
}

/// Cuts a description that is too long at the end of a word, and marks the cut.
fn cut(description: &str, report: &mut Report<'_>) -> String {
    let characters = description.chars().count();
    if characters <= DESCRIPTION_CHARACTERS_MAX {
        return description.to_owned();
    }
    report.add(LossKind::DescriptionCut {
        characters,
        characters_max: DESCRIPTION_CHARACTERS_MAX,
    });
    let end = description
        .char_indices()
        .nth(DESCRIPTION_CHARACTERS_MAX - 1)
        .map_or(description.len(), |(at, _)| at);
    let head = &description[..end];
    let kept = head.rfind(char::is_whitespace).unwrap_or(end);
    format!("{}…", head[..kept].trim_end())
}

/// Keywords whose value is one schema, a list of schemas, or schemas by name. Everything
/// else is data and stays as it is, whatever its members are called.
const ONE_SCHEMA: [&str; 3] = ["items", "additionalProperties", "not"];
const LIST_OF_SCHEMAS: [&str; 3] = ["anyOf", "oneOf", "allOf"];
const SCHEMAS_BY_NAME: [&str; 2] = ["properties", "$defs"];

/// OpenAI refuses an array without `items`, which is how JSON Schema 2020-12 writes a
/// tuple. Each item may then be any of the tuple's types; the length still holds.
fn weaken_tuples(schema: &mut Value, pointer: &str, report: &mut Report<'_>) {
    let Value::Object(members) = schema else {
        return;
    };
    if let Some(Value::Array(items)) = members.shift_remove("prefixItems") {
        report.add(LossKind::SchemaWeakened {
            pointer: pointer.to_owned(),
            keyword: "prefixItems".to_owned(),
        });
        members.insert("items".to_owned(), any_of(items));
    }
    for (keyword, value) in members {
        let pointer = format!("{pointer}/{}", escape(keyword));
        match (keyword.as_str(), value) {
            (one, value) if ONE_SCHEMA.contains(&one) => weaken_tuples(value, &pointer, report),
            (list, Value::Array(schemas)) if LIST_OF_SCHEMAS.contains(&list) => {
                for (index, schema) in schemas.iter_mut().enumerate() {
                    weaken_tuples(schema, &format!("{pointer}/{index}"), report);
                }
            }
            (named, Value::Object(schemas)) if SCHEMAS_BY_NAME.contains(&named) => {
                for (name, schema) in schemas {
                    weaken_tuples(schema, &format!("{pointer}/{}", escape(name)), report);
                }
            }
            _ => {}
        }
    }
}

fn any_of(schemas: Vec<Value>) -> Value {
    let mut distinct: Vec<Value> = Vec::new();
    for schema in schemas {
        if !distinct.contains(&schema) {
            distinct.push(schema);
        }
    }
    match <[Value; 1]>::try_from(distinct) {
        Ok([only]) => only,
        Err(several) => json!({ "anyOf": several }),
    }
}

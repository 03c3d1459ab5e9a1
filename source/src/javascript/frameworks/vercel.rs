//! The AI SDK of Vercel: values `tool({ description, inputSchema, execute })`.

use serde_json::{Map, Value};
use tree_sitter::Node;

use super::tool::{Module, Tool};
use crate::definition::Function;
use crate::framework::Framework;
use crate::javascript::zod::{COMPUTED, Unread};
use crate::syntax::{children, text_of};

const NOT_EXPORTED: &str = "is not exported, so nothing can call it: write `export` before it";
const NO_EXECUTE: &str = "has no `execute`, so whoever uses it does its work";
const NO_SCHEMA: &str = "has a schema that is not of zod";

pub(super) fn tools<'t>(file: &Module<'t>, module: Node<'t>) -> Vec<Function> {
    let mut found = Vec::new();
    if !file.imports(module, "tool", |source| source == "ai") {
        return found;
    }
    for statement in children(module) {
        let declaration = statement.child_by_field_name("declaration");
        for declarator in children(declaration.unwrap_or(statement)) {
            let (Some(name), Some(value)) = (
                declarator.child_by_field_name("name"),
                declarator.child_by_field_name("value"),
            ) else {
                continue;
            };
            let object = text_of(name, file.text).to_owned();
            let mut named = Vec::new();
            match value.kind() {
                "call_expression" => named.push((object.clone(), object.clone(), value)),
                "object" => {
                    let members = file.constants.members(value).into_iter();
                    let inner = members.filter(|(_, it)| it.kind() == "call_expression");
                    named.extend(
                        inner.map(|(key, it)| (key.clone(), format!("{object}.{key}"), it)),
                    );
                }
                _ => {}
            }
            for (name, path, call) in named {
                let Some(options) = options(file, call) else {
                    continue;
                };
                found.push(match declaration {
                    Some(_) => tool(file, name, path, call, options),
                    None => file.left_out(&name, call.start_byte(), NOT_EXPORTED),
                });
            }
        }
    }
    // A tool that is exported in an object too is one.
    let mut known: Vec<Function> = Vec::new();
    for function in found {
        let same = known.iter().position(|known| known.name == function.name);
        match same {
            Some(at) if known[at].definition.is_err() => known[at] = function,
            Some(_) => {}
            None => known.push(function),
        }
    }
    known
}

/// The object that `tool(…)` is called with.
fn options<'t>(file: &Module<'t>, call: Node<'t>) -> Option<Node<'t>> {
    let function = call.child_by_field_name("function")?;
    let arguments = children(call.child_by_field_name("arguments")?);
    let options = file.constants.resolved(*arguments.first()?);
    let is_tool = ["tool", "dynamicTool"].contains(&text_of(function, file.text));
    (is_tool && options.kind() == "object").then_some(options)
}

fn tool<'t>(
    file: &Module<'t>,
    name: String,
    object: String,
    call: Node<'t>,
    options: Node<'t>,
) -> Function {
    let members = file.constants.members(options);
    let member = |wanted: &str| {
        let mut all = members.iter();
        all.find(|(name, _)| name == wanted)
            .map(|(_, value)| *value)
    };
    if member("execute").is_none() {
        return file.left_out(&name, call.start_byte(), NO_EXECUTE);
    }
    let described = member("description");
    let description = described.and_then(|it| file.constants.value(it));
    let description = description.and_then(|it| it.as_str().map(str::to_owned));
    if let (Some(described), None) = (described, &description) {
        return file.left_out(&name, described.start_byte(), COMPUTED);
    }
    let schema = member("inputSchema").or_else(|| member("parameters"));
    let parameters = schema.ok_or((NO_SCHEMA, call.start_byte()));
    let tool = Tool {
        framework: Framework::VercelAi,
        name,
        description,
        parameters: parameters.and_then(|it| parameters_of(file, it)),
        object,
    };
    file.tool(tool, call.start_byte())
}

fn parameters_of<'t>(file: &Module<'t>, node: Node<'t>) -> Result<Map<String, Value>, Unread> {
    let found = file.constants.zod(node)?.schema;
    match found.get("type") {
        Some(kind) if kind == "object" => {
            let mut found = found;
            close(&mut found);
            Ok(found)
        }
        _ => Err((NO_SCHEMA, node.start_byte())),
    }
}

/// Lets objects have no members but those that are named.
fn close(schema: &mut Map<String, Value>) {
    if schema.contains_key("properties") {
        schema
            .entry("additionalProperties")
            .or_insert(Value::Bool(false));
    }
    for value in schema.values_mut() {
        match value {
            Value::Object(inner) => close(inner),
            Value::Array(items) => items
                .iter_mut()
                .filter_map(Value::as_object_mut)
                .for_each(close),
            _ => {}
        }
    }
}

//! The SDK of MCP for TypeScript: `server.tool(…)` and `server.registerTool(…)`.

use serde_json::{Map, Value, json};
use tree_sitter::Node;

use super::tool::{Module, Tool};
use crate::definition::Function;
use crate::framework::Framework;
use crate::javascript::zod::{COMPUTED, Unread};
use crate::syntax::{children, text_of};

const RESOURCE: &str =
    "is a resource of an MCP server: functions become the tool, and this is left out";
const PROMPT: &str =
    "is a prompt of an MCP server: functions become the tool, and this is left out";

pub(super) fn tools<'t>(file: &Module<'t>, module: Node<'t>) -> Vec<Function> {
    let mut found = Vec::new();
    let is_sdk = |source: &str| source.starts_with("@modelcontextprotocol/");
    if !file.imports(module, "McpServer", is_sdk) {
        return found;
    }
    for statement in children(module) {
        let declarators = children(statement).into_iter();
        let values = declarators.filter_map(|it| it.child_by_field_name("value"));
        let calls = match statement.kind() {
            "expression_statement" => children(statement),
            _ => values.collect(),
        };
        found.extend(calls.into_iter().filter_map(|call| registered(file, call)));
    }
    found
}

/// What a call of a method registers.
fn registered<'t>(file: &Module<'t>, call: Node<'t>) -> Option<Function> {
    let function = call.child_by_field_name("function")?;
    let method = text_of(function.child_by_field_name("property")?, file.text);
    let arguments = children(call.child_by_field_name("arguments")?);
    let first = *arguments.first()?;
    let constant = file.constants.value(first);
    let constant = constant.as_ref().and_then(Value::as_str);
    let name = constant.unwrap_or(text_of(first, file.text)).to_owned();
    let at = call.start_byte();
    let (description, schema) = match method {
        "tool" | "registerTool" if constant.is_none() => {
            return Some(file.left_out(&name, at, COMPUTED));
        }
        "tool" => of_tool(file, &arguments),
        "registerTool" => of_register(file, &arguments),
        "resource" | "registerResource" => return Some(file.left_out(&name, at, RESOURCE)),
        "prompt" | "registerPrompt" => return Some(file.left_out(&name, at, PROMPT)),
        _ => return None,
    };
    let parameters = match (&description, schema) {
        (Err(unread), _) => Err(*unread),
        (Ok(_), Some(schema)) => shape(file, schema),
        (Ok(_), None) => Ok(Map::from_iter([
            ("type".to_owned(), json!("object")),
            ("properties".to_owned(), json!({})),
        ])),
    };
    let tool = Tool {
        framework: Framework::McpTypeScript,
        object: name.clone(),
        name,
        description: description.ok().flatten(),
        parameters,
    };
    Some(file.tool(tool, at))
}

/// The members of a schema: an object of them, or `z.object(…)`.
fn shape<'t>(file: &Module<'t>, node: Node<'t>) -> Result<Map<String, Value>, Unread> {
    match file.constants.resolved(node).kind() {
        "object" => file.constants.shape(node),
        _ => Ok(file.constants.zod(node)?.schema),
    }
}

/// The description, if there is one that is read, and the schema.
type Described<'t> = (Result<Option<String>, Unread>, Option<Node<'t>>);

/// The description and the schema of `tool(name, description?, schema?, hints?, function)`.
fn of_tool<'t>(file: &Module<'t>, arguments: &[Node<'t>]) -> Described<'t> {
    let between = &arguments[1..arguments.len().saturating_sub(1).max(1)];
    let (description, rest) = match between {
        [first, rest @ ..] => match file.constants.value(*first) {
            Some(Value::String(text)) => (Ok(Some(text)), rest),
            _ => match file.constants.resolved(*first).kind() {
                "string" | "template_string" | "binary_expression" => {
                    (Err((COMPUTED, first.start_byte())), rest)
                }
                _ => (Ok(None), between),
            },
        },
        [] => (Ok(None), between),
    };
    // Hints alone are an object of constants.
    let schema = rest.first().copied();
    let schema = schema.filter(|it| {
        rest.len() > 1
            || !matches!(file.constants.value(*it), Some(Value::Object(hints)) if !hints.is_empty())
    });
    (description, schema)
}

/// The same of `registerTool(name, { description, inputSchema }, function)`.
fn of_register<'t>(file: &Module<'t>, arguments: &[Node<'t>]) -> Described<'t> {
    let Some(options) = arguments.get(1) else {
        return (Ok(None), None);
    };
    let members = file.constants.members(file.constants.resolved(*options));
    let member = |wanted: &str| {
        let mut all = members.iter();
        all.find(|(name, _)| name == wanted)
            .map(|(_, value)| *value)
    };
    let described = member("description").or_else(|| member("title"));
    let description = described.map(|it| {
        let value = file.constants.value(it);
        let text = value.as_ref().and_then(Value::as_str).map(str::to_owned);
        text.ok_or((COMPUTED, it.start_byte()))
    });
    (description.transpose(), member("inputSchema"))
}

//! The schema of a function's arguments, as frameworks make it with pydantic.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use tree_sitter::Node;

use super::expression::Expression;
use super::fault::KindAndOffset;
use super::pydantic::{Schemas, Texts};
use super::signature::{Kind, Parameter, parameters};
use super::source_file::SourceFile;

/// Parts of frameworks that a function is given beside its arguments.
const GIVEN: [&str; 14] = [
    "AsyncCallbackManagerForToolRun",
    "CallbackManagerForToolRun",
    "Callbacks",
    "Context",
    "CurrentContext",
    "Depends",
    "InjectedState",
    "InjectedStore",
    "InjectedToolArg",
    "InjectedToolCallId",
    "RunContextWrapper",
    "RunnableConfig",
    "ToolContext",
    "ToolRuntime",
];

/// The texts of a function that describe its arguments, and how they count.
pub(super) struct ArgumentTexts {
    pub(super) of_annotated: Texts,
    /// What the docstring says of each.
    pub(super) documented: HashMap<String, String>,
    pub(super) first: FirstText,
}

/// Which description counts where there are two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstText {
    Annotation,
    Docstring,
}

/// The arguments of the function at `node`, without those that only a framework gives.
pub(super) fn arguments(
    file: &SourceFile<'_>,
    node: Node<'_>,
    texts: &ArgumentTexts,
) -> Result<Map<String, Value>, KindAndOffset> {
    let schemas = Schemas::new(file.scope, texts.of_annotated);
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for parameter in parameters(node, file.text) {
        let annotation = parameter.annotation.map(|(text, offset)| {
            let read = Expression::of_text(text);
            (read.unwrap_or(Expression::Other), text, offset)
        });
        let kind = annotation.as_ref().map(|(expression, ..)| expression);
        if matches!(parameter.kind, Kind::Rest | Kind::NamedRest) || is_given(&parameter, kind) {
            continue;
        }
        let described = schemas.described(kind, parameter.default.as_ref());
        let described = described.map_err(|unsupported| {
            let (_, written, offset) = annotation
                .as_ref()
                .map_or((&Expression::Other, "", parameter.offset), |it| {
                    (&it.0, it.1, it.2)
                });
            (unsupported.fault(written), offset)
        })?;
        let mut schema = described.schema;
        if let Some(text) = texts.documented.get(&parameter.name)
            && (texts.first == FirstText::Docstring || !schema.contains_key("description"))
        {
            schema.insert("description".to_owned(), json!(text));
        }
        if described.is_required {
            required.push(json!(parameter.name));
        }
        properties.insert(parameter.name, Value::Object(schema));
    }
    Ok(object(properties, required))
}

/// The schema of an object with these members.
pub(super) fn object(properties: Map<String, Value>, required: Vec<Value>) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema
}

/// True for a parameter that only a framework gives.
fn is_given(parameter: &Parameter<'_>, annotation: Option<&Expression>) -> bool {
    let default = parameter.default.as_ref();
    ["run_manager", "callbacks"].contains(&parameter.name.as_str())
        || annotation.is_some_and(|it| names_given(it, 0))
        || default.is_some_and(|it| matches!(it, Expression::Call(..)) && names_given(it, 0))
}

fn names_given(expression: &Expression, depth: usize) -> bool {
    const DEPTH_MAX: usize = 8;
    let any = |items: &[Expression]| items.iter().any(|it| names_given(it, depth + 1));
    depth <= DEPTH_MAX
        && match expression {
            Expression::Name(name) | Expression::Attribute(_, name) => {
                GIVEN.contains(&name.as_str())
            }
            Expression::Constant(Value::String(text)) => GIVEN.contains(&text.as_str()),
            Expression::Subscript(of, items) => names_given(of, depth + 1) || any(items),
            Expression::Call(function, _) => names_given(function, depth + 1),
            Expression::Binary(left, _, right) => {
                names_given(left, depth + 1) || names_given(right, depth + 1)
            }
            _ => false,
        }
}

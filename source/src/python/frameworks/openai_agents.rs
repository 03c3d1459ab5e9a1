//! The OpenAI Agents SDK: functions below `@function_tool`.

use serde_json::{Map, Value, json};
use tree_sitter::Node;

use super::tool::{Tool, name_and_description};
use crate::definition::Function;
use crate::error::FaultKind;
use crate::framework::Framework;
use crate::python::arguments::{ArgumentTexts, FirstText, arguments};
use crate::python::docstring::text_in;
use crate::python::expression::Expression;
use crate::python::pydantic::Texts;
use crate::python::sections::sections;
use crate::python::source_file::SourceFile;
use crate::syntax;

/// The function at `node`, if `decorator` is of this framework.
pub(super) fn decorated(
    file: &SourceFile<'_>,
    node: Node<'_>,
    decorator: &Expression,
) -> Option<Function> {
    let (package, name) = file.import(decorator)?;
    if (package.as_str(), name.as_str()) != ("agents", "function_tool") {
        return None;
    }
    let (object, offset) = file.name_of(node);
    let arguments_of = ("name_override", None);
    let given = name_and_description(file, decorator, arguments_of, "description_override");
    let (name, told) = match given {
        Ok(given) => given,
        Err(kind) => return Some(file.tool(&object, offset, Err((kind, offset)))),
    };
    let name = name.unwrap_or_else(|| object.clone());
    let is = |name: &str, value: bool| {
        decorator.keyword(name) == Some(&Expression::Constant(Value::Bool(value)))
    };
    let said = match is("use_docstring_info", false) {
        true => Default::default(),
        false => sections(&text_in(node, file.text).unwrap_or_default()),
    };
    let description = told.unwrap_or(said.description);
    if description.is_empty() {
        return Some(file.tool(&name, offset, Err((FaultKind::NoDescription, offset))));
    }
    let texts = ArgumentTexts {
        of_annotated: Texts::Describe,
        documented: said.parameters,
        first: FirstText::Docstring,
    };
    let definition = arguments(file, node, &texts).map(|mut parameters| {
        if !is("strict_mode", false) {
            make_strict(&mut parameters);
        }
        let tool = Tool {
            framework: Framework::OpenAiAgents,
            name: name.clone(),
            description,
            parameters,
            is_async: syntax::is_async(node),
            object,
            method: None,
            settings: Vec::new(),
        };
        tool.definition()
    });
    Some(file.tool(&name, offset, definition))
}

/// Makes a schema one of those that OpenAI calls strict: each member has to be written, none but
/// the named ones may be, and no default is `null`.
fn make_strict(schema: &mut Map<String, Value>) {
    if schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
    if schema.get("type") == Some(&json!("object")) {
        schema
            .entry("additionalProperties")
            .or_insert(Value::Bool(false));
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            make_strict(property);
        }
        let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
        schema.insert("required".to_owned(), Value::Array(names));
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        make_strict(items);
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        for choice in choices.iter_mut().filter_map(Value::as_object_mut) {
            make_strict(choice);
        }
    }
}

//! smolagents and Transformers Agents: functions below `@tool`, and classes of `Tool`.

use serde_json::{Map, Value, json};
use tree_sitter::Node;

use super::class::{attribute, class_at, goes_back_to, method, settings};
use super::tool::{Tool, text};
use crate::definition::{Definition, Function};
use crate::error::FaultKind;
use crate::framework::{Framework, FrameworkTool};
use crate::python::arguments::{ArgumentTexts, FirstText, arguments, object};
use crate::python::documented::Reader;
use crate::python::expression::Expression;
use crate::python::fault::KindAndOffset;
use crate::python::module::Class;
use crate::python::pydantic::{Schemas, Texts};
use crate::python::source_file::SourceFile;
use crate::syntax;

const PICTURES: &str = "takes or returns pictures or sounds, which need packages with native code";
const NO_NAME: &str = "has no `name` that is a text";
const NO_METHOD: &str = "has neither `forward` nor `__call__` in this file";

fn is_package(package: &str) -> bool {
    ["smolagents", "transformers"].contains(&package)
}

fn is_tool(package: &str, name: &str) -> bool {
    is_package(package) && name == "Tool"
}

/// The function at `node`, if `decorator` is of this framework.
pub(super) fn decorated(
    file: &SourceFile<'_>,
    node: Node<'_>,
    decorator: &Expression,
) -> Option<Function> {
    let (package, name) = file.import(decorator)?;
    if !is_package(&package) || name != "tool" {
        return None;
    }
    let reader = Reader {
        text: file.text,
        lines: file.lines,
        scope: file.scope,
    };
    let mut function = reader.function(node);
    if let Ok(definition) = &mut function.definition {
        definition.output = None;
        definition.tool = Some(FrameworkTool {
            framework: Framework::Smolagents,
            object: function.name.clone(),
            method: None,
            settings: Vec::new(),
        });
        relax(&mut definition.parameters);
    }
    Some(function)
}

/// What has a default may be left out, and what may be `null` too.
fn relax(parameters: &mut Value) {
    let required = parameters["required"].take();
    let is_required = |name: &str| {
        let names = required.as_array().into_iter().flatten();
        names.filter_map(Value::as_str).any(|known| known == name)
    };
    let mut still = Vec::new();
    if let Some(properties) = parameters["properties"].as_object_mut() {
        for (name, schema) in properties {
            if !is_required(name) {
                schema["nullable"] = json!(true);
            }
            if schema["nullable"] != json!(true) {
                still.push(json!(name));
            }
        }
    }
    if let Some(parameters) = parameters.as_object_mut() {
        parameters.remove("required");
        if !still.is_empty() {
            parameters.insert("required".to_owned(), Value::Array(still));
        }
    }
}

/// The class at `node`, if it is a tool.
pub(super) fn class(file: &SourceFile<'_>, node: Node<'_>) -> Option<Function> {
    let class = class_at(file, node)?;
    if !goes_back_to(file, class, is_tool) {
        return None;
    }
    let (object, offset) = file.name_of(node);
    let name = match text(file, "name", attribute(class, "name")) {
        Ok(Some(name)) => name,
        Ok(None) => return Some(file.left_out(&object, offset, NO_NAME)),
        Err(kind) => return Some(file.tool(&object, offset, Err((kind, offset)))),
    };
    let definition = of_class(file, node, class, (name.clone(), object, offset));
    Some(file.tool(&name, offset, definition))
}

fn of_class(
    file: &SourceFile<'_>,
    node: Node<'_>,
    class: &Class,
    (name, object, offset): (String, String, usize),
) -> Result<Definition, KindAndOffset> {
    let left_out = |reason| (FaultKind::LeftOut { reason }, offset);
    let description = text(file, "description", attribute(class, "description"));
    let description = description.and_then(|it| it.ok_or(FaultKind::NoDescription));
    let description = description.map_err(|kind| (kind, offset))?;
    let called = ["forward", "__call__"].iter().find_map(|name| {
        let found = method(file, node, name)?;
        Some((*name, found))
    });
    let (called, run) = called.ok_or(left_out(NO_METHOD))?;
    let schemas = Schemas::new(file.scope, Texts::Ignored);
    let kinds = ["output_type", "outputs"].iter();
    let mut kinds = kinds.filter_map(|name| schemas.value(attribute(class, name)?));
    let inputs = match attribute(class, "inputs") {
        Some(inputs) => Some(schemas.value(inputs).ok_or_else(|| {
            let argument = "inputs".to_owned();
            (FaultKind::Computed { argument }, offset)
        })?),
        None => None,
    };
    if kinds.any(|kind| is_media(&kind)) {
        return Err(left_out(PICTURES));
    }
    let parameters = match inputs {
        Some(Value::Object(inputs)) => of_inputs(inputs).ok_or(left_out(PICTURES))?,
        // The first form of such tools lists the kinds alone, or nothing.
        Some(inputs) if is_media(&inputs) => return Err(left_out(PICTURES)),
        _ => {
            let texts = ArgumentTexts {
                of_annotated: Texts::Ignored,
                documented: Default::default(),
                first: FirstText::Annotation,
            };
            arguments(file, run, &texts)?
        }
    };
    let tool = Tool {
        framework: Framework::Smolagents,
        name,
        description,
        parameters,
        is_async: syntax::is_async(run),
        object,
        method: Some(called.to_owned()),
        settings: settings(file, node),
    };
    Ok(tool.definition())
}

/// True for a picture or a sound, or a list with one.
fn is_media(kind: &Value) -> bool {
    match kind {
        Value::Array(kinds) => kinds.iter().any(is_media),
        kind => ["image", "audio", "video"]
            .iter()
            .any(|media| kind == media),
    }
}

/// The schema that smolagents makes of `inputs`. Nothing where one is a picture or a sound.
fn of_inputs(inputs: Map<String, Value>) -> Option<Map<String, Value>> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, mut schema) in inputs {
        if is_media(&schema["type"]) {
            return None;
        }
        if schema["type"] == "any" {
            schema["type"] = json!("string");
        }
        if schema.get("nullable") != Some(&json!(true)) {
            required.push(json!(name));
        }
        properties.insert(name, schema);
    }
    Some(object(properties, required))
}

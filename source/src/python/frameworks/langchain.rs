//! LangChain: functions below `@tool`, classes of `BaseTool`, and `StructuredTool.from_function`.

use serde_json::{Map, Value};
use tree_sitter::Node;

use super::class::{attribute, class_at, goes_back_to, is_said_as_text, method};
use super::tool::{Tool, name_and_description, text};
use crate::definition::{Definition, Function};
use crate::error::FaultKind;
use crate::framework::{Framework, Setting};
use crate::python::arguments::{ArgumentTexts, FirstText, arguments, object};
use crate::python::docstring::text_in;
use crate::python::expression::Expression;
use crate::python::fault::KindAndOffset;
use crate::python::module::{Class, undecorated};
use crate::python::pydantic::{Schemas, Texts};
use crate::python::sections::sections;
use crate::python::source_file::SourceFile;
use crate::syntax::{self, children, text_of};

/// Fields of every tool, which are no settings.
const FIELDS: [&str; 14] = [
    "args_schema",
    "callback_manager",
    "callbacks",
    "coroutine",
    "description",
    "func",
    "handle_tool_error",
    "handle_validation_error",
    "metadata",
    "name",
    "response_format",
    "return_direct",
    "tags",
    "verbose",
];

fn is_package(package: &str) -> bool {
    package.starts_with("langchain") || package == "crewai"
}

fn is_base_tool(package: &str, name: &str) -> bool {
    is_package(package) && ["BaseTool", "StructuredTool", "Tool"].contains(&name)
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
    let (object, _) = file.name_of(node);
    let name = ("name_or_callable", Some(0));
    Some(function(file, node, (decorator, name), object))
}

/// The function at `node` as a tool with the options of `call`, whose argument `name` has its name.
fn function(
    file: &SourceFile<'_>,
    node: Node<'_>,
    (call, name): (&Expression, (&str, Option<usize>)),
    object: String,
) -> Function {
    let (own, offset) = file.name_of(node);
    let (name, told) = match name_and_description(file, call, name, "description") {
        Ok(given) => given,
        Err(kind) => return file.tool(&own, offset, Err((kind, offset))),
    };
    let name = name.unwrap_or(own);
    let docstring = text_in(node, file.text).unwrap_or_default();
    let parses = call.keyword("parse_docstring") == Some(&Expression::Constant(Value::Bool(true)));
    let said = match parses {
        true => sections(&docstring),
        false => Default::default(),
    };
    let described = match parses {
        true => said.description,
        false => docstring,
    };
    let schema = call.keyword("args_schema");
    let description = told.or_else(|| Some(described).filter(|text| !text.is_empty()));
    let description = description.or_else(|| {
        let class = file.scope.class(schema?)?;
        class.docstring.clone()
    });
    let Some(description) = description else {
        return file.tool(&name, offset, Err((FaultKind::NoDescription, offset)));
    };
    let texts = ArgumentTexts {
        of_annotated: Texts::Describe,
        documented: said.parameters,
        first: FirstText::Docstring,
    };
    let parameters = match schema {
        Some(schema) => of_model(file, schema, offset),
        None => arguments(file, node, &texts),
    };
    let definition = parameters.map(|parameters| {
        let tool = Tool {
            framework: Framework::LangChain,
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
    file.tool(&name, offset, definition)
}

/// The arguments that a model of pydantic describes.
fn of_model(
    file: &SourceFile<'_>,
    schema: &Expression,
    offset: usize,
) -> Result<Map<String, Value>, KindAndOffset> {
    let read = Schemas::new(file.scope, Texts::Ignored).model(schema);
    let mut read = read.map_err(|unsupported| (unsupported.fault("args_schema"), offset))?;
    let required = match read.remove("required") {
        Some(Value::Array(required)) => required,
        _ => Vec::new(),
    };
    match read.remove("properties") {
        Some(Value::Object(properties)) => Ok(object(properties, required)),
        _ => Ok(object(Map::new(), required)),
    }
}

/// The class at `node`, if it is a tool.
pub(super) fn class(file: &SourceFile<'_>, node: Node<'_>) -> Option<Function> {
    let class = class_at(file, node)?;
    let (object, offset) = file.name_of(node);
    if !goes_back_to(file, class, is_base_tool) {
        return None;
    }
    let name = match text(file, "name", attribute(class, "name")) {
        Ok(name) => name.unwrap_or_else(|| object.clone()),
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
    let description = text(file, "description", attribute(class, "description"));
    let description = description.and_then(|it| it.ok_or(FaultKind::NoDescription));
    let description = description.map_err(|kind| (kind, offset))?;
    let run = method(file, node, "_run").map(|run| ("_run", run));
    let run = run.or_else(|| method(file, node, "_arun").map(|run| ("_arun", run)));
    let (called, run) = run.ok_or((
        FaultKind::LeftOut {
            reason: "has no method `_run` in this file",
        },
        offset,
    ))?;
    let texts = ArgumentTexts {
        of_annotated: Texts::Describe,
        documented: Default::default(),
        first: FirstText::Annotation,
    };
    let parameters = match attribute(class, "args_schema") {
        Some(Expression::Constant(Value::Null)) | None => arguments(file, run, &texts)?,
        Some(schema) => of_model(file, schema, offset)?,
    };
    let tool = Tool {
        framework: Framework::LangChain,
        name,
        description,
        parameters,
        is_async: syntax::is_async(run),
        settings: settings(file, class, &object),
        object,
        method: Some(called.to_owned()),
    };
    Ok(tool.definition())
}

/// The fields of a class that whoever runs the tool has to say: those without a value, or with
/// nothing as one.
fn settings(file: &SourceFile<'_>, class: &Class, name: &str) -> Vec<Setting> {
    let fields = class.fields.iter();
    let fields = fields.filter(|field| {
        let is_nothing = match &field.default {
            None => true,
            Some(value) => *value == Expression::Constant(Value::Null),
        };
        let is_own = !FIELDS.contains(&field.name.as_str()) && !field.name.starts_with('_');
        let is_text = field.default.is_none() || is_said_as_text(file, &field.annotation);
        is_own && field.name != "model_config" && is_nothing && is_text
    });
    fields
        .map(|field| Setting {
            parameter: field.name.clone(),
            class: name.to_owned(),
            is_required: field.default.is_none(),
        })
        .collect()
}

/// The tool that `name = StructuredTool.from_function(…)` makes of a function of the file.
pub(super) fn assigned(
    file: &SourceFile<'_>,
    statement: Node<'_>,
    module: Node<'_>,
) -> Option<Function> {
    let assignment = statement.named_child(0)?;
    let left = assignment.child_by_field_name("left")?;
    let right = assignment.child_by_field_name("right")?;
    let call = Expression::of(right, file.text);
    let Expression::Call(made, _) = &call else {
        return None;
    };
    let class = match &**made {
        Expression::Attribute(class, of) if of == "from_function" => class,
        other => other,
    };
    let (package, kind) = file.import(class)?;
    if !is_base_tool(&package, &kind) || kind == "BaseTool" {
        return None;
    }
    let object = text_of(left, file.text).to_owned();
    let name = call.keyword("name");
    let name = text(file, "name", name).ok().flatten();
    let function_name = match call.keyword("func").or_else(|| call.keyword("coroutine")) {
        Some(function) => Some(function),
        None => call
            .positional()
            .into_iter()
            .find(|it| matches!(it, Expression::Name(name) if file.scope.get(name).is_some())),
    };
    let left_out = |reason| {
        let name = name.clone().unwrap_or_else(|| object.clone());
        Some(file.left_out(&name, left.start_byte(), reason))
    };
    let Some(Expression::Name(function_name)) = function_name else {
        return left_out("is made of something other than a function of this file");
    };
    let mut functions = children(module).into_iter().map(undecorated);
    let node = functions
        .find(|it| it.kind() == "function_definition" && file.name_of(*it).0 == *function_name);
    match node {
        Some(node) => Some(function(file, node, (&call, ("name", None)), object)),
        None => left_out("is made of something other than a function of this file"),
    }
}

//! LlamaIndex: classes of `BaseToolSpec`, whose `spec_functions` are tools.

use serde_json::Value;
use tree_sitter::Node;

use super::class::{attribute, class_at, goes_back_to, method, settings};
use super::tool::Tool;
use crate::definition::Function;
use crate::framework::Framework;
use crate::python::arguments::{ArgumentTexts, FirstText, arguments};
use crate::python::docstring::text_in;
use crate::python::expression::Expression;
use crate::python::module::Binding;
use crate::python::pydantic::Texts;
use crate::python::sections::sections;
use crate::python::signature::{Kind, Parameter, parameters};
use crate::python::source_file::SourceFile;
use crate::syntax::{self, text_of};

const NO_LIST: &str = "has no `spec_functions` that is a list of names";
const NO_METHOD: &str = "is in `spec_functions` and no method of the class in this file";

fn is_spec(package: &str, name: &str) -> bool {
    package.starts_with("llama_index") && name == "BaseToolSpec"
}

/// The tools of the class at `node`.
pub(super) fn class(file: &SourceFile<'_>, node: Node<'_>) -> Vec<Function> {
    let Some(class) = class_at(file, node) else {
        return Vec::new();
    };
    if !goes_back_to(file, class, is_spec) {
        return Vec::new();
    }
    let (object, offset) = file.name_of(node);
    let names = attribute(class, "spec_functions").and_then(names);
    let Some(names) = names else {
        return vec![file.left_out(&object, offset, NO_LIST)];
    };
    let found = names
        .into_iter()
        .map(|name| match method(file, node, &name) {
            Some(run) => of_method(file, node, run, &object),
            None => file.left_out(&name, offset, NO_METHOD),
        });
    found.collect()
}

/// The names in a list of texts, or of pairs of a method and its `async` form.
fn names(list: &Expression) -> Option<Vec<String>> {
    let (Expression::List(items) | Expression::Tuple(items)) = list else {
        return None;
    };
    let name = |item: &Expression| match item {
        Expression::Constant(Value::String(name)) => Some(name.clone()),
        Expression::Tuple(pair) => match pair.first() {
            Some(Expression::Constant(Value::String(name))) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    };
    items.iter().map(name).collect()
}

fn of_method(file: &SourceFile<'_>, class: Node<'_>, run: Node<'_>, object: &str) -> Function {
    let (name, offset) = file.name_of(run);
    let docstring = text_in(run, file.text).unwrap_or_default();
    let signature = signature(file, run);
    let description = format!("{name}{signature}\n{docstring}").trim().to_owned();
    let texts = ArgumentTexts {
        of_annotated: Texts::Describe,
        documented: sections(&docstring).parameters,
        first: FirstText::Annotation,
    };
    let definition = arguments(file, run, &texts).map(|parameters| {
        let tool = Tool {
            framework: Framework::LlamaIndex,
            name: name.clone(),
            description,
            parameters,
            is_async: syntax::is_async(run),
            object: object.to_owned(),
            method: Some(name.clone()),
            settings: settings(file, class),
        };
        tool.definition()
    });
    file.tool(&name, offset, definition)
}

/// The signature as `inspect` writes it, which LlamaIndex puts before the description.
fn signature(file: &SourceFile<'_>, run: Node<'_>) -> String {
    // Annotations are texts then.
    let is_quoted = matches!(file.scope.get("annotations"),
        Some(Binding::Import(path)) if path == "__future__.annotations");
    let written = |text: &str| match is_quoted {
        true => quoted(text),
        false => text.to_owned(),
    };
    let parameters = parameters(run, file.text);
    let mut parts: Vec<String> = Vec::new();
    let mut is_named = false;
    for parameter in &parameters {
        if parameter.kind == Kind::Named && !is_named {
            parts.push("*".to_owned());
        }
        is_named |= matches!(parameter.kind, Kind::Named | Kind::Rest);
        parts.push(one(parameter, &written));
    }
    let returned = run.child_by_field_name("return_type");
    let returned = returned.map(|node| format!(" -> {}", written(text_of(node, file.text))));
    format!("({}){}", parts.join(", "), returned.unwrap_or_default())
}

fn one(parameter: &Parameter<'_>, written: &impl Fn(&str) -> String) -> String {
    let stars = match parameter.kind {
        Kind::Rest => "*",
        Kind::NamedRest => "**",
        _ => "",
    };
    let annotation = parameter.annotation.map(|(text, _)| written(text));
    let annotation = annotation.map(|text| format!(": {text}"));
    let default = parameter.default.as_ref().map(|default| {
        let equals = if annotation.is_some() { " = " } else { "=" };
        format!("{equals}{}", shown(default))
    });
    let name = &parameter.name;
    format!(
        "{stars}{name}{}{}",
        annotation.unwrap_or_default(),
        default.unwrap_or_default()
    )
}

/// A default as Python shows it.
fn shown(value: &Expression) -> String {
    match value {
        Expression::Constant(Value::String(text)) => quoted(text),
        Expression::Constant(Value::Null) => "None".to_owned(),
        Expression::Constant(Value::Bool(true)) => "True".to_owned(),
        Expression::Constant(Value::Bool(false)) => "False".to_owned(),
        Expression::Constant(value) => value.to_string(),
        Expression::Negative(inner) => format!("-{}", shown(inner)),
        Expression::Name(name) | Expression::Attribute(_, name) => name.clone(),
        Expression::List(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            format!("[{}]", items.join(", "))
        }
        Expression::Dictionary(pairs) if pairs.is_empty() => "{}".to_owned(),
        _ => "…".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\n', "\\n");
    match escaped.contains('\'') && !escaped.contains('"') {
        true => format!("\"{escaped}\""),
        false => format!("'{}'", escaped.replace('\'', "\\'")),
    }
}

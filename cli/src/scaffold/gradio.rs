//! Generates a project that calls a Gradio app, with finished functions in Python.
//! It has the right to reach the app's origin.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};
use tool_hub_agent::definition::gradio::{GradioApp, GradioEndpoint, GradioInput, GradioValue};
use tool_hub_agent::definition::interface::{Interface, Operation, TypeKind, WitType};
use url::Url;

use super::defined::DefinedFunctions;
use super::names::{Names, upper_camel};
use super::python::{ident, parameters, written};
use super::stub::types_used;
use super::template::{Template, TemplateFile};

/// The language of such a project.
pub(crate) const LANGUAGE: Template = Template::Python;

/// Files that every such project has. Components of Python bring no client of HTTP along.
const WIT: [TemplateFile; 2] = [
    (
        "wit/deps/wasi-http/http.wit",
        include_str!("../build/wasi/http.wit"),
    ),
    (
        "wit/deps/wasi-io/io.wit",
        include_str!("../build/wasi/io.wit"),
    ),
];
const MODULE: &str = include_str!("../../templates/gradio/gradio_app.py");
const HTTP: &str = "    import wasi:http/outgoing-handler@0.2.0;\n";

/// An app's functions, and the address of the app.
pub(crate) struct GradioProject {
    defined: DefinedFunctions,
    endpoints: Vec<GradioEndpoint>,
    root: Url,
    interface_path: String,
}

impl GradioProject {
    /// The project for `app`, whose interface is at `interface_path` of `root`.
    pub(crate) fn of(app: GradioApp, root: Url, interface_path: String) -> Self {
        let specs: Vec<_> = app.endpoints.iter().map(|it| it.spec.clone()).collect();
        Self {
            defined: DefinedFunctions::of_specs("Gradio", &specs, app.skipped),
            endpoints: app.endpoints,
            root,
            interface_path,
        }
    }

    pub(crate) fn defined(&self) -> &DefinedFunctions {
        &self.defined
    }

    /// The contents of the file at `path`; `text` is what it holds in a project that greets.
    pub(super) fn file(&self, path: &str, text: String, names: &Names) -> anyhow::Result<String> {
        if path == LANGUAGE.source() {
            return Ok(self.source(names));
        }
        let text = self.defined.file(path, text, names, LANGUAGE)?;
        Ok(match path {
            "wit/world.wit" => {
                text.replace("\nworld tool {\n", &format!("\nworld tool {{\n{HTTP}"))
            }
            "tool.toml" => self.with_the_network(&text)?,
            _ => text,
        })
    }

    /// The files that no other project has.
    pub(super) fn more_files(&self) -> Vec<(&'static str, String)> {
        let module = MODULE
            .replace("{{http_types}}", self.http_types())
            .replace("{{scheme}}", &literal(self.root.scheme()))
            .replace("{{authority}}", &literal(self.root.authority()))
            .replace("{{path}}", &literal(&self.interface_path));
        let wit = WIT.map(|(path, text)| (path, text.to_owned()));
        [("gradio_app.py", module)].into_iter().chain(wit).collect()
    }

    /// The app's origin and no other, with what calls take.
    fn with_the_network(&self, text: &str) -> anyhow::Result<String> {
        let mut manifest: DocumentMut = text.parse()?;
        let mut asked = InlineTable::new();
        asked.insert("origin", self.root.origin().ascii_serialization().into());
        asked.insert("methods", Array::from_iter(["GET", "POST"]).into());
        let mut capabilities = Table::new();
        capabilities.insert("network", value(Array::from_iter([asked])));
        manifest.insert("capabilities", Item::Table(capabilities));
        Ok(manifest.to_string())
    }

    /// componentize-py's name for the types of HTTP: there may be others called `types`.
    fn http_types(&self) -> &'static str {
        match self.media().is_empty() {
            true => "types",
            false => "wasi_http_types",
        }
    }

    fn media(&self) -> Vec<&'static str> {
        types_used(self.defined.interface()).1
    }

    fn source(&self, names: &Names) -> String {
        let interface = self.defined.interface();
        let (named, media) = types_used(interface);
        let mut imports = String::from("import gradio_app as app\nfrom wit_world import exports\n");
        if !named.is_empty() {
            imports.push_str("from wit_world.exports import functions\n");
        }
        if !media.is_empty() {
            let media: Vec<String> = media.iter().map(|name| upper_camel(name)).collect();
            let media = media.join(", ");
            imports.push_str(&format!(
                "from wit_world.imports.tool_hub_tool_types import {media}\n"
            ));
        }
        let functions: Vec<String> = interface
            .operations
            .iter()
            .zip(&self.endpoints)
            .map(|(operation, endpoint)| function(operation, endpoint, interface))
            .collect();
        let name = &names.name;
        let functions = functions.join("\n");
        format!(
            r#""""The tool {name}, which calls an app of Gradio."""

from __future__ import annotations

{imports}

class Functions(exports.Functions):
{functions}"#
        )
    }
}

fn function(operation: &Operation, endpoint: &GradioEndpoint, interface: &Interface) -> String {
    let mut given = operation.parameters.iter();
    let inputs: Vec<String> = endpoint
        .inputs
        .iter()
        .map(|input| match &input.argument {
            Some(_) => given
                .next()
                .map_or_else(String::new, |parameter| sent(input, &ident(&parameter.wit))),
            None => sent(input, "None"),
        })
        .collect();
    format!(
        "    def {}(self{}) -> {}:\n        answer = app.call({}, [{}], {})\n        return {}\n",
        ident(&operation.wit),
        parameters(operation),
        written(&operation.output),
        literal(&endpoint.name),
        inputs.join(", "),
        endpoint.outputs.len(),
        returned(operation, endpoint, interface)
    )
}

/// An argument as the app takes it.
fn sent(input: &GradioInput, argument: &str) -> String {
    let sent = match input.value {
        _ if input.argument.is_none() => argument.to_owned(),
        GradioValue::Image | GradioValue::Audio => format!("app.media({argument})"),
        GradioValue::Json => format!("app.data({argument})"),
        _ => argument.to_owned(),
    };
    match &input.default {
        Some(default) => format!("app.given({sent}, {})", literal(&default.to_string())),
        None => sent,
    }
}

/// The expression that makes the function's result of the app's answer.
fn returned(operation: &Operation, endpoint: &GradioEndpoint, interface: &Interface) -> String {
    let taken = |index: usize, value: GradioValue| {
        let answer = format!("answer[{index}]");
        match value {
            GradioValue::Image => format!("Image(*app.file({answer}))"),
            GradioValue::Audio => format!("Audio(*app.file({answer}))"),
            GradioValue::Number => format!("app.number({answer})"),
            GradioValue::Flag => format!("bool({answer})"),
            GradioValue::Texts => format!("app.texts({answer})"),
            GradioValue::Json => format!("app.as_json({answer})"),
            _ => format!("app.text({answer})"),
        }
    };
    let outputs = endpoint.outputs.iter().enumerate();
    let several: Vec<String> = match &operation.output {
        WitType::Named(name) => {
            let mut definitions = interface.definitions.iter();
            let fields = match definitions.find(|it| it.wit == *name).map(|it| &it.kind) {
                Some(TypeKind::Record(fields)) => &fields[..],
                _ => &[],
            };
            outputs
                .zip(fields)
                .map(|((index, (_, value)), field)| {
                    format!("{}={}", ident(&field.wit), taken(index, *value))
                })
                .collect()
        }
        _ => {
            return match endpoint.outputs.first() {
                Some((_, value)) => taken(0, *value),
                None => "\"done\"".to_owned(),
            };
        }
    };
    format!("{}({})", written(&operation.output), several.join(", "))
}

/// A text as Python writes it, which is as JSON does.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

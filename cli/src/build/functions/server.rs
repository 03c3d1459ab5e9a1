//! Reads `tools.json`, and generates the module that calls the tools of a package's MCP server.
//! The file says how the server is started and which tools it lists.

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_hub_agent::definition::interface::{Interface, interface};
use tool_hub_manifest::{Function, FunctionSpec, Language, SchemaText};

use super::plain::{GeneratedSource, quoted};
use super::{framework_tools, javascript};
use crate::terminal::problem::Problem;

/// The name of such a file.
pub(crate) const FILE: &str = "tools.json";

/// The export of a program that lists what its server has, in place of tools.
pub(crate) const LIST: &str = "list-tools";

const PYTHON: &str = include_str!("../../../templates/frameworks/server_glue.py");
const PYTHON_PACKAGE: &str = include_str!("../../../templates/frameworks/package_glue.py");
const JAVASCRIPT: &str = include_str!("../../../templates/frameworks/server_glue.js");

/// An MCP server and its tools.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerFile {
    pub(crate) server: ServerEntry,
    /// The tools that it lists. Without them the program lists what there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tools: Option<Vec<ListedTool>>,
}

/// The module that is run, as a program would be.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerEntry {
    /// A module of Python, a file of a package of npm, or such a package itself: then what it
    /// exports are tools for the AI SDK.
    pub(crate) module: String,
    /// The modules whose tools for a framework are the tools, where there is no server to start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tools_of: Vec<String>,
    /// The function of the module that starts the server; without one the module does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) function: Option<String>,
    /// The arguments of its command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) arguments: Vec<String>,
}

/// A tool as MCP lists it. What else is said of it is not kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedTool {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    input_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    annotations: Option<ListedHints>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedHints {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    read_only_hint: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    destructive_hint: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    idempotent_hint: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open_world_hint: Option<bool>,
}

impl ServerFile {
    pub(crate) fn read(text: &str) -> anyhow::Result<Self> {
        serde_json::from_str(text).map_err(|error| {
            Problem::user(format!(
                "{FILE} does not say which server and tools there are"
            ))
            .caused_by(error)
            .hint("make it anew with: tool new NAME --from pypi:PACKAGE")
            .into()
        })
    }

    pub(crate) fn text(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The types of its functions: each takes and answers JSON.
    pub(crate) fn interface(&self) -> Interface {
        let listing = [FunctionSpec {
            name: LIST.replace('-', "_"),
            ..spec("", "Lists the tools of the server.".to_owned())
        }];
        match &self.tools {
            None => interface(&listing),
            Some(tools) => {
                let tools = tools.iter();
                let specs =
                    tools.map(|it| spec(&it.name, it.description.clone().unwrap_or_default()));
                interface(&specs.collect::<Vec<_>>())
            }
        }
        .with_replies()
    }

    /// The module that calls the tools, and what stands in for frameworks.
    pub(super) fn sources(
        &self,
        language: Language,
        interface: &Interface,
    ) -> anyhow::Result<Vec<GeneratedSource>> {
        let names: Vec<Value> = match &self.tools {
            None => vec![Value::Null],
            Some(tools) => tools.iter().map(|it| json!(it.name)).collect(),
        };
        let exports = interface.operations.iter().zip(names);
        let exports: Vec<String> = exports
            .map(|(operation, name)| format!("{}: {name}", quoted(&operation.wit)))
            .collect();
        let ServerEntry {
            module,
            tools_of,
            function,
            arguments,
        } = &self.server;
        let python = match tools_of.is_empty() {
            true => PYTHON,
            false => PYTHON_PACKAGE,
        };
        let (template, function) = match (language, function) {
            (Language::Python, None) => (python, "None".to_owned()),
            (Language::Python, Some(name)) => (python, quoted(name)),
            _ => (JAVASCRIPT, "null".to_owned()),
        };
        let exports = exports.join(", ");
        let exports = match language {
            Language::Python => exports.replace(": null", ": None"),
            _ => exports,
        };
        let text = template
            .replace("{{module_text}}", &quoted(module))
            .replace("{{function}}", &function)
            .replace("{{arguments}}", &json!(arguments).to_string())
            .replace("{{exports}}", &format!("{{{exports}}}"))
            .replace("{{modules}}", &json!(tools_of).to_string());
        Ok(match language {
            Language::Python => {
                let mut sources = match tools_of.is_empty() {
                    true => framework_tools::server_modules(),
                    false => framework_tools::package_modules(),
                };
                sources.push(("tool_functions.py", text));
                sources
            }
            _ => {
                let mut sources = javascript::server_modules();
                sources.push((javascript::MODULE, text));
                sources
            }
        })
    }
}

impl ListedTool {
    /// # Errors
    /// When a manifest cannot hold its schemas.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let schemas = [Some(&self.input_schema), self.output_schema.as_ref()];
        let mut schemas = schemas.into_iter().flatten();
        schemas.try_for_each(|it| self.schema(it).map(drop))
    }

    fn schema(&self, value: &Value) -> anyhow::Result<SchemaText> {
        SchemaText::try_from(value.clone())
            .with_context(|| format!("the schema of `{}` cannot be kept", self.name))
    }

    /// Adds to the manifest's entry what the author does not say there.
    pub(super) fn complete(&self, function: &mut Function) -> anyhow::Result<()> {
        if function.input_schema.is_none() {
            function.input_schema = Some(self.schema(&self.input_schema)?);
        }
        if function.output_schema.is_none() {
            let schema = self.output_schema.as_ref().map(|it| self.schema(it));
            function.output_schema = schema.transpose()?;
        }
        if function.description.is_empty() {
            function.description = self.description.clone().unwrap_or_default();
        }
        let Some(hints) = &self.annotations else {
            function.title = function.title.take().or_else(|| self.title.clone());
            return Ok(());
        };
        let title = self.title.clone().or_else(|| hints.title.clone());
        function.title = function.title.take().or(title);
        function.read_only = function.read_only.or(hints.read_only_hint);
        function.destructive = function.destructive.or(hints.destructive_hint);
        function.idempotent = function.idempotent.or(hints.idempotent_hint);
        function.open_world = function.open_world.or(hints.open_world_hint);
        Ok(())
    }
}

fn spec(name: &str, description: String) -> FunctionSpec {
    FunctionSpec {
        name: name.to_owned(),
        title: None,
        description,
        input_schema: json!({
            "type": "object", "properties": {"arguments": {"type": "string"}}, "required": ["arguments"],
        }),
        output_schema: None,
        annotations: Default::default(),
    }
}

//! `tool lint`: checks function descriptions, of the toolbox or a project, as a model reads them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};
use tool_hub_agent::definition::lint::Finding;
use tool_hub_manifest::{Function, FunctionSpec, Input, Manifest, ValueType, package_file};
use tool_hub_toolbox::built_package;
use tool_hub_toolbox::loaded::choose;

use crate::build;
use crate::commands::check;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::toolbox::functions::specs_of;

/// Arguments of `tool lint`.
#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// Fail when there is a finding
    #[arg(long)]
    deny: bool,

    /// Tools of the toolbox, or functions as agents name them; or the directory of a project, as
    /// `.` or `./a/path` [default: the project here, else the whole toolbox]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

impl Lint {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let (specs, others) = match self.project(config)? {
            Some((place, shown)) => (of_project(&place, &shown, printer)?, Vec::new()),
            None => {
                let specs = specs_of(&[], session).await?;
                choose(&self.names, specs)?
            }
        };
        let findings = tool_hub_agent::definition::lint::lint(&specs, &others);
        if printer.wants_json() {
            printer.json(&json!({ "findings": findings }))?;
        } else if !findings.is_empty() {
            printer.data(&findings.iter().map(lines).collect::<String>())?;
        }
        printer.note(&format!(
            "{} in {}",
            counted(findings.len(), "finding"),
            counted(specs.len(), "function")
        ));
        if self.deny && !findings.is_empty() {
            return Err(Problem::user("there are findings, and --deny allows none").into());
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The project that is meant, if one is, and how it is called.
    fn project(&self, config: &Config) -> anyhow::Result<Option<(PathBuf, PathBuf)>> {
        let is_path = |name: &String| name.starts_with(['.', '/', '~']);
        let shown = match &self.names[..] {
            [] if config
                .settings
                .working
                .join(package_file::MANIFEST)
                .is_file() =>
            {
                PathBuf::from(".")
            }
            [path] if is_path(path) => PathBuf::from(path),
            names if names.iter().any(is_path) => {
                let problem =
                    Problem::user("a project stands alone: other names cannot stand beside it");
                return Err(problem.into());
            }
            _ => return Ok(None),
        };
        Ok(Some((config.settings.place(&shown), shown)))
    }
}

/// The functions of a project: as they are built, or else as its `tool.toml` describes them.
fn of_project(
    directory: &Path,
    shown: &Path,
    printer: &Printer,
) -> anyhow::Result<Vec<FunctionSpec>> {
    if built_package::directory(directory).is_ok() {
        let inspection = tool_hub_host::inspect(&built_package::read(directory)?)?;
        if let Some(remark) = check::staleness(directory, shown)? {
            printer.warning(remark.message());
        }
        let functions = inspection.functions.into_iter();
        return Ok(functions.map(|function| function.spec).collect());
    }
    let manifest = build::read_author_manifest(directory)?;
    let specs = of_manifest(&manifest);
    if specs.iter().all(|spec| spec.description.is_empty()) {
        let problem =
            Problem::user("tool.toml describes no function, and the project is not built");
        let hint = format!("run: tool build {}", shown.display());
        return Err(problem.hint(hint).into());
    }
    printer.note("the project is not built: judged is what tool.toml says");
    Ok(specs)
}

fn of_manifest(manifest: &Manifest) -> Vec<FunctionSpec> {
    let functions = manifest.functions.iter();
    functions
        .map(|(name, function)| FunctionSpec {
            name: name.to_string(),
            title: function.title.clone(),
            description: function.description.clone(),
            input_schema: input_schema(function),
            output_schema: function.output.as_ref().map(|output| {
                described(
                    json!({"type": json_type(output.value_type)}),
                    &output.description,
                )
            }),
            annotations: function.annotations(),
        })
        .collect()
}

fn input_schema(function: &Function) -> Value {
    if let Some(schema) = &function.input_schema {
        return schema.value().clone();
    }
    let inputs = function.inputs.iter();
    let properties: Map<String, Value> = inputs
        .clone()
        .map(|(name, input)| (name.to_string(), property(input)))
        .collect();
    let required = inputs.filter(|(_, input)| !input.optional);
    let required: Vec<String> = required.map(|(name, _)| name.to_string()).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn property(input: &Input) -> Value {
    let mut schema = json!({"type": json_type(input.value_type)});
    if schema["type"] == "array" {
        schema["items"] = json!({"type": "string"});
    }
    if !input.examples.is_empty() {
        schema["examples"] = json!(input.examples);
    }
    // Only the component knows the items of a list and the members of an object.
    if schema["type"] == "object" {
        schema["additionalProperties"] = false.into();
    }
    described(schema, &input.description)
}

fn described(mut schema: Value, description: &str) -> Value {
    if !description.is_empty() {
        schema["description"] = description.into();
    }
    schema
}

fn json_type(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Text => "string",
        ValueType::Boolean => "boolean",
        ValueType::Integer => "integer",
        ValueType::Number => "number",
        ValueType::Array => "array",
        ValueType::Image | ValueType::Audio | ValueType::Object | ValueType::Any => "object",
    }
}

/// A finding for people.
pub(crate) fn lines(finding: &Finding) -> String {
    let place = match &finding.argument {
        Some(argument) => format!("{}, `{argument}`", finding.function),
        None => finding.function.clone(),
    };
    format!(
        "{place}: {} ({})\n  instead: {}\n",
        finding.message, finding.rule, finding.instead
    )
}

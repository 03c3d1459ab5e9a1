//! `tool grammar`: what holds a model to calls of the toolbox's functions, for those that
//! write it for a server themselves.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};
use tool_hub_agent::{Backend, Compiled, Constraint, Format, Loss, ToolChoice};

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::loaded::LoadedTool;
use crate::printer::Printer;

/// Arguments of `tool grammar`.
#[derive(Debug, Args)]
pub(crate) struct Grammar {
    /// How to write it: json-schema, regex, gbnf or lark
    #[arg(long, value_name = "FORMAT", default_value = "json-schema")]
    format: Format,

    /// Print the member of a request instead: for tgi, vllm, llama.cpp, sglang or openai
    #[arg(long, value_name = "BACKEND", conflicts_with = "format")]
    backend: Option<Backend>,

    /// What the model may do: auto, required, the name of a function, or the object of a request
    #[arg(long, value_name = "CHOICE", default_value = "required")]
    tool_choice: String,

    /// Only these tools of the toolbox, or functions as agents name them [default: all]
    names: Vec<String>,
}

impl Grammar {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let choice = self.choice()?;
        let specs = LoadedTool::specs_named(&self.names, config, printer).await?;
        let constraint = Constraint::calls(&specs, &choice)?.ok_or_else(|| {
            Problem::user("no call is wanted, so there is nothing to hold a model to")
                .hint("leave --tool-choice out, or say auto, required or a function's name")
        })?;
        match self.backend {
            Some(backend) => {
                let constrained = constraint.for_backend(backend)?;
                tell(&constrained.losses, printer);
                printer.json(&constrained.members)?;
            }
            None => {
                let compiled = constraint.compile(self.format)?;
                tell(&compiled.losses, printer);
                self.print(&compiled, printer)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn choice(&self) -> anyhow::Result<ToolChoice> {
        let text = &self.tool_choice;
        let choice = match text.starts_with('{') {
            true => serde_json::from_str(text)
                .map_err(|error| Problem::user(format!("--tool-choice is no JSON: {error}")))?,
            false => Value::from(text.as_str()),
        };
        Ok(ToolChoice::read(Some(&choice), true)?)
    }

    fn print(&self, compiled: &Compiled, printer: &Printer) -> anyhow::Result<()> {
        if self.format == Format::JsonSchema {
            let schema: Map<String, Value> = serde_json::from_str(&compiled.text)?;
            printer.json(&schema)
        } else if printer.wants_json() {
            printer.json(&json!({"format": self.format.as_str(), "text": compiled.text}))
        } else {
            printer.data(&compiled.text)
        }
    }
}

fn tell(losses: &[Loss], printer: &Printer) {
    for loss in losses {
        printer.warning(&loss.to_string());
    }
    if !losses.is_empty() {
        printer.note("what a model writes is checked before a tool is called, all the same");
    }
}

//! `tool new`: scaffolds a tool that builds and passes its own check at once.

mod definitions;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_manifest::ToolName;

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::printer::Printer;
use crate::scaffold::{Body, Defined, Template, scaffold};

/// Arguments of `tool new`.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The tool's name: a-z, 0-9 and `-`
    name: ToolName,

    /// What to write it in
    #[arg(long, value_enum, default_value_t = Template::Rust)]
    lang: Template,

    /// A file with definitions of functions to write, as OpenAI, Anthropic, MCP (`tools/list`)
    /// or Transformers (`tool_config.json`) have them; `-` for standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Where to put it [default: a directory called like the tool]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl New {
    pub(crate) fn execute(&self, config: &Config, printer: &Printer) -> anyhow::Result<ExitCode> {
        let shown = match &self.directory {
            Some(directory) => directory.clone(),
            None => PathBuf::from(self.name.as_str()),
        };
        let directory = config.working.join(&shown);
        if directory.exists() {
            return Err(Problem::user(format!("{} exists already", shown.display()))
                .hint("choose another name, or another place with --directory")
                .into());
        }
        let body = match &self.from {
            None => Body::Greeter,
            Some(file) => {
                let import = definitions::read(file, &config.working)?;
                Body::Defined(Defined::of(import))
            }
        };
        scaffold(&directory, &self.name, self.lang, &body)?;
        if let Body::Defined(defined) = &body {
            definitions::tell(defined, printer);
        }
        if printer.wants_json() {
            let mut answer = json!({ "directory": directory, "language": self.lang.name() });
            if let Body::Defined(defined) = &body {
                answer["functions"] = defined.functions().into();
                answer["losses"] = defined.losses().into();
            }
            printer.json(&answer)?;
        } else {
            printer.note(&format!(
                "created {} ({})",
                shown.display(),
                self.lang.name()
            ));
            if let Body::Defined(_) = &body {
                printer.hint(&format!(
                    "write the functions in {}, which answer that they are not written yet",
                    shown.join(self.lang.source()).display()
                ));
            }
            printer.hint(&format!("build it with: tool build {}", shown.display()));
        }
        Ok(ExitCode::SUCCESS)
    }
}

//! `tool remove`: takes a tool out of the toolbox. Its bytes stay in the store until
//! `tool gc`.

use std::process::ExitCode;

use clap::Args;
use tool_hub_manifest::ToolKey;

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::printer::Printer;
use crate::toolbox::OpenToolbox;

/// Arguments of `tool remove`.
#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The toolbox's name for the tool
    name: String,
}

impl Remove {
    pub(crate) fn execute(&self, config: &Config, printer: &Printer) -> anyhow::Result<ExitCode> {
        let key: ToolKey = self.name.replace('-', "_").parse()?;
        let toolbox = OpenToolbox::open(config)?;
        if toolbox.entry(&key).is_none() {
            return Err(Problem::user(format!(
                "there is no tool called `{key}` in {}",
                toolbox.path().display()
            ))
            .hint("see what there is with: tool list")
            .into());
        }
        OpenToolbox::remove(config, &key)?;
        printer.note(&format!("removed {key} from {}", toolbox.path().display()));
        Ok(ExitCode::SUCCESS)
    }
}

//! `tool schema`: reads the functions in a source file and prints their definitions for a model.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;
use tool_hub_agent::definition::Dialect;
use tool_hub_source::Definition;

use super::export::Format;
use crate::build::specs;
use crate::session::Session;
use crate::text::functions::definitions;

/// Arguments of `tool schema`.
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// A file of functions with documentation; it is read and not run
    file: PathBuf,

    /// Whose definitions to write: hf, as `get_json_schema` of Transformers writes them, or any
    /// other format of `tool export`
    #[arg(long, value_name = "FORMAT", default_value = "hf")]
    format: Format,

    /// Only these functions [default: all that the file offers]
    names: Vec<String>,
}

impl Schema {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let path = session.config.settings.working.join(&self.file);
        let read = definitions(&path, &self.file, &self.names)?;
        for left_out in &read.left_out {
            session.printer.warning(&format!("left out: {left_out}"));
        }
        let definitions = read.definitions;
        match self.format {
            Format::Definitions(Dialect::HuggingFace) => {
                let tools: Vec<Value> = definitions.iter().map(Definition::to_json).collect();
                session.printer.json(&tools)?;
            }
            format => format.print(&specs(&definitions), &session.printer)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

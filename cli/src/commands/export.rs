//! `tool export`: the toolbox's functions as an agent's API wants them.

use std::process::ExitCode;

use clap::Args;
use tool_hub_agent::Dialect;

use crate::config::Config;
use crate::loaded::LoadedTool;
use crate::printer::Printer;
use crate::toolbox::OpenToolbox;

/// Arguments of `tool export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Whose definitions to write: openai, anthropic, mcp or hf
    #[arg(long, value_name = "FORMAT", default_value = "openai")]
    format: Dialect,

    /// Only these tools of the toolbox [default: all]
    names: Vec<String>,
}

impl Export {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let toolbox = OpenToolbox::open(config)?;
        let members = toolbox.usable(&self.names, printer)?;
        let host = config.open_host()?;
        let loaded = LoadedTool::load_all(members, &host, &config.open_store()?, config).await?;
        let mut specs = Vec::new();
        for tool in &loaded {
            specs.extend(tool.specs()?.into_iter().map(|(_, spec)| spec));
        }
        let export = tool_hub_agent::export(&specs, self.format);
        for loss in &export.losses {
            printer.warning(&loss.to_string());
        }
        printer.json(&export.tools)?;
        Ok(ExitCode::SUCCESS)
    }
}

//! `tool serve`: the toolbox for an agent, as a Model Context Protocol server on standard
//! input and output.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tool_hub_serve::{Catalogue, Offer};

use crate::config::Config;
use crate::loaded::LoadedTool;
use crate::printer::Printer;
use crate::signals::stop_requested;
use crate::toolbox::OpenToolbox;
use crate::wording::counted;

/// Arguments of `tool serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Only these tools of the toolbox [default: all that you approved]
    ///
    /// A toolbox travels with its project, so it may name a tool that you never approved.
    /// Such a tool is left out with a warning on standard error, and the others are served:
    /// an agent keeps what it relies on. Approve it with `tool load`. A tool that is named
    /// here is never left out; when it cannot be served, nothing is.
    names: Vec<String>,

    /// The toolbox in this directory, wherever the command is started [default: the nearest
    /// upwards, else your own]
    #[arg(long, value_name = "DIR")]
    toolbox: Option<PathBuf>,
}

impl Serve {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let toolbox = match &self.toolbox {
            Some(directory) => OpenToolbox::open_named(directory, config)?,
            None => OpenToolbox::open(config)?,
        };
        let members = toolbox.usable(&self.names, printer)?;
        let host = config.open_host()?;
        let loaded = LoadedTool::load_all(members, &host, &config.open_store()?, config).await?;
        let mut offers = Vec::new();
        for tool in &loaded {
            for (function, spec) in tool.specs()? {
                offers.push(Offer {
                    spec,
                    tool: tool.tool.clone(),
                    function,
                });
            }
        }
        printer.note(&format!(
            "serving {} on standard input and output",
            counted(offers.len(), "function")
        ));
        tool_hub_serve::serve_stdio(Catalogue::new(offers)?, stop_requested()).await?;
        Ok(ExitCode::SUCCESS)
    }
}

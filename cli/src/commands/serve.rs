//! `tool serve`: the toolbox for an agent, as a Model Context Protocol server on standard
//! input and output.

use std::process::ExitCode;

use clap::Args;
use tool_hub_serve::{Catalogue, Offer};

use crate::config::Config;
use crate::loaded::LoadedTool;
use crate::printer::Printer;
use crate::signals::stop_requested;
use crate::toolbox::OpenToolbox;

/// Arguments of `tool serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Only these tools of the toolbox [default: all]
    names: Vec<String>,
}

impl Serve {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let toolbox = OpenToolbox::open(config)?;
        let members = toolbox.chosen(&self.names)?;
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
            "serving {} functions on standard input and output",
            offers.len()
        ));
        tool_hub_serve::serve_stdio(Catalogue::new(offers)?, stop_requested()).await?;
        Ok(ExitCode::SUCCESS)
    }
}

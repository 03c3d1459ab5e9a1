//! `tool run`: a model does a task with the toolbox.

use std::process::ExitCode;

use clap::Args;
use tool_hub_agent::PromptMode;

use crate::agent::AgentFlags;
use crate::config::Config;
use crate::printer::Printer;

/// Arguments of `tool run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// What is to be done
    task: String,

    /// Only these tools of the toolbox [default: all that you approved]
    names: Vec<String>,

    /// Print the code that the model writes, and do not run it
    #[arg(long, requires = "code")]
    return_code: bool,

    #[command(flatten)]
    agent: AgentFlags,
}

impl Run {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let agent = self
            .agent
            .open(PromptMode::Run, &self.names, config, printer);
        let mut agent = agent.await?;
        if self.return_code {
            agent.write_code(&self.task).await?;
        } else {
            agent.run(&self.task).await?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

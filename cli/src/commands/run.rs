//! `tool run`: has a model do one task with the tools of the toolbox.

use std::process::ExitCode;

use clap::Args;

use crate::agent::{AgentFlags, Purpose};
use crate::session::Session;

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
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let purpose = match self.return_code {
            true => Purpose::Write,
            false => Purpose::Run,
        };
        let agent = self.agent.open(purpose, &self.names, session);
        let mut agent = agent.await?;
        if self.return_code {
            agent.write_code(&self.task).await?;
        } else {
            agent.run(&self.task).await?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

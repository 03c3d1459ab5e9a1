//! `tool prompt`: pulls, pushes and renders prompt templates for agents that answer with code.

mod pull;
mod push;
mod render;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::session::Session;

/// Arguments of `tool prompt`.
#[derive(Debug, Args)]
pub(crate) struct Prompt {
    #[command(subcommand)]
    command: PromptCommand,
}

#[derive(Debug, Subcommand)]
enum PromptCommand {
    /// Get somebody's prompt templates from a data set
    Pull(pull::Pull),
    /// Publish prompt templates in a data set
    Push(push::Push),
    /// Print the prompt that a model is given for a task, byte for byte
    Render(render::Render),
}

impl Prompt {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        match &self.command {
            PromptCommand::Pull(command) => command.execute(session).await,
            PromptCommand::Push(command) => command.execute(session).await,
            PromptCommand::Render(command) => command.execute(session).await,
        }
    }
}

//! `tool messages`: converts a conversation to another API's form, and tells what is lost.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tool_hub_agent::conversation::{Conversation, MessageDialect};

use crate::session::Session;
use crate::text::conversation;

/// Arguments of `tool messages`.
#[derive(Debug, Args)]
pub(crate) struct Messages {
    /// The conversation: a list of messages or a request that has it, in JSON; `-` for standard
    /// input
    file: PathBuf,

    /// Whose form it has: hf, openai, responses or anthropic
    #[arg(long, value_name = "DIALECT")]
    from: MessageDialect,

    /// Whose form it gets
    #[arg(long, value_name = "DIALECT")]
    to: MessageDialect,
}

impl Messages {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let value = conversation::read(&self.file, &session.config.settings.working)?;
        let conversation = Conversation::read(self.from, &value)?;
        let written = conversation.write(self.to);
        conversation::tell(&written.losses, &session.printer);
        session.printer.json(&written.value)?;
        Ok(ExitCode::SUCCESS)
    }
}

//! `tool messages`: a conversation in another API's form, and what is lost on the way.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;
use tool_hub_agent::{Conversation, LostMessage, MessageDialect, MessageLoss};

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::files::{read_or_input, shown};
use crate::printer::Printer;

/// The longest conversation, in bytes, pictures included.
const CONVERSATION_BYTES_MAX: u64 = 64 << 20;
/// How many losses are told one by one.
const TOLD_MAX: usize = 20;

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
    pub(crate) fn execute(&self, config: &Config, printer: &Printer) -> anyhow::Result<ExitCode> {
        let bytes = read_or_input(&self.file, &config.working, CONVERSATION_BYTES_MAX)?;
        if bytes.len() as u64 > CONVERSATION_BYTES_MAX {
            let what = format!(
                "{} is too long (conversation_bytes = {CONVERSATION_BYTES_MAX})",
                shown(&self.file)
            );
            return Err(Problem::refused(what)
                .hint("leave older messages out")
                .into());
        }
        let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
            Problem::user(format!("{} is not JSON", shown(&self.file)))
                .caused_by(error)
                .hint("give it the member `messages` or `input` of a request, or the request")
        })?;
        let conversation = Conversation::read(self.from, &value)?;
        let written = conversation.write(self.to);
        tell(&written.losses, printer);
        printer.json(&written.value)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Tells what became otherwise; what will be refused is a warning.
fn tell(losses: &[MessageLoss], printer: &Printer) {
    let is_refusal = |loss: &&MessageLoss| matches!(loss.lost, LostMessage::NoCall { .. });
    let (refused, lost): (Vec<_>, Vec<_>) = losses.iter().partition(is_refusal);
    for loss in refused.iter().take(TOLD_MAX) {
        printer.warning(&loss.to_string());
    }
    for loss in lost.iter().take(TOLD_MAX) {
        printer.note(&loss.to_string());
    }
    let untold = refused.len().saturating_sub(TOLD_MAX) + lost.len().saturating_sub(TOLD_MAX);
    if untold > 0 {
        printer.note(&format!("{untold} more are lost"));
    }
}

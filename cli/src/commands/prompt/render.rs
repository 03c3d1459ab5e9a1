//! `tool prompt render`: prints the prompt for a task, with the toolbox's functions in it.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_agent::prompt::{PromptMode, PromptTemplate};

use crate::session::Session;
use crate::text::prompt_template;
use crate::toolbox::functions::specs_of;

/// Arguments of `tool prompt render`.
#[derive(Debug, Args)]
pub(super) struct Render {
    /// What the model is asked to do
    #[arg(long, value_name = "TEXT")]
    task: String,

    /// Write the first turn of a conversation instead of a single task
    #[arg(long)]
    chat: bool,

    /// The template: a file, or a data set on the registry as owner/name or owner/name@revision
    /// [default: one of our own]
    #[arg(long, value_name = "FILE|REPO")]
    template: Option<String>,

    /// Only these tools of the toolbox [default: all]
    names: Vec<String>,
}

impl Render {
    pub(super) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let mode = match self.chat {
            true => PromptMode::Chat,
            false => PromptMode::Run,
        };
        let template = prompt_template::find(self.template.as_deref(), mode, session).await?;
        let tools = specs_of(&self.names, session).await?;
        let prompt = match template {
            PromptTemplate::Run(template) => template.fill(&tools, &self.task)?,
            PromptTemplate::Chat(template) => template.begin(&tools)?.ask(&self.task)?,
        };
        if session.printer.wants_json() {
            let stop = mode.stop_sequences();
            session
                .printer
                .json(&json!({ "prompt": prompt, "stop": stop }))?;
        } else {
            session.printer.exactly(&prompt)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

//! `tool prompt pull`: downloads the prompt templates of a data set into files.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_agent::prompt::PromptMode;
use tool_hub_manifest::ToolRef;

use crate::files;
use crate::session::Session;
use crate::terminal::problem::Problem;
use crate::text::prompt_template;

/// Arguments of `tool prompt pull`.
#[derive(Debug, Args)]
pub(super) struct Pull {
    /// The data set: owner/name, owner/name@branch or @commit
    repo: ToolRef,

    /// Where to put the files
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Replace files that are there already
    #[arg(long)]
    force: bool,
}

impl Pull {
    pub(super) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let directory = config.settings.place(&self.directory);
        let pulled = prompt_template::pull(&self.repo, &PromptMode::ALL, session).await?;
        let names: Vec<&str> = pulled
            .texts
            .iter()
            .map(|(mode, _)| mode.file_name())
            .collect();
        let there = names.iter().find(|name| directory.join(name).exists());
        if let Some(name) = there.filter(|_| !self.force) {
            let shown = self.directory.join(name);
            return Err(Problem::user(format!("{} exists already", shown.display()))
                .hint("replace it with --force, or choose another place with --directory")
                .into());
        }
        for (mode, text) in &pulled.texts {
            files::write(&directory.join(mode.file_name()), text.as_bytes())?;
        }
        if printer.wants_json() {
            printer.json(&json!({
                "repo": self.repo.repo,
                "commit": pulled.commit,
                "directory": directory,
                "files": names,
            }))?;
        } else {
            let names = names.join(" and ");
            let repo = &self.repo.repo;
            printer.note(&format!("wrote {names} of {repo} at {}", pulled.commit));
            printer
                .hint("what they say to a model is their author's: read them before you use them");
        }
        Ok(ExitCode::SUCCESS)
    }
}

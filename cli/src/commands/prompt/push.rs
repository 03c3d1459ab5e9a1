//! `tool prompt push`: uploads the prompt templates in a directory to a data set.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_agent::prompt::PromptMode;
use tool_hub_manifest::RepoId;
use tool_hub_registry_client::{PushTexts, Visibility};

use crate::session::Session;
use crate::terminal::problem::Problem;
use crate::text::prompt_template;

/// Arguments of `tool prompt push`.
#[derive(Debug, Args)]
pub(super) struct Push {
    /// The data set, as owner/name
    repo: RepoId,

    /// Where the files `run_prompt_template.txt` and `chat_prompt_template.txt` are, or one of
    /// them
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Only you and your organisation may see a data set that this makes
    #[arg(long)]
    private: bool,
}

impl Push {
    pub(super) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let directory = config.settings.place(&self.directory);
        let mut texts = Vec::new();
        for mode in PromptMode::ALL {
            let text = prompt_template::read(&directory.join(mode.file_name()), mode)?;
            texts.extend(text.map(|text| (mode.file_name(), text)));
        }
        if texts.is_empty() {
            let names = PromptMode::ALL.map(PromptMode::file_name).join(" nor ");
            let what = format!("there is neither {names} in {}", self.directory.display());
            return Err(Problem::user(what)
                .hint("name the directory that has them with --directory")
                .into());
        }
        let names: Vec<&str> = texts.iter().map(|(name, _)| *name).collect();
        let push = PushTexts {
            repo: self.repo.clone(),
            texts: &texts,
            visibility: match self.private {
                true => Visibility::Private,
                false => Visibility::Public,
            },
            message: format!("Set {}", names.join(" and ")),
        };
        let pushed = config.settings.datasets(printer)?.push(&push).await?;
        if printer.wants_json() {
            printer.json(&json!({
                "repo": self.repo,
                "commit": pushed.commit,
                "url": pushed.url,
                "files": names,
                "already_there": pushed.already_there,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let done = match (pushed.already_there, &names[..]) {
            (true, [_]) => "is there already, unchanged",
            (true, _) => "are there already, unchanged",
            (false, _) => "pushed",
        };
        printer.note(&format!("{} {done}: {}", names.join(" and "), pushed.url));
        printer.hint(&format!(
            "anybody who may read it can run: tool prompt pull {}",
            self.repo
        ));
        Ok(ExitCode::SUCCESS)
    }
}

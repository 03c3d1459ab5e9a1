//! `tool remove`: takes a tool out of the toolbox. Its bytes stay in the store until
//! `tool gc`.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use crate::session::Session;

/// Arguments of `tool remove`.
#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The toolbox's name for the tool
    name: String,

    /// Also delete what the tool keeps in its storage, in whatever toolbox it stands
    #[arg(long)]
    storage: bool,
}

impl Remove {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let toolbox = OpenToolbox::open(&config.settings)?;
        let key = toolbox.key(&self.name)?.clone();
        let kept = match self.storage {
            true => Some(toolbox.member(key.as_str())?.locked.source.clone()),
            false => None,
        };
        OpenToolbox::remove(&config.settings, &key)?;
        printer.note(&format!("removed {key} from {}", toolbox.path().display()));
        if let Some(source) = kept {
            let deleted = config.settings.storage(&source).delete();
            let deleted = deleted.context("what the tool keeps cannot be deleted")?;
            let said = if deleted {
                "deleted"
            } else {
                "there was nothing in"
            };
            printer.note(&format!("{said} its storage"));
        }
        Ok(ExitCode::SUCCESS)
    }
}

//! `tool logout`: forgets the token for a registry.

use std::process::ExitCode;

use clap::Args;

use crate::session::Session;

/// Arguments of `tool logout`.
#[derive(Debug, Args)]
pub(crate) struct Logout {}

impl Logout {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        if config
            .settings
            .credentials()?
            .forget(&config.settings.endpoint)?
        {
            printer.note(&format!(
                "forgot the token for {}",
                config.settings.endpoint
            ));
        } else {
            printer.note(&format!(
                "`tool login` kept no token for {}",
                config.settings.endpoint
            ));
        }
        if config
            .settings
            .token_for(&config.settings.endpoint)?
            .is_some()
        {
            printer.hint(
                "another token is still in use: HF_TOKEN, or the one that `hf auth login` keeps",
            );
        }
        Ok(ExitCode::SUCCESS)
    }
}

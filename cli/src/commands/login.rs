//! `tool login`: keeps a token for a registry, once the registry has accepted it.

use std::process::ExitCode;

use clap::Args;
use tool_hub_registry_client::Token;

use crate::session::Session;
use crate::terminal::hidden_input::{HiddenInput, INTERRUPTED};
use crate::terminal::problem::Problem;

/// Arguments of `tool login`.
#[derive(Debug, Args)]
pub(crate) struct Login {
    /// Read the token from standard input instead of asking for it
    #[arg(long)]
    token_stdin: bool,
}

impl Login {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let input = HiddenInput {
            prompt: &format!("Token for {}", session.config.settings.endpoint),
            from_stdin: self.token_stdin,
            hint: "pipe it in: tool login --token-stdin < token-file",
        };
        let done = input
            .and_then(async |text| log_in(&text, session).await)
            .await?;
        Ok(done.map_or(INTERRUPTED.into(), |()| ExitCode::SUCCESS))
    }
}

async fn log_in(text: &str, session: &Session) -> anyhow::Result<()> {
    let Session { config, printer } = session;
    let token = text.trim().parse::<Token>().map_err(|error| {
        Problem::user("this cannot be used as a token")
            .caused_by(error)
            .hint("paste the whole token, as the registry showed it, and nothing else")
    })?;
    let settings = &config.settings;
    let client = settings.client_with(&settings.endpoint, Some(token), printer)?;
    let identity = client.whoami().await?;
    let mut stored = settings.credentials()?;
    stored.keep(&settings.endpoint, text.trim())?;
    printer.note(&format!(
        "logged in to {} as {}",
        settings.endpoint, identity.name
    ));
    let hub = settings.token_variable_is_for();
    if hub.is_some_and(|hub| hub.origin() == settings.endpoint.origin()) {
        printer.hint("HF_TOKEN is set and goes before the token that was just kept");
    }
    Ok(())
}

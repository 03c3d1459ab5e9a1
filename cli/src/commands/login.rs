//! `tool login`: keeps a token for a registry, once the registry has accepted it.

use std::io::{IsTerminal as _, Read as _};
use std::process::ExitCode;

use clap::Args;
use tool_hub_registry_client::Token;

use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;
use crate::terminal::signals::stop_requested;

/// The exit code that shells report for a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

/// The longest token that is read.
const TOKEN_BYTES_MAX: u64 = 4096;

/// Arguments of `tool login`.
#[derive(Debug, Args)]
pub(crate) struct Login {
    /// Read the token from standard input instead of asking for it
    #[arg(long)]
    token_stdin: bool,
}

impl Login {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let terminal = TerminalModes::remember();
        tokio::select! {
            outcome = self.log_in(session) => outcome,
            () = stop_requested() => {
                terminal.restore();
                Ok(INTERRUPTED.into())
            }
        }
    }

    async fn log_in(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let text = self.read(config).await?;
        let token = text.trim().parse::<Token>().map_err(|error| {
            Problem::user("this cannot be used as a token")
                .caused_by(error)
                .hint("paste the whole token, as the registry showed it, and nothing else")
        })?;
        let client =
            config
                .settings
                .client_with(&config.settings.endpoint, Some(token), printer)?;
        let identity = client.whoami().await?;
        config
            .settings
            .credentials()?
            .keep(&config.settings.endpoint, text.trim())?;
        printer.note(&format!(
            "logged in to {} as {}",
            config.settings.endpoint, identity.name
        ));
        let hub = config.settings.token_variable_is_for();
        if hub.is_some_and(|hub| hub.origin() == config.settings.endpoint.origin()) {
            printer.hint("HF_TOKEN is set and goes before the token that was just kept");
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn read(&self, config: &Config) -> anyhow::Result<String> {
        if self.token_stdin {
            let mut text = String::new();
            std::io::stdin()
                .take(TOKEN_BYTES_MAX)
                .read_to_string(&mut text)?;
            return Ok(text);
        }
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return Err(Problem::user("there is no terminal to ask for the token")
                .hint("pipe it in: tool login --token-stdin < token-file")
                .into());
        }
        let prompt = format!("Token for {}", config.settings.endpoint);
        let ask = || dialoguer::Password::new().with_prompt(prompt).interact();
        // Apart from this task, so that a signal is seen while the keyboard is waited for.
        Ok(tokio::task::spawn_blocking(ask).await??)
    }
}

/// The terminal's modes before input was hidden. Reading a secret restores them only once it is
/// read, which an interrupt prevents.
struct TerminalModes {
    #[cfg(unix)]
    modes: Option<rustix::termios::Termios>,
}

impl TerminalModes {
    fn remember() -> Self {
        Self {
            #[cfg(unix)]
            modes: rustix::termios::tcgetattr(std::io::stdin()).ok(),
        }
    }

    fn restore(&self) {
        #[cfg(unix)]
        if let Some(modes) = &self.modes {
            use rustix::termios::{OptionalActions, tcsetattr};
            // The process ends either way.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, modes);
        }
    }
}

//! Reads a secret, such as a token: typed without being shown, or from standard input.

use std::io::{IsTerminal as _, Read as _};

use crate::terminal::problem::Problem;
use crate::terminal::signals::stop_requested;

/// The exit code that shells report for a program that Ctrl-C ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// The longest secret that is read from standard input.
const SECRET_BYTES_MAX: u64 = 64 << 10;

/// A secret to read.
pub(crate) struct HiddenInput<'a> {
    /// What it is called where it is asked for.
    pub(crate) prompt: &'a str,
    /// True to read it from standard input, not from the keyboard.
    pub(crate) from_stdin: bool,
    /// What to do where there is no keyboard.
    pub(crate) hint: &'a str,
}

impl HiddenInput<'_> {
    /// Does `task` with the secret; `None` if a signal came before it was done.
    pub(crate) async fn and_then<T>(
        self,
        task: impl AsyncFnOnce(String) -> anyhow::Result<T>,
    ) -> anyhow::Result<Option<T>> {
        let terminal = TerminalModes::remember();
        tokio::select! {
            outcome = async { task(self.read().await?).await } => outcome.map(Some),
            () = stop_requested() => {
                terminal.restore();
                Ok(None)
            }
        }
    }

    async fn read(&self) -> anyhow::Result<String> {
        if self.from_stdin {
            let mut text = String::new();
            let mut input = std::io::stdin().take(SECRET_BYTES_MAX);
            input.read_to_string(&mut text)?;
            return Ok(text);
        }
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            let problem = format!("there is no terminal to ask at: {}", self.prompt);
            return Err(Problem::user(problem).hint(self.hint).into());
        }
        let prompt = self.prompt.to_owned();
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

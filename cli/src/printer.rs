//! Where output goes: data to standard output, everything else to standard error.

use std::io::{IsTerminal as _, Write as _};

use serde::Serialize;

use crate::args::Global;
use crate::escape::escape;

/// Prints. Text that may come from a stranger is escaped here, whoever hands it over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    json: bool,
    quiet: bool,
}

impl Printer {
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            json: global.json,
            quiet: global.quiet,
        }
    }

    /// Whether data is wanted as JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.json
    }

    /// Whether a person is watching and wants to see progress.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// Prints data for people.
    pub(crate) fn data(&self, text: &str) {
        // A reader that closes the pipe has read enough; there is nobody left to tell.
        let _ = writeln!(std::io::stdout(), "{}", escape(text).trim_end_matches('\n'));
    }

    /// Prints data for programs.
    pub(crate) fn json<T: Serialize>(&self, value: &T) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        let _ = writeln!(std::io::stdout(), "{text}");
        Ok(())
    }

    /// Prints bytes as they are; for files that the user asked for.
    pub(crate) fn raw(&self, bytes: &[u8]) -> std::io::Result<()> {
        std::io::stdout().write_all(bytes)
    }

    /// Tells what is going on.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.complain("", text);
        }
    }

    /// Tells of something that is not wrong but should be known.
    pub(crate) fn warning(&self, text: &str) {
        self.complain("warning: ", text);
    }

    /// Tells what to do next.
    pub(crate) fn hint(&self, text: &str) {
        if !self.quiet {
            self.complain("hint: ", text);
        }
    }

    /// Tells what failed, why, and what to do about it.
    pub(crate) fn error(&self, error: &anyhow::Error, hints: &[String]) {
        self.complain("error: ", &error.to_string());
        let mut said = error.to_string();
        for cause in error.chain().skip(1) {
            let cause = cause.to_string();
            // Some libraries repeat the cause in their own text.
            if !said.contains(&cause) {
                self.complain("caused by: ", &cause);
            }
            said = cause;
        }
        for hint in hints {
            self.complain("hint: ", hint);
        }
    }

    fn complain(&self, prefix: &str, text: &str) {
        let _ = writeln!(std::io::stderr(), "{prefix}{}", escape(text));
    }
}

//! Prints data to standard output, and notes, warnings, hints and errors to standard error.

use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use crate::settings::options::GlobalOptions;
use crate::terminal::escape::{escape, escape_json};

/// Prints. Text that may come from a stranger is escaped here, whoever hands it over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    json: bool,
    quiet: bool,
    verbose: bool,
}

impl Printer {
    pub(crate) fn new(global: &GlobalOptions) -> Self {
        Self {
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose,
        }
    }

    /// True if data is wanted as JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.json
    }

    /// True if more is wanted than most people need.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// True if a person is watching and wants to see progress.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// Prints data for people.
    ///
    /// # Errors
    /// As [`Self::raw`].
    pub(crate) fn data(&self, text: &str) -> anyhow::Result<()> {
        self.raw(format!("{}\n", escape(text).trim_end_matches('\n')).as_bytes())
    }

    /// Prints a text whose every byte counts: as it is where a program reads it, escaped before
    /// a terminal.
    ///
    /// # Errors
    /// As [`Self::raw`].
    pub(crate) fn exactly(&self, text: &str) -> anyhow::Result<()> {
        match io::stdout().is_terminal() {
            true => self.data(text),
            false => self.raw(text.as_bytes()),
        }
    }

    /// Prints what somebody wrote, with a line break at its end: as it is where a program reads it,
    /// escaped before a terminal.
    ///
    /// # Errors
    /// As [`Self::raw`].
    pub(crate) fn text(&self, text: &str) -> anyhow::Result<()> {
        self.exactly(&format!("{}\n", text.trim_end_matches('\n')))
    }

    /// Prints data for programs, with what could steer a terminal escaped as JSON escapes it.
    ///
    /// # Errors
    /// As [`Self::raw`].
    pub(crate) fn json<T: Serialize>(&self, value: &T) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        self.raw(format!("{}\n", escape_json(&text)).as_bytes())
    }

    /// Prints bytes as they are; for files that the user asked for.
    ///
    /// # Errors
    /// [`OutputLost`] when standard output does not take all of them.
    pub(crate) fn raw(&self, bytes: &[u8]) -> anyhow::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout
            .write_all(bytes)
            .and_then(|()| stdout.flush())
            .map_err(OutputLost)?;
        Ok(())
    }

    /// Tells what is going on.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.print_to_stderr("", text);
        }
    }

    /// Shows what a question is about, to whoever is about to be asked it.
    pub(crate) fn before_a_question(&self, text: &str) {
        self.print_to_stderr("", text);
    }

    /// Tells of something that is not wrong but should be known.
    pub(crate) fn warning(&self, text: &str) {
        self.print_to_stderr("warning: ", text);
    }

    /// Tells what to do next.
    pub(crate) fn hint(&self, text: &str) {
        if !self.quiet {
            self.print_to_stderr("hint: ", text);
        }
    }

    /// Tells what failed, why, and what to do about it.
    pub(crate) fn error(&self, error: &anyhow::Error, hints: &[String]) {
        self.print_to_stderr("error: ", &error.to_string());
        let mut said = error.to_string();
        for cause in error.chain().skip(1) {
            let cause = cause.to_string();
            // Some libraries repeat the cause in their own text.
            if !said.contains(&cause) {
                self.print_to_stderr("caused by: ", &cause);
            }
            said = cause;
        }
        for hint in hints {
            self.print_to_stderr("hint: ", hint);
        }
    }

    fn print_to_stderr(&self, prefix: &str, text: &str) {
        let _ = writeln!(std::io::stderr(), "{prefix}{}", escape(text));
    }
}

/// Prints an error of the command line itself. It repeats what was typed, and names of tools are
/// often copied from pages of strangers.
pub(crate) fn usage_error(text: &str) {
    let _ = write!(io::stderr(), "{}", escape(text));
}

/// Data that standard output did not take.
#[derive(Debug)]
pub(crate) struct OutputLost(io::Error);

impl OutputLost {
    /// True if the reader closed the pipe: it has read enough, and nobody is left to tell.
    pub(crate) fn nobody_reads(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

impl fmt::Display for OutputLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("standard output cannot be written")
    }
}

impl std::error::Error for OutputLost {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

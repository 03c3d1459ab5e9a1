//! `tool completions`: prints a completion script for a shell.

use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::terminal::printer::Printer;

/// Arguments of `tool completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to write for
    shell: Shell,
}

impl Completions {
    /// Writes the script for `tool`, which has all commands.
    pub(crate) fn execute(&self, mut tool: Command, printer: &Printer) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut tool, "tool", &mut script);
        printer.raw(&script)?;
        Ok(ExitCode::SUCCESS)
    }
}

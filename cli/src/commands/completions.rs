//! `tool completions`: a completion script for a shell.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::args::Cli;
use crate::printer::Printer;

/// Arguments of `tool completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to write for
    shell: Shell,
}

impl Completions {
    pub(crate) fn execute(&self, printer: &Printer) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "tool", &mut script);
        printer.raw(&script)?;
        Ok(ExitCode::SUCCESS)
    }
}

//! `tool approvals`: requires signatures on approvals, or stops requiring them.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::approvals::{self, Signer};
use crate::config::Config;
use crate::printer::Printer;

/// Arguments of `tool approvals`.
#[derive(Debug, Args)]
pub(crate) struct Approvals {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// From here on have every approval signed by one of these SSH keys
    Require {
        /// The file of a public key: ed25519, ecdsa with 256 bits, or the same of a security key
        #[arg(required = true, value_name = "KEY.pub")]
        keys: Vec<PathBuf>,
    },
    /// Take that back, with a signature of one of the keys
    Release,
}

impl Approvals {
    pub(crate) fn execute(&self, config: &Config, printer: &Printer) -> anyhow::Result<ExitCode> {
        match &self.command {
            Command::Require { keys } => {
                let signers = keys.iter().map(|key| Signer::in_file(&config.place(key)));
                let signers = signers.collect::<anyhow::Result<Vec<_>>>()?;
                approvals::Approvals::require(config, &signers)?;
                let keys: Vec<String> = signers.iter().map(Signer::fingerprint).collect();
                printer.note(&format!(
                    "approvals count only signed by {}",
                    keys.join(" or ")
                ));
                printer.hint("load your tools again: what was approved before is not signed");
                printer.hint(&format!(
                    "whoever can write {} can take this line out again; see docs/reference.md for the machine's own file",
                    approvals::Approvals::file(config).display()
                ));
            }
            Command::Release => {
                approvals::Approvals::release(config)?;
                printer.note("approvals need no signature any more");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

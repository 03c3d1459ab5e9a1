//! `tool approvals`: requires that an SSH key signs each approval of a tool, or stops requiring it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use tool_hub_toolbox::Error;
use tool_hub_toolbox::approvals::{self, signature::Signer};

use crate::consent::signing;
use crate::session::Session;

/// Arguments of `tool approvals`.
#[derive(Debug, Args)]
pub(crate) struct Approvals {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Require a signature by one of these SSH keys on every approval
    Require {
        /// A public key file: Ed25519 or ECDSA P-256, also of a security key
        #[arg(required = true, value_name = "KEY.pub")]
        keys: Vec<PathBuf>,
    },
    /// Stop requiring signatures, which one of the keys has to sign
    Release,
}

impl Approvals {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        match &self.command {
            Command::Require { keys } => {
                let signers = keys
                    .iter()
                    .map(|key| Signer::in_file(&config.settings.place(key)));
                let signers = signers.collect::<Result<Vec<_>, Error>>()?;
                approvals::Approvals::require(&config.settings, &signers)?;
                let keys: Vec<String> = signers.iter().map(Signer::fingerprint).collect();
                printer.note(&format!(
                    "approvals now need a signature by {}",
                    keys.join(" or ")
                ));
                printer.hint("load your tools again: earlier approvals have no signature");
                printer.hint(&format!(
                    "anyone who can write {} can remove the requirement; for one of the whole machine, see docs/reference.md",
                    approvals::Approvals::file(&config.settings).display()
                ));
            }
            Command::Release => {
                let settings = &config.settings;
                let approvals = approvals::Approvals::read(settings)?;
                let required = approvals.releasable()?;
                let what = "signatures on approvals are no longer required";
                let signature = signing::sign(required, &required.release(), what, settings)?;
                approvals::Approvals::release(settings, &signature)?;
                printer.note("signatures on approvals are no longer required");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

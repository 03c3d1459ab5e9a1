//! `tool registry backup` and `restore`: writes a copy of a whole registry to a directory, and
//! makes a registry from one.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_registry_server::{Registry, RegistryConfig};
use tool_hub_toolbox::byte_size::ByteSize;

use crate::session::Session;

/// Arguments of `tool registry backup`.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The directory to make, which must not exist yet
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Arguments of `tool registry restore`.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// A directory that `backup` made
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

impl Backup {
    pub(super) async fn execute(
        &self,
        registry: Registry,
        session: &Session,
    ) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let directory = config.settings.place(&self.directory);
        let made = registry.backup(&directory).await?;
        registry.close().await;
        if printer.wants_json() {
            printer.json(&json!({
                "directory": directory,
                "rows": made.rows,
                "objects": made.objects,
                "bytes": made.bytes,
            }))?;
        } else {
            printer.data(&format!(
                "{}: {} rows, {} objects with {}",
                directory.display(),
                made.rows,
                made.objects,
                ByteSize(made.bytes)
            ))?;
            printer.note(
                "it holds private repos and the hashes of tokens: keep it as safe as the registry",
            );
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Restore {
    pub(super) async fn execute(
        &self,
        settings: RegistryConfig,
        session: &Session,
    ) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let directory = config.settings.place(&self.directory);
        let done = Registry::restore(&directory, settings).await?;
        if printer.wants_json() {
            printer.json(&json!({
                "made": done.made,
                "rows": done.rows,
                "objects": done.objects,
            }))?;
        } else {
            printer.data(&format!(
                "restored what was there on {}: {} rows, {} objects",
                done.made, done.rows, done.objects
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

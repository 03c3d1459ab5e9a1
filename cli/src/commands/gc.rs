//! `tool gc`: deletes packages and compiled code that neither this toolbox nor the user's needs.
//! Other toolboxes keep what they need if `--keep` names them.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tool_hub_manifest::{Digest, Pin};
use tool_hub_toolbox::byte_size::ByteSize;
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use crate::servers::unused;
use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::toolbox::sandbox;

/// The age below which nothing is removed: it may be on its way to an approval.
const SPARED: Duration = Duration::from_secs(3600);

/// Arguments of `tool gc`.
#[derive(Debug, Args)]
#[command(
    after_help = "What was pulled within the last hour stays: it may be on its way to an approval."
)]
pub(crate) struct Gc {
    /// Directories of further toolboxes whose tools must stay; this one's and the user's
    /// always do
    #[arg(long, value_name = "DIR")]
    keep: Vec<PathBuf>,
}

impl Gc {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let mut toolboxes = vec![
            OpenToolbox::open(&config.settings)?,
            OpenToolbox::open_in(config.settings.user.clone(), &config.settings)?,
        ];
        for directory in &self.keep {
            toolboxes.push(OpenToolbox::open_in(
                config.settings.working.join(directory),
                &config.settings,
            )?);
        }
        let keep: Vec<Pin> = toolboxes.iter().flat_map(OpenToolbox::pins).collect();
        let store = config.settings.open_store()?;
        let freed = store.gc(&keep, SPARED)?;
        let code: Vec<Digest> = keep.iter().map(|pin| store.code_digest(pin)).collect();
        let servers: Vec<Pin> = toolboxes
            .iter()
            .flat_map(OpenToolbox::server_pins)
            .collect();
        let servers = unused::remove_unused(&servers, SPARED, &store, &config.settings)?;
        let compiled = sandbox::open_host(config)?.trim_cache(&code)?;
        if printer.wants_json() {
            printer.json(&json!({
                "store": { "files": freed.files, "bytes": freed.bytes },
                "servers": servers,
                "compiled": { "files": compiled.files, "bytes": compiled.bytes },
            }))?;
        } else {
            let files = |count| counted(usize::try_from(count).unwrap_or(usize::MAX), "file");
            printer.note(&format!(
                "freed {} of packages ({}) and {} of compiled code ({}); what was pulled within the last hour stays",
                ByteSize(freed.bytes),
                files(freed.files),
                ByteSize(compiled.bytes),
                files(compiled.files),
            ));
            if servers > 0 {
                let what = counted(servers, "installation");
                printer.note(&format!("removed {what} of MCP servers"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

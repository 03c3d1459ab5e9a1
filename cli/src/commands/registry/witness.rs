//! `tool registry witness`: the witnesses that cosign the checkpoints of the registry's log.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use time::format_description::well_known::Rfc3339;
use tool_hub_registry_server::{Registry, WitnessKey, WitnessSummary};
use url::Url;

use crate::terminal::printer::Printer;
use crate::terminal::table::table;

/// Arguments of `tool registry witness`.
#[derive(Debug, Args)]
pub(crate) struct Witness {
    #[command(subcommand)]
    command: WitnessCommand,
}

#[derive(Debug, Subcommand)]
enum WitnessCommand {
    /// Have a witness asked to cosign each checkpoint; it has to know the key at /api/log/key
    Add(Box<Add>),
    /// List the witnesses, what they cosigned, and why one did not
    List,
    /// Ask a witness no more, and serve its signature no more
    Remove {
        /// The name in its key
        name: String,
    },
}

#[derive(Debug, Args)]
struct Add {
    /// The witness's public key, as name+number+key
    key: WitnessKey,
    /// The URL to which /add-checkpoint is added
    url: Url,
}

impl Witness {
    pub(super) async fn execute(
        &self,
        registry: Registry,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        match &self.command {
            WitnessCommand::Add(add) => {
                let Add { key, url } = &**add;
                registry.add_witness(key, url).await?;
                printer.note(&format!(
                    "{} is asked at {url} while the registry is served",
                    key.name()
                ));
            }
            WitnessCommand::List => list(registry.list_witnesses().await?, printer)?,
            WitnessCommand::Remove { name } => {
                registry.remove_witness(name).await?;
                printer.note(&format!("{name} is not asked any more"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(witnesses: Vec<WitnessSummary>, printer: &Printer) -> anyhow::Result<()> {
    let time = |it: &WitnessSummary| it.cosigned.map(|at| at.format(&Rfc3339)).transpose();
    if printer.wants_json() {
        let witnesses = witnesses.iter().map(|it| {
            anyhow::Ok(json!({
                "name": it.name,
                "key": it.key,
                "url": it.url,
                "records": it.records,
                "cosigned": time(it)?,
                "fault": it.fault,
            }))
        });
        let witnesses = witnesses.collect::<anyhow::Result<Vec<_>>>()?;
        return printer.json(&json!({ "witnesses": witnesses }));
    }
    let mut rows = Vec::new();
    for it in witnesses {
        let cosigned = time(&it)?.unwrap_or_else(|| "never".to_owned());
        let state = match (it.fault, it.cosigned) {
            (Some(fault), _) => fault,
            (None, Some(_)) => "ok".to_owned(),
            (None, None) => "not asked yet".to_owned(),
        };
        rows.push([it.name, it.url, it.records.to_string(), cosigned, state]);
    }
    printer.data(&table(
        ["NAME", "URL", "RECORDS", "COSIGNED", "STATE"],
        rows,
    ))
}

//! `tool verify`: hashes everything again and holds it against the lock.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::printer::Printer;
use crate::report::table;
use crate::toolbox::{Member, OpenToolbox};

/// Arguments of `tool verify`.
#[derive(Debug, Args)]
pub(crate) struct Verify {}

impl Verify {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let toolbox = OpenToolbox::open(config)?;
        let store = config.open_store()?;
        let checked: Vec<(Member<'_>, Option<String>)> = toolbox
            .members()?
            .into_iter()
            .map(|member| {
                (
                    member,
                    store
                        .get(&member.locked.pin())
                        .err()
                        .map(|error| error.to_string()),
                )
            })
            .collect();
        if printer.wants_json() {
            let tools: Vec<_> = checked
                .iter()
                .map(|(member, fault)| {
                    json!({
                        "name": member.key,
                        "digest": member.locked.approval.digest,
                        "fault": fault,
                    })
                })
                .collect();
            printer.json(&json!({ "tools": tools }))?;
        } else if checked.is_empty() {
            printer.note("the toolbox is empty: nothing to verify");
        } else {
            let rows = checked
                .iter()
                .map(|(member, fault)| {
                    let state = fault.clone().unwrap_or_else(|| "ok".to_owned());
                    [
                        member.key.to_string(),
                        member.locked.version.to_string(),
                        state,
                    ]
                })
                .collect();
            printer.data(&table(["NAME", "VERSION", "STATE"], rows))?;
        }
        let faulty: Vec<&str> = checked
            .iter()
            .filter(|(_, fault)| fault.is_some())
            .map(|(member, _)| member.key.as_str())
            .collect();
        if faulty.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        Err(
            Problem::refused(format!("{} cannot be trusted as it is", faulty.join(", ")))
                .hint("load it again: what is missing or damaged is pulled anew and verified")
                .into(),
        )
    }
}

//! `tool list`: the toolbox, from what was recorded at approval; nothing is loaded.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_manifest::{Grants, Source};

use crate::config::Config;
use crate::printer::Printer;
use crate::report::table;
use crate::toolbox::{Member, OpenToolbox};

/// Arguments of `tool list`.
#[derive(Debug, Args)]
pub(crate) struct List {}

impl List {
    pub(crate) fn execute(&self, config: &Config, printer: &Printer) -> anyhow::Result<ExitCode> {
        let toolbox = OpenToolbox::open(config)?;
        let members = toolbox.members()?;
        if printer.wants_json() {
            let tools: Vec<_> = members.iter().map(as_json).collect();
            printer.json(&json!({ "toolbox": toolbox.path(), "tools": tools }))?;
        } else if members.is_empty() {
            printer.note("the toolbox is empty");
            printer.hint("load a tool with: tool load owner/name");
        } else {
            let rows = members.iter().map(as_row).collect();
            printer.data(&table(
                ["NAME", "VERSION", "FROM", "FUNCTIONS", "MAY"],
                rows,
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn as_json(member: &Member<'_>) -> serde_json::Value {
    json!({
        "name": member.key,
        "version": member.locked.version,
        "source": member.locked.source,
        "digest": member.locked.approval.digest,
        "functions": member.locked.functions.keys().collect::<Vec<_>>(),
        "grants": member.grants(),
        "approval": member.locked.approval,
    })
}

fn as_row(member: &Member<'_>) -> [String; 5] {
    let from = match &member.locked.source {
        Source::Registry { repo, .. } => repo.to_string(),
        Source::File { path } => path.display().to_string(),
    };
    let functions: Vec<&str> = member
        .locked
        .functions
        .keys()
        .map(|name| name.as_str())
        .collect();
    [
        member.key.to_string(),
        member.locked.version.to_string(),
        from,
        functions.join(" "),
        summary(&member.grants()),
    ]
}

/// Grants in a few words: `compute` where nothing was granted.
fn summary(grants: &Grants) -> String {
    let mut words = Vec::new();
    words.extend(grants.network.iter().map(ToString::to_string));
    words.extend(
        grants
            .directories
            .iter()
            .map(|(name, grant)| format!("{} {name}", grant.access)),
    );
    words.extend(grants.variables.iter().map(|name| format!("${name}")));
    if words.is_empty() {
        "compute".to_owned()
    } else {
        words.join(", ")
    }
}

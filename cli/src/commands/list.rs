//! `tool list`: lists the toolbox's tools from the records of their approval, without loading.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_manifest::VersionReq;
use tool_hub_toolbox::Error;
use tool_hub_toolbox::open_toolbox::tool_status::{ToolStatus, dotted, origin};
use tool_hub_toolbox::open_toolbox::{Member, OpenToolbox};
use tool_hub_toolbox::signing_keys::SigningKeys;

use crate::commands::grant::rights_in_words::summary;
use crate::consent::authorship_json::signer_of;
use crate::session::Session;
use crate::terminal::phrases::overridden;
use crate::terminal::table::table;

/// Arguments of `tool list`.
#[derive(Debug, Args)]
pub(crate) struct List {}

impl List {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let toolbox = OpenToolbox::open(&config.settings)?;
        let statuses = toolbox.statuses();
        if printer.wants_json() {
            let keys = SigningKeys::read(&config.settings)?;
            let tools: Vec<_> = statuses
                .iter()
                .map(|it| as_json(it, &toolbox, &keys))
                .collect();
            printer.json(&json!({ "toolbox": toolbox.path(), "tools": tools }))?;
        } else if statuses.is_empty() {
            printer.note("the toolbox is empty");
            printer.hint("load a tool with: tool load owner/name");
        } else {
            let rows = statuses.iter().flat_map(as_rows).collect();
            printer.data(&table(
                ["NAME", "VERSION", "FROM", "FUNCTIONS", "MAY"],
                rows,
            ))?;
            for ToolStatus { key, entry, member } in &statuses {
                if let Ok(member) = member {
                    toolbox.notice_yanks(*member, printer);
                    toolbox.notice_advisories(*member, printer);
                }
                if let Some(what) = overridden(&entry.overrides()) {
                    let state = match member {
                        Ok(_) => "as you approved",
                        Err(_) => "which you have not approved",
                    };
                    printer.note(&format!("{key}: {what}, {state}"));
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn as_json(
    status: &ToolStatus<'_>,
    toolbox: &OpenToolbox,
    keys: &SigningKeys,
) -> serde_json::Value {
    let member = match &status.member {
        Ok(member) => member,
        Err(unusable) => {
            return json!({
                "name": status.key,
                "from": origin(status.key, status.entry),
                "overrides": status.entry.overrides(),
                "unusable": unusable.to_string(),
            });
        }
    };
    let mut tool = json!({
        "name": member.key,
        "version": member.locked.version,
        "source": member.locked.source,
        "digest": member.locked.approval.digest,
        "signer": signer_of(*member, keys),
        "attested_by": member.locked.attested_by,
        "functions": member.locked.functions.keys().collect::<Vec<_>>(),
        "overrides": member.locked.overrides,
        "grants": member.grants(),
        "calls_functions": member.locked.calls_functions,
        "approval": member.locked.approval,
    });
    if let Some(yank) = member.yank {
        tool["yanked"] = json!(yank);
    }
    if let Some(wanted) = unmet(member) {
        tool["wanted"] = json!(wanted);
    }
    let tree = member.locked.tree().into_iter().skip(1);
    let dependencies = tree.map(|(path, locked)| {
        json!({
            "name": dotted(member.key, &path),
            "version": locked.version,
            "source": locked.source,
            "signer": locked.signer,
            "grants": locked.grants,
            "calls_functions": locked.calls_functions,
            "yanked": toolbox.origin_subject(locked).yank,
        })
    });
    tool["dependencies"] = dependencies.collect();
    tool
}

/// The row of a tool, and of each that it depends on, which has rights of its own.
fn as_rows(status: &ToolStatus<'_>) -> Vec<[String; 5]> {
    let mut rows = vec![as_row(status)];
    if let Ok(member) = &status.member {
        let tree = member.locked.tree().into_iter().skip(1);
        rows.extend(tree.map(|(path, locked)| {
            [
                dotted(member.key, &path),
                locked.version.to_string(),
                locked.source.short_name(),
                "-".to_owned(),
                summary(&locked.grants, locked),
            ]
        }));
    }
    rows
}

fn as_row(status: &ToolStatus<'_>) -> [String; 5] {
    let key = status.key.to_string();
    let from = origin(status.key, status.entry);
    let member = match &status.member {
        Ok(member) => member,
        Err(unusable) => return [key, "-".into(), from, "-".into(), state(unusable).into()],
    };
    let functions: Vec<&str> = member
        .locked
        .functions
        .keys()
        .map(|name| name.as_str())
        .collect();
    let version = match unmet(member) {
        Some(wanted) => format!("{}, not {wanted}", member.locked.version),
        None => member.locked.version.to_string(),
    };
    let may = summary(&member.grants(), member.locked);
    [key, version, from, functions.join(" "), may]
}

/// The reason why a tool cannot be used, in two or three words.
fn state(unusable: &Error) -> &'static str {
    match unusable {
        Error::NotSigned { .. } => "not signed",
        Error::Malicious(_) => "yanked as malicious",
        Error::Advised(_) => "refused by an advisory",
        Error::Policy(_) => "refused by a policy",
        Error::TextsChanged { .. } => "changed since approval",
        Error::UnknownFunction { .. } => "wrong function",
        _ => "not approved",
    }
}

/// The version that the toolbox asks for, where another one was approved.
fn unmet<'a>(member: &Member<'a>) -> Option<&'a VersionReq> {
    let wanted = member.entry.version.as_ref()?;
    (!wanted.matches(&member.locked.version)).then_some(wanted)
}

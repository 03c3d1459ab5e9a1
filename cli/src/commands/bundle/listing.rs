//! Lists the tools of a bundle, each with what was checked of it.

use std::path::Path;

use serde_json::{Value, json};
use tool_hub_toolbox::bundle::checking::Bundle;
use tool_hub_toolbox::bundle::index::BundledTool;
use tool_hub_toolbox::fetch_options::FetchOptions;
use tool_hub_toolbox::fetched::Fetched;

use crate::consent::authorship_json::{attestations_json, signer_json};
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::table::table;

/// A tool of a bundle after its check.
pub(crate) struct CheckedTool {
    pub(crate) tool: BundledTool,
    /// The tool, or its fault.
    pub(crate) fetched: anyhow::Result<Fetched>,
}

/// Checks the tools of the bundle at `path` that are called `names`, or all of them.
pub(crate) fn checked(
    path: &Path,
    names: &[String],
    options: &FetchOptions,
    session: &Session,
) -> anyhow::Result<Vec<CheckedTool>> {
    let mut bundle = Bundle::open(path)?;
    let chosen = bundle.chosen(names)?.into_iter();
    let check = |tool: BundledTool| CheckedTool {
        fetched: bundle
            .check(&tool, options, &session.config.settings, &session.printer)
            .map_err(anyhow::Error::from),
        tool,
    };
    Ok(chosen.map(check).collect())
}

/// Prints them as a table, or for programs.
pub(crate) fn print(path: &Path, checked: &[CheckedTool], printer: &Printer) -> anyhow::Result<()> {
    if printer.wants_json() {
        let tools: Vec<Value> = checked.iter().map(CheckedTool::json).collect();
        return printer.json(&json!({ "path": path, "tools": tools }));
    }
    let rows = checked.iter().map(|it| {
        let tool = &it.tool;
        [
            tool.repo.to_string(),
            tool.version.to_string(),
            tool.registry.to_string(),
            it.state(),
        ]
    });
    let heads = ["TOOL", "VERSION", "REGISTRY", "STATE"];
    printer.data(&table(heads, rows.collect()))?;
    for it in checked {
        for doubt in it.doubts() {
            printer.warning(&format!("{}: {doubt}", it.tool.repo));
        }
    }
    Ok(())
}

impl CheckedTool {
    /// Takes its fault, if it has one.
    pub(crate) fn fault(&mut self) -> Option<anyhow::Error> {
        let fetched = self.fetched.as_mut().err()?;
        Some(std::mem::replace(fetched, anyhow::anyhow!("told already")))
    }

    fn doubts(&self) -> Vec<String> {
        let bundle = self.fetched.as_ref().ok().and_then(|it| it.bundle.as_ref());
        let doubts = bundle.map(|bundle| bundle.doubts.iter().map(ToString::to_string));
        doubts.into_iter().flatten().collect()
    }

    fn state(&self) -> String {
        match &self.fetched {
            Err(error) => format!("{error:#}")
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
            Ok(fetched) => {
                let is_proved = fetched.bundle.as_ref().is_some_and(|it| it.is_proved);
                let logged = fetched.logged.as_ref().map(|entry| match is_proved {
                    true => format!(", record {} of the log", entry.index),
                    false => ", in a log that was not seen here".to_owned(),
                });
                let logged = logged.unwrap_or_else(|| ", in no log".to_owned());
                let attested = fetched.attestations.verified().iter();
                let attested: String = attested.map(|it| format!(", {}", it.in_words())).collect();
                format!("ok, {}{attested}{logged}", fetched.signature.in_words())
            }
        }
    }

    fn json(&self) -> Value {
        let mut json = tool_json(&self.tool);
        let fetched = self.fetched.as_ref();
        json["signer"] = fetched.map_or(Value::Null, |it| signer_json(&it.signature));
        json["attestations"] =
            fetched.map_or(Value::Null, |it| attestations_json(&it.attestations));
        json["digest"] = fetched.map_or(Value::Null, |it| json!(it.verified.pin().digest()));
        json["logged"] = fetched.map_or(Value::Null, |it| json!(it.logged));
        json["doubts"] = json!(self.doubts());
        json["fault"] = json!(
            self.fetched
                .as_ref()
                .err()
                .map(|error| format!("{error:#}"))
        );
        json
    }
}

/// The version, as a bundle's index has it.
pub(crate) fn tool_json(tool: &BundledTool) -> Value {
    json!({
        "registry": tool.registry,
        "repo": tool.repo,
        "version": tool.version,
        "commit": tool.commit,
        "signer": tool.signer,
    })
}

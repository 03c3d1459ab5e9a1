//! `tool inspect`: what a tool claims next to what its bytes really import and export.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::config::Config;
use crate::package::{Fetched, FetchedFrom, Subject};
use crate::printer::Printer;
use crate::report;

/// Arguments of `tool inspect`.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// owner/name, owner/name@version, or a path to a component, package or project
    tool: Subject,
}

impl Inspect {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let fetched = self.tool.fetch(&config.endpoint, config, printer).await?;
        let inspection = tool_hub_host::inspect(&fetched.verified)?;
        if printer.wants_json() {
            printer.json(&json!({ "origin": origin(&fetched), "inspection": inspection }))?;
        } else {
            printer.data(&report::inspection(&fetched.origin.source(), &inspection))?;
            if inspection.refusals.is_empty() {
                printer.hint(&format!(
                    "load it with: tool load {} --approve {}",
                    report::subject(&fetched),
                    inspection.approval_digest
                ));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn origin(fetched: &Fetched) -> serde_json::Value {
    match &fetched.origin {
        FetchedFrom::Registry {
            endpoint, resolved, ..
        } => json!({
            "endpoint": endpoint,
            "repo": resolved.repo,
            "commit": resolved.commit,
            "version": resolved.version,
        }),
        FetchedFrom::File { path } => json!({ "path": path }),
        FetchedFrom::Approved(source) => json!(source),
    }
}

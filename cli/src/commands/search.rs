//! `tool search`: finds tools on a registry.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::config::Config;
use crate::printer::Printer;
use crate::report::table;

/// Arguments of `tool search`.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words to look for [default: everything that is a tool]
    words: Vec<String>,

    /// How many results at most
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
}

impl Search {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let client = config.client(&config.endpoint, printer)?;
        let found = client.search(&self.words.join(" "), self.limit).await?;
        if printer.wants_json() {
            let tools: Vec<_> = found
                .iter()
                .map(|found| {
                    json!({
                        "repo": found.repo,
                        "description": found.description,
                        "downloads": found.downloads,
                        "likes": found.likes,
                        "last_modified": found.last_modified,
                        "tags": found.tags,
                    })
                })
                .collect();
            printer.json(&json!({ "endpoint": config.endpoint, "tools": tools }))?;
        } else if found.is_empty() {
            printer.note(&format!("no tool on {} fits", config.endpoint));
        } else {
            let rows = found
                .iter()
                .map(|found| {
                    let changed = found.last_modified.as_deref().unwrap_or_default();
                    [
                        found.repo.to_string(),
                        found.downloads.to_string(),
                        changed.get(..10).unwrap_or(changed).to_owned(),
                        found.description.clone().unwrap_or_default(),
                    ]
                })
                .collect();
            printer.data(&table(
                ["REPO", "DOWNLOADS", "CHANGED", "DESCRIPTION"],
                rows,
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

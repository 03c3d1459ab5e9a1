//! `tool search`: searches a registry for tools and prints the results.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use tool_hub_registry_client::{SEARCH_RESULTS_MAX, SearchResult, SearchResults, ToolSummary};

use crate::session::Session;
use crate::terminal::table::{Column, Cut, fitted, width};

/// Arguments of `tool search`.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words to look for, all of them [default: everything that is a tool]
    words: Vec<String>,

    /// How many results at most, up to 1000
    #[arg(long, default_value_t = 20, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=SEARCH_RESULTS_MAX as i64))]
    limit: u16,
}

impl Search {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let client = config.settings.client(&config.settings.endpoint, printer)?;
        let words = self.words.join(" ");
        let results = client.search(&words, self.limit.into()).await?;
        if printer.wants_json() {
            let tools: Vec<Value> = results.found.iter().map(as_json).collect();
            let more = results.more;
            printer.json(
                &json!({ "endpoint": config.settings.endpoint, "tools": tools, "more": more }),
            )?;
            return Ok(ExitCode::SUCCESS);
        }
        if results.found.is_empty() {
            self.nothing_fits(session);
        } else {
            printer.data(&table(&results))?;
            self.what_next(&results, session);
        }
        Ok(ExitCode::SUCCESS)
    }

    fn nothing_fits(&self, session: &Session) {
        let Session { config, printer } = session;
        let words = self.words.join(" ");
        if words.trim().is_empty() {
            printer.note(&format!(
                "there are no tools on {}",
                config.settings.endpoint
            ));
            printer.hint("publish one with: tool new, tool build, tool push");
        } else {
            printer.note(&format!(
                "no tool on {} fits: {words}",
                config.settings.endpoint
            ));
            printer.hint("every word must fit; try fewer words or the beginning of one, or see all tools with: tool search");
        }
        if matches!(
            config.settings.token_for(&config.settings.endpoint),
            Ok(None)
        ) {
            printer.hint("private tools are found by those who may use them: tool login");
        }
        printer.hint("look on another registry with: --endpoint URL");
    }

    fn what_next(&self, results: &SearchResults, session: &Session) {
        if results.more {
            let larger = usize::from(self.limit).saturating_mul(5);
            let hint = if usize::from(self.limit) == SEARCH_RESULTS_MAX {
                "there are more; find them with more words".to_owned()
            } else {
                let larger = larger.min(SEARCH_RESULTS_MAX);
                format!("there are more; see them with more words, or with: --limit {larger}")
            };
            session.printer.hint(&hint);
        }
        if !results.knows_tools {
            session.printer.hint(&format!(
                "{} does not say versions and functions; see them with: tool inspect NAME",
                session.config.settings.endpoint
            ));
        }
    }
}

fn as_json(found: &SearchResult) -> Value {
    let tool = found.tool.as_ref();
    json!({
        "repo": found.repo,
        "description": found.description,
        "version": tool.map(|tool| &tool.version),
        "functions": tool.map(|tool| &tool.functions),
        "function_count": tool.map(|tool| tool.function_count),
        "downloads": found.downloads,
        "likes": found.likes,
        "last_modified": found.last_modified,
        "private": found.private,
        "tags": found.tags,
    })
}

const NAME: Column = column("NAME", Cut::Never);
const VERSION: Column = column("VERSION", Cut::Never);
const UPDATED: Column = column("UPDATED", Cut::Never);
const DOWNLOADS: Column = column("DOWNLOADS", Cut::Never);
const FUNCTIONS: Column = column("FUNCTIONS", Cut::WhereNeeded);
const DESCRIPTION: Column = column("DESCRIPTION", Cut::WhereNeeded);

const fn column(heading: &'static str, cut: Cut) -> Column {
    Column { heading, cut }
}

fn table(results: &SearchResults) -> String {
    let found = results.found.iter();
    if !results.knows_tools {
        let rows = found.map(|found| {
            let downloads = found.downloads.to_string();
            vec![name(found), description(found), downloads, updated(found)]
        });
        let columns = [NAME, DESCRIPTION, DOWNLOADS, UPDATED];
        return fitted(&columns, rows.collect(), width());
    }
    let rows = found.map(|found| {
        let tool = found.tool.as_ref();
        vec![
            name(found),
            tool.map(|tool| tool.version.clone()).unwrap_or_default(),
            description(found),
            tool.map(functions).unwrap_or_default(),
            updated(found),
        ]
    });
    let columns = [NAME, VERSION, DESCRIPTION, FUNCTIONS, UPDATED];
    fitted(&columns, rows.collect(), width())
}

fn name(found: &SearchResult) -> String {
    found.repo.to_string()
}

fn description(found: &SearchResult) -> String {
    found.description.clone().unwrap_or_default()
}

/// The day of an instant.
fn updated(found: &SearchResult) -> String {
    let instant = found.last_modified.as_deref().unwrap_or_default();
    instant.get(..10).unwrap_or(instant).to_owned()
}

/// `count, longest and 3 more`
fn functions(tool: &ToolSummary) -> String {
    let names = tool.functions.join(", ");
    match tool
        .function_count
        .saturating_sub(tool.functions.len() as u64)
    {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

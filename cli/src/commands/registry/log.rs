//! `tool registry log`: keeps the log of a registry that keeps none, as the Hub, in a data set.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_manifest::RepoId;
use tool_hub_registry_client::{Client, SEARCH_RESULTS_MAX};
use tool_hub_registry_server::RepositoryPattern;
use tool_hub_toolbox::log_writer::{LogReport, LogStart, LogWriter};

use super::no_data;
use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// Arguments of `tool registry log`.
#[derive(Debug, Args)]
#[command(args = no_data::hidden())]
pub(crate) struct Log {
    /// The data set that is the log, as owner/name
    dataset: RepoId,

    /// The repos to look at, as owner/name or 'owner/*'
    #[arg(value_name = "REPO", required_unless_present_any = ["all", "new"])]
    repos: Vec<RepositoryPattern>,

    /// Look at every tool that a search finds
    #[arg(long, conflicts_with = "repos")]
    all: bool,

    /// The file with the private key that signs the log
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    /// Begin the log, and make the data set and the key where they are missing
    #[arg(long)]
    new: bool,
}

impl Log {
    pub(super) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let settings = &config.settings;
        let client = settings.client_with(&settings.endpoint, None, printer)?;
        let repos = self.repos(&client).await?;
        let writer = LogWriter {
            dataset: self.dataset.clone(),
            key_file: settings.place(&self.key),
            start: match self.new {
                true => LogStart::New,
                false => LogStart::Continued,
            },
        };
        let report = writer.write(&repos, settings, printer).await?;
        self.say(&report, session)?;
        outcome(&report)
    }

    /// The repos that are meant.
    async fn repos(&self, client: &Client) -> anyhow::Result<Vec<RepoId>> {
        let mut repos = BTreeSet::new();
        if self.all {
            repos.extend(found(client, "").await?);
        }
        for pattern in &self.repos {
            let text = pattern.to_string();
            match text.strip_suffix("/*") {
                Some(owner) => {
                    let found = found(client, owner).await?.into_iter();
                    repos.extend(found.filter(|it| it.owner().eq_ignore_ascii_case(owner)));
                }
                None => {
                    repos.insert(text.parse()?);
                }
            }
        }
        Ok(repos.into_iter().collect())
    }

    fn say(&self, report: &LogReport, session: &Session) -> anyhow::Result<()> {
        let printer = &session.printer;
        warn(report, printer);
        if printer.wants_json() {
            return printer.json(&json!({
                "dataset": self.dataset,
                "key": report.key,
                "records": report.records,
                "new_records": report.new_records,
                "commit": report.commit,
                "refused": report.refused,
                "missing": report.missing,
            }));
        }
        let count =
            |number: u64, what| counted(usize::try_from(number).unwrap_or(usize::MAX), what);
        let signed = match (&report.commit, report.new_records) {
            (None, _) => "; nothing is new",
            (Some(_), 0) => "; signed anew",
            (Some(_), _) => "",
        };
        printer.data(&format!(
            "{}, {} of them new{signed}",
            count(report.records, "record"),
            report.new_records
        ))?;
        if self.new {
            printer.hint(&format!(
                "give this to users by another way than the registry, for config.toml:\n\
                 [logs.\"{}\"]\ndataset = \"{}\"\nkey = \"{}\"",
                session.config.settings.endpoint, self.dataset, report.key
            ));
            printer.hint("keep the key where nobody else reads it, and run this again each hour without --new");
        }
        Ok(())
    }
}

/// The tools that a search finds.
async fn found(client: &Client, query: &str) -> anyhow::Result<Vec<RepoId>> {
    let results = client.search(query, SEARCH_RESULTS_MAX).await?;
    if results.more {
        let what = format!("more than {SEARCH_RESULTS_MAX} tools were found");
        return Err(Problem::user(what)
            .hint("name repos, or owners as 'owner/*'")
            .into());
    }
    Ok(results.found.into_iter().map(|it| it.repo).collect())
}

fn warn(report: &LogReport, printer: &Printer) {
    for line in &report.missing {
        printer.warning(&format!("not looked at: {line}"));
    }
    for line in &report.refused {
        printer.warning(&format!("refused: {line}"));
    }
}

/// A repo that was not taken is an error after all else was committed, so that a job tells of it.
fn outcome(report: &LogReport) -> anyhow::Result<ExitCode> {
    match (report.refused.len(), report.missing.len()) {
        (0, 0) => Ok(ExitCode::SUCCESS),
        (0, missing) => Err(Problem::user(format!(
            "{} could not be looked at",
            counted(missing, "repo")
        ))
        .hint("all else was committed; name only repos that everybody can read")
        .into()),
        (refused, _) => Err(Problem::refused(format!(
            "{} contradicts its manifest or the log, and was not taken",
            counted(refused, "version")
        ))
        .hint("all else was committed; nobody who follows the log is given these versions")
        .into()),
    }
}

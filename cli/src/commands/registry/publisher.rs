//! `tool registry publisher`: the workflows that may publish to a repo, by the registry's API.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use tool_hub_manifest::RepoId;
use tool_hub_registry_client::{Client, NewPublisher, Publisher as Listed, VersionSource};
use tool_hub_registry_server::TrustedIssuer;

use super::no_data;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::table::table;

/// Arguments of `tool registry publisher`.
#[derive(Debug, Args)]
#[command(args = no_data::hidden())]
pub(crate) struct Publisher {
    #[command(subcommand)]
    command: PublisherCommand,
}

#[derive(Debug, Subcommand)]
enum PublisherCommand {
    /// Let a workflow publish to a repo, without a token of yours
    Add(Add),
    /// List the publishers of a repo, and what became of them
    List {
        /// The repo
        repo: RepoId,
    },
    /// Remove a publisher; its tokens are refused from now on
    Remove {
        /// The repo
        repo: RepoId,
        /// The publisher's id, as `list` shows it
        id: String,
    },
    /// Take versions of a repo from its publishers alone, and from no token, not even yours
    Only {
        /// The repo
        repo: RepoId,
        /// Take them from whoever may write again
        #[arg(long)]
        off: bool,
    },
}

#[derive(Debug, Args)]
struct Add {
    /// The repo
    repo: RepoId,

    /// The build service: github, gitlab, or the URL of another that the registry trusts
    #[arg(long, value_name = "ISSUER", default_value = "github")]
    issuer: String,

    /// The repository with the sources, as the build service names it
    #[arg(long, value_name = "OWNER/NAME")]
    repository: String,

    /// The file of the workflow: a name in .github/workflows, or a path on GitLab
    #[arg(long, value_name = "FILE")]
    workflow: String,

    /// The environment that the job has to have
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,

    /// The build service's number for the owner of that repository [default: that of the first job]
    #[arg(long, value_name = "NUMBER")]
    owner_id: Option<String>,
}

impl Publisher {
    pub(super) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let (settings, printer) = (&session.config.settings, &session.printer);
        let client = settings.writing_client(&settings.endpoint, printer)?;
        match &self.command {
            PublisherCommand::Add(add) => add.execute(&client, printer).await?,
            PublisherCommand::List { repo } => list(&client, repo, printer).await?,
            PublisherCommand::Remove { repo, id } => {
                client.remove_publisher(repo, id).await?;
                printer.note(&format!("removed {id}; its tokens are refused from now on"));
            }
            PublisherCommand::Only { repo, off } => {
                let (source, said) = match off {
                    true => (VersionSource::AnyWriter, "whoever may write"),
                    false => (VersionSource::Publishers, "its trusted publishers alone"),
                };
                client.take_versions_from(repo, source).await?;
                printer.note(&format!("versions of {repo} come from {said}"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Add {
    async fn execute(&self, client: &Client, printer: &Printer) -> anyhow::Result<()> {
        // A URL is the issuer's own; a word stands for the public one.
        let issuer = match self.issuer.parse::<TrustedIssuer>() {
            Ok(issuer) => issuer.to_string(),
            Err(_) => self.issuer.clone(),
        };
        let publisher = NewPublisher {
            issuer,
            repository: self.repository.clone(),
            workflow: self.workflow.clone(),
            environment: self.environment.clone(),
            owner_id: self.owner_id.clone(),
        };
        let added = client.add_publisher(&self.repo, &publisher).await?;
        if printer.wants_json() {
            return printer.json(&as_json(&added));
        }
        printer.note(&format!(
            "{} of {} may publish {} (publisher {})",
            added.workflow, added.repository, self.repo, added.id
        ));
        if added.owner_id.is_none() {
            printer.hint(
                "the first job says who owns that repository; to say it yourself, add --owner-id",
            );
        }
        Ok(())
    }
}

async fn list(client: &Client, repo: &RepoId, printer: &Printer) -> anyhow::Result<()> {
    let found = client.publishers(repo).await?;
    if printer.wants_json() {
        let publishers: Vec<_> = found.publishers.iter().map(as_json).collect();
        let events = found
            .events
            .iter()
            .map(|it| json!({ "at": it.at, "by": it.by, "event": it.event }));
        return printer.json(&json!({
            "repo": repo,
            "only": found.only,
            "publishers": publishers,
            "events": events.collect::<Vec<_>>(),
        }));
    }
    let heading = [
        "ID",
        "ISSUER",
        "REPOSITORY",
        "WORKFLOW",
        "ENVIRONMENT",
        "OWNER",
    ];
    let row = |it: Listed| {
        let environment = it.environment.unwrap_or_else(|| "any".to_owned());
        let owner = it.owner_id.unwrap_or_else(|| "of the first job".to_owned());
        [
            it.id,
            it.issuer,
            it.repository,
            it.workflow,
            environment,
            owner,
        ]
    };
    let rows = found.publishers.into_iter().map(row).collect();
    printer.data(&table(heading, rows))?;
    for it in &found.events {
        printer.data(&format!("{}  {} {}", it.at, it.by, it.event))?;
    }
    if found.only {
        printer.note(&format!("versions of {repo} come from these alone"));
    }
    Ok(())
}

fn as_json(publisher: &Listed) -> serde_json::Value {
    json!({
        "id": publisher.id,
        "issuer": publisher.issuer,
        "repository": publisher.repository,
        "workflow": publisher.workflow,
        "environment": publisher.environment,
        "owner_id": publisher.owner_id,
        "added_by": publisher.added_by,
        "added_at": publisher.added_at,
    })
}

//! `tool registry user`: adds and lists users, and sets their quotas.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use tool_hub_registry_server::Registry;

use super::quota::Quota;
use crate::terminal::printer::Printer;
use crate::terminal::table::table;

/// Arguments of `tool registry user`.
#[derive(Debug, Args)]
pub(crate) struct User {
    #[command(subcommand)]
    command: UserCommand,
}

#[derive(Debug, Subcommand)]
enum UserCommand {
    /// Add a user
    Add {
        /// The owner in owner/name; this name is never reassigned
        name: String,
        /// The address shown as the author of commits
        #[arg(long)]
        email: Option<String>,
    },
    /// List the users
    List,
    /// Show what a user keeps, or set what they may keep
    Quota(Quota),
}

impl User {
    /// True if a user is added.
    pub(super) fn adds(&self) -> bool {
        matches!(self.command, UserCommand::Add { .. })
    }

    pub(super) async fn execute(
        &self,
        registry: Registry,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        match &self.command {
            UserCommand::Add { name, email } => {
                registry.add_user(name, email.as_deref()).await?;
                printer.note(&format!("added user {name}"));
                printer.hint(&format!(
                    "give them a token with: tool registry token create {name}"
                ));
            }
            UserCommand::List => list(&registry, printer).await?,
            UserCommand::Quota(quota) => return quota.execute(&registry, printer).await,
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(registry: &Registry, printer: &Printer) -> anyhow::Result<()> {
    let users = registry.list_users().await?;
    if printer.wants_json() {
        let users: Vec<_> = users
            .iter()
            .map(|user| json!({ "name": user.name, "email": user.email }))
            .collect();
        return printer.json(&json!({ "users": users }));
    }
    if users.is_empty() {
        printer.note("there are no users");
        printer.hint("add one with: tool registry user add NAME");
        return Ok(());
    }
    let rows = users
        .into_iter()
        .map(|user| [user.name, user.email.unwrap_or_default()])
        .collect();
    printer.data(&table(["NAME", "EMAIL"], rows))?;
    Ok(())
}

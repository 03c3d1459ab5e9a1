//! `tool registry token`: makes, lists and revokes tokens.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use tool_hub_registry_server::{Registry, RepositoryPattern, TokenRole, TokenScope, TokenSummary};

use crate::terminal::printer::Printer;
use crate::terminal::table::table;

/// Arguments of `tool registry token`.
#[derive(Debug, Args)]
pub(crate) struct Token {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make a token for a user and print it, this one time
    Create {
        /// The user
        user: String,
        /// What to call the token
        #[arg(long, default_value = "token")]
        name: String,
        /// What the token allows
        #[arg(long, value_enum, default_value_t = Role::Write)]
        role: Role,
        /// A repo that the token is good for, or all of an owner's as `OWNER/*`; may be repeated
        /// [default: all that the user may use]
        #[arg(long = "repo", value_name = "OWNER/NAME")]
        repos: Vec<RepositoryPattern>,
        /// Days until the token is refused [default: never]
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..))]
        expires_days: Option<u16>,
    },
    /// List a user's tokens
    List {
        /// The user
        user: String,
    },
    /// Revoke a token
    Revoke {
        /// The token's id, as `list` shows it
        id: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Role {
    /// Download
    Read,
    /// Download and publish
    Write,
}

impl From<Role> for TokenRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Read => Self::Read,
            Role::Write => Self::Write,
        }
    }
}

impl Token {
    pub(super) async fn execute(
        &self,
        registry: Registry,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        match &self.command {
            TokenCommand::Create {
                user,
                name,
                role,
                repos,
                expires_days,
            } => {
                let expires = expires_days
                    .map(|days| OffsetDateTime::now_utc() + Duration::days(days.into()));
                let token = registry
                    .create_limited_token(user, name, (*role).into(), scope(repos), expires)
                    .await?;
                if printer.wants_json() {
                    printer
                        .json(&json!({ "id": token.summary.id, "token": token.secret.expose() }))?;
                } else {
                    printer.data(token.secret.expose())?;
                    printer.note("this is the only time that the token is shown");
                    printer.hint("keep it with: tool login --endpoint URL");
                }
            }
            TokenCommand::List { user } => {
                let tokens = registry.list_tokens(user).await?;
                if printer.wants_json() {
                    let tokens: Vec<_> = tokens.iter().map(as_json).collect();
                    printer.json(&json!({ "tokens": tokens }))?;
                } else {
                    let rows = tokens.iter().map(as_row).collect();
                    printer.data(&table(HEADING, rows))?;
                }
            }
            TokenCommand::Revoke { id } => {
                registry.revoke_token(id).await?;
                printer.note(&format!("revoked {id}"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The headings of a list of tokens.
const HEADING: [&str; 6] = ["ID", "NAME", "ROLE", "REPOS", "EXPIRES", "STATE"];

fn scope(repos: &[RepositoryPattern]) -> TokenScope {
    if repos.is_empty() {
        return TokenScope::All;
    }
    TokenScope::Only(repos.to_vec())
}

/// `repos` is `null` for a token that is good for all its user may use.
fn as_json(token: &TokenSummary) -> serde_json::Value {
    json!({
        "id": token.id,
        "name": token.name,
        "role": role(token),
        "repos": repos(token),
        "expires": token.expires.and_then(|expires| expires.format(&Rfc3339).ok()),
        "state": state(token),
    })
}

fn as_row(token: &TokenSummary) -> [String; 6] {
    let repos = match repos(token) {
        None => "all".to_owned(),
        Some(repos) if repos.is_empty() => "none".to_owned(),
        Some(repos) => repos.join(", "),
    };
    let expires = token.expires.map(|expires| expires.date().to_string());
    [
        token.id.clone(),
        token.name.clone(),
        role(token).to_owned(),
        repos,
        expires.unwrap_or_else(|| "never".to_owned()),
        state(token).to_owned(),
    ]
}

fn repos(token: &TokenSummary) -> Option<Vec<String>> {
    match &token.scope {
        TokenScope::All => None,
        TokenScope::Only(patterns) => Some(patterns.iter().map(ToString::to_string).collect()),
    }
}

fn role(token: &TokenSummary) -> &'static str {
    match token.role {
        TokenRole::Write => "write",
        _ => "read",
    }
}

fn state(token: &TokenSummary) -> &'static str {
    if token.revoked.is_some() {
        "revoked"
    } else if token
        .expires
        .is_some_and(|expires| expires <= OffsetDateTime::now_utc())
    {
        "expired"
    } else {
        "good"
    }
}

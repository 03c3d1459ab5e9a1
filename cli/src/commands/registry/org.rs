//! `tool registry org`: adds organisations and their members, and sets their quotas.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use tool_hub_registry_server::{MemberRole, Registry};

use super::quota::Quota;
use crate::terminal::printer::Printer;

/// Arguments of `tool registry org`.
#[derive(Debug, Args)]
pub(crate) struct Org {
    #[command(subcommand)]
    command: OrgCommand,
}

#[derive(Debug, Subcommand)]
enum OrgCommand {
    /// Add an organisation
    Add {
        /// The owner in owner/name; this name is never reassigned
        name: String,
    },
    /// Make a user a member, or change a member's role
    Member {
        /// The organisation
        organisation: String,
        /// The user
        user: String,
        /// What the member may do with the organisation's repos
        #[arg(long, value_enum, default_value_t = Role::Write)]
        role: Role,
    },
    /// Show what an organisation keeps, or set what it may keep
    Quota(Quota),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Role {
    /// See and download the private ones
    Read,
    /// Also create and commit
    Write,
    /// Also change settings, move and delete
    Admin,
}

impl From<Role> for MemberRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Read => Self::Read,
            Role::Write => Self::Write,
            Role::Admin => Self::Admin,
        }
    }
}

impl Org {
    /// True if an organisation is added.
    pub(super) fn adds(&self) -> bool {
        matches!(self.command, OrgCommand::Add { .. })
    }

    pub(super) async fn execute(
        &self,
        registry: Registry,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        match &self.command {
            OrgCommand::Add { name } => {
                registry.add_organisation(name).await?;
                printer.note(&format!("added organisation {name}"));
            }
            OrgCommand::Member {
                organisation,
                user,
                role,
            } => {
                registry
                    .add_member(organisation, user, (*role).into())
                    .await?;
                printer.note(&format!("{user} is a member of {organisation}"));
            }
            OrgCommand::Quota(quota) => return quota.execute(&registry, printer).await,
        }
        Ok(ExitCode::SUCCESS)
    }
}

//! `tool revoke`: takes rights away from a tool of the toolbox.
//! Nobody is asked: less is always allowed.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use tool_hub_manifest::{DirectoryName, Grants, LockedTool, Origin, VariableName};
use tool_hub_toolbox::Settings;
use tool_hub_toolbox::open_toolbox::{Member, OpenToolbox};

use crate::commands::grant::grant_place::GrantPlace;
use crate::commands::grant::rights_in_words::{summary, tell};
use crate::consent::signing;
use crate::session::Session;
use crate::terminal::problem::Problem;

/// Arguments of `tool revoke`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub(crate) struct Revoke {
    /// The toolbox's name for the tool, or the path to a tool that it depends on, such as
    /// forecast.units
    name: String,

    /// No more requests to this origin (repeatable)
    #[arg(
        long = "network",
        alias = "allow-network",
        value_name = "ORIGIN",
        group = "what"
    )]
    network: Vec<Origin>,

    /// This credential is sent no more; its value stays (repeatable)
    #[arg(
        long = "credential",
        alias = "allow-credential",
        value_name = "NAME",
        group = "what"
    )]
    credentials: Vec<VariableName>,

    /// No more use of this directory (repeatable)
    #[arg(long = "dir", alias = "allow-dir", value_name = "NAME", group = "what")]
    directories: Vec<DirectoryName>,

    /// No more reading of this variable (repeatable)
    #[arg(
        long = "var",
        aliases = ["allow-var", "allow-plain-var"],
        value_name = "NAME",
        group = "what"
    )]
    variables: Vec<VariableName>,

    /// No more storage; what the tool keeps there stays, for when it is granted again
    #[arg(long = "storage", alias = "allow-storage", group = "what")]
    storage: bool,

    /// Nothing but pure computation
    #[arg(long, group = "what")]
    all: bool,
}

impl Revoke {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let toolbox = OpenToolbox::open(&session.config.settings)?;
        let place = GrantPlace::of(&self.name, &toolbox)?;
        let grants = self.remaining(&place)?;
        let mut locked = place.member.locked.clone();
        if let Some(lowered) = locked.dependency_mut(&place.path) {
            lowered.grants = grants.clone();
        }
        lower(place.member, locked, &session.config.settings)?;
        tell(&place, &grants, &session.printer)
    }

    /// The grants that remain.
    fn remaining(&self, place: &GrantPlace<'_>) -> anyhow::Result<Grants> {
        if self.all {
            return Ok(Grants::none());
        }
        let mut grants = place.locked.grants.clone();
        let mut unknown = Vec::new();
        for origin in &self.network {
            if !grants.network.remove(origin) {
                unknown.push(format!("network {origin}"));
            }
        }
        for name in &self.credentials {
            if grants.credentials.remove(name).is_none() {
                unknown.push(format!("credential {name}"));
            }
        }
        for name in &self.directories {
            if grants.directories.remove(name).is_none() {
                unknown.push(format!("directory {name}"));
            }
        }
        for name in &self.variables {
            if !grants.remove_variable(name) {
                unknown.push(format!("variable {name}"));
            }
        }
        if self.storage && !std::mem::take(&mut grants.storage) {
            unknown.push("storage".to_owned());
        }
        // A user who mistyped a right would otherwise believe that it is gone.
        if unknown.is_empty() {
            return Ok(grants);
        }
        let may = summary(&place.locked.grants, place.locked);
        Err(Problem::user(format!(
            "`{}` was never granted {}; nothing was changed",
            place.name,
            unknown.join(", ")
        ))
        .hint(format!("it may {may}"))
        .into())
    }
}

/// Records `locked`, which allows less than the record of `member`, in its place. The approval of
/// that record is forgotten first: whoever brings the old lock back, from a checkout or a backup,
/// is asked again.
fn lower(member: Member<'_>, locked: LockedTool, settings: &Settings) -> anyhow::Result<()> {
    OpenToolbox::forget_approval(settings, member)?;
    let lowered = || -> anyhow::Result<()> {
        let signature = signing::signature_of(&locked, settings)?;
        let (key, entry) = (member.key, member.entry);
        Ok(OpenToolbox::insert(
            settings,
            key,
            entry,
            locked.clone(),
            signature,
        )?)
    };
    // The reduced rights take effect in any case: without an approval the tool does not run.
    lowered().with_context(|| format!("`{}` does not run until it is loaded again", member.key))
}

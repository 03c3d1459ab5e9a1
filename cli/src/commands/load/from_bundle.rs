//! Loads tools from a bundle: checks all that are chosen, and then asks for consent to each.

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use tool_hub_manifest::{LockedTool, ToolKey, Yank};
use tool_hub_toolbox::Error;
use tool_hub_toolbox::bundle::checking::Bundle;
use tool_hub_toolbox::fetch_options::FetchOptions;
use tool_hub_toolbox::fetched::{Fetched, FetchedFrom};
use tool_hub_toolbox::known_releases::KnownReleases;
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use tool_hub_toolbox::settings::Settings;
use tool_hub_toolbox::target;

use super::approving::{ConsentFlags, approve_and_load};
use super::loaded::Loaded;
use crate::consent::approval::ApprovalFlags;
use crate::consent::maker_flags::MakerFlags;
use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::terminal::problem::Problem;

/// The tools of a bundle that are to be loaded, and how.
pub(super) struct WantedTools<'a> {
    /// The bundle.
    pub(super) path: &'a Path,
    /// Its tools; all of them if none is named.
    pub(super) names: &'a [String],
    /// The name that agents will see, where it is not the tool's own.
    pub(super) key: Option<&'a ToolKey>,
    pub(super) options: FetchOptions,
    pub(super) makers: &'a MakerFlags,
    pub(super) approval: &'a ApprovalFlags,
}

/// Loads the tools that are `wanted`. Nothing is loaded unless all of them could be.
pub(super) async fn load(wanted: &WantedTools<'_>, session: &Session) -> anyhow::Result<ExitCode> {
    let Session { config, printer } = session;
    let mut bundle = Bundle::open(wanted.path)?;
    let chosen = bundle.chosen(wanted.names)?;
    let is_one = chosen.len() == 1;
    if !is_one && (wanted.key.is_some() || !wanted.approval.is_empty()) {
        let what = format!(
            "the flags are for one tool, and this is {}",
            counted(chosen.len(), "tool")
        );
        return Err(Problem::user(what)
            .hint(format!(
                "name the one: tool load {} NAME",
                wanted.path.display()
            ))
            .into());
    }
    let mut checked = Vec::new();
    for tool in &chosen {
        let fetched = bundle.check(tool, &wanted.options, &config.settings, printer)?;
        wanted.makers.check(&fetched)?;
        checked.push(fetched);
    }
    let mut loaded = Vec::new();
    for fetched in checked {
        let one = load_one(wanted, fetched, session).await?;
        if is_one || !printer.wants_json() {
            one.report(printer)?;
        }
        loaded.push(one);
    }
    if !is_one && printer.wants_json() {
        let tools: Vec<Value> = loaded.iter().map(Loaded::json).collect();
        printer.json(&json!({ "tools": tools }))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn load_one(
    wanted: &WantedTools<'_>,
    fetched: Fetched,
    session: &Session,
) -> anyhow::Result<Loaded> {
    let settings = &session.config.settings;
    let own = || ToolKey::from(&fetched.verified.manifest().name);
    let key = wanted.key.cloned().unwrap_or_else(own);
    let mut entry = target::entry(&fetched, &key, &OpenToolbox::open(settings)?);
    if let FetchedFrom::Registry { endpoint, .. } = &fetched.origin
        && *endpoint != settings.endpoint
    {
        // So that later versions come from where this one did.
        entry.endpoint = Some(endpoint.clone());
    }
    let consent = ConsentFlags {
        approval: wanted.approval,
        makers: wanted.makers,
        started_with: None,
    };
    let locked = approve_and_load(&key, &entry, &fetched, consent, session).await?;
    note_yanks(&fetched, &locked, settings)?;
    Ok(Loaded {
        key,
        locked,
        fetched,
    })
}

/// Remembers the yanks of what was taken nevertheless: of the tool, and of all that it depends on.
fn note_yanks(fetched: &Fetched, locked: &LockedTool, settings: &Settings) -> Result<(), Error> {
    if let Some(yank) = yank_of(fetched) {
        KnownReleases::note_bundled(settings, locked, yank)?;
    }
    for (name, dependency) in &fetched.dependencies {
        if let Some(locked) = locked.dependencies.get(name) {
            note_yanks(dependency, locked, settings)?;
        }
    }
    Ok(())
}

fn yank_of(fetched: &Fetched) -> Option<&Yank> {
    let FetchedFrom::Registry { resolved, .. } = &fetched.origin else {
        return None;
    };
    let version = &fetched.verified.manifest().version;
    resolved.releases.yanked.get(version)
}

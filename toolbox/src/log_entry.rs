//! Asks the log of its registry again for a tool of the toolbox, as `tool verify --log` does.

use tool_hub_manifest::{LockedTool, LogEntry};

use crate::error::Error;
use crate::known_releases::KnownReleases;
use crate::logged_version::LoggedVersion;
use crate::notices::Notices;
use crate::settings::Settings;

/// The entry of a tool in the log of its registry, after that was checked again. None for a tool
/// that is of no registry or of none with a log, or that was loaded from a branch. The yanks that
/// its repo says are remembered.
///
/// # Errors
/// [`Error::Log`] where the log contradicts itself, what was seen of it, what was approved, or what
/// the repo says of yanks; and if the registry cannot be asked.
pub async fn log_entry(
    locked: &LockedTool,
    settings: &Settings,
    notices: &dyn Notices,
) -> Result<Option<LogEntry>, Error> {
    let Some((endpoint, repo)) = locked.source.repo() else {
        return Ok(None);
    };
    let client = settings.client(endpoint, notices)?;
    let releases = client.releases(repo).await?;
    KnownReleases::note(settings, &client, repo, &releases).await?;
    let found = LoggedVersion::of_locked_with_records(locked, &client, &releases, settings);
    Ok(found.await?.map(|(entry, _)| entry))
}

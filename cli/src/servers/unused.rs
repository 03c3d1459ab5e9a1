//! Removes installed packages of MCP servers that no kept toolbox names.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tool_hub_manifest::{Pin, ServerDescription, ServerStart};
use tool_hub_registry_client::Store;
use tool_hub_toolbox::Settings;

/// Removes the directories of packages that none of the servers `keep` is made of and that are
/// older than `spared`. Returns their number.
///
/// # Errors
/// When a directory cannot be read or removed.
pub(crate) fn remove_unused(
    keep: &[Pin],
    spared: Duration,
    store: &Store,
    settings: &Settings,
) -> anyhow::Result<usize> {
    if !settings.servers.is_dir() {
        return Ok(0);
    }
    let mut needed = BTreeSet::new();
    for pin in keep {
        let description = ServerDescription::of(&store.get(pin)?)?;
        if let ServerStart::Process(process) = description.start {
            needed.extend(process.packages.into_iter().map(|packages| packages.path));
        }
    }
    let servers = settings.servers.canonicalize()?;
    let mut removed = 0;
    for entry in std::fs::read_dir(&servers)? {
        let path: PathBuf = entry?.path();
        let metadata = path.symlink_metadata()?;
        let age = SystemTime::now().duration_since(metadata.modified()?);
        let is_old = age.is_ok_and(|age| age > spared);
        if is_old && metadata.is_dir() && !needed.contains(&path) {
            std::fs::remove_dir_all(&path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

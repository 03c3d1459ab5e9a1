//! `ReadSoFar`: how far a registry's log was read, in a file for each log in `read_logs`.
//! It spares work and proves nothing: a file that is damaged or missing is as good as none.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{Digest, RepoId};
use tool_hub_transparency::{Checkpoint, GrowingTree, LogKey};
use url::Url;

use super::placed_record::PlacedRecord;
use crate::error::Error;
use crate::files;
use crate::log_times::SeenState;
use crate::settings::Settings;

const DIRECTORY: &str = "read_logs";
/// The longest file that is read.
const BYTES_MAX: u64 = 64 << 20;

/// The edge of the tree that was read, and all records in it of some repos.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReadSoFar {
    pub(super) key: LogKey,
    pub(super) tree: GrowingTree,
    /// The state before the latest record; none in files of earlier versions.
    #[serde(default)]
    pub(super) latest: Option<SeenState>,
    pub(super) repos: BTreeSet<RepoId>,
    pub(super) records: Vec<PlacedRecord>,
}

impl ReadSoFar {
    /// Reads the file for the registry at `endpoint`.
    pub(super) fn read(endpoint: &Url, settings: &Settings) -> Option<Self> {
        let text = files::read_text(&file(endpoint, settings), BYTES_MAX).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// True if it is of the log that `key` signs, no more than was `seen` of it, and has the
    /// records of all of `repos`.
    pub(super) fn is_of(
        &self,
        key: &LogKey,
        seen: Option<&Checkpoint>,
        repos: &BTreeSet<RepoId>,
    ) -> bool {
        let was_seen = seen.is_some_and(|seen| self.tree.size() <= seen.size());
        self.key == *key && was_seen && repos.is_subset(&self.repos)
    }

    /// Writes the file for the registry at `endpoint`.
    pub(super) fn write(&self, endpoint: &Url, settings: &Settings) -> Result<(), Error> {
        let text = serde_json::to_vec(self).expect("it is made of numbers and strings");
        files::write(&file(endpoint, settings), &text)
    }
}

fn file(endpoint: &Url, settings: &Settings) -> PathBuf {
    let name = Digest::of(endpoint.as_str().as_bytes());
    let directory = settings.user.join(DIRECTORY);
    directory.join(format!("{}.json", name.hex()))
}

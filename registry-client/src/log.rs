//! Asks a registry's transparency log for the records of one version. What it answers is unchecked.

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{RepoId, Version};
use tool_hub_transparency::{LogKey, Proof};

use crate::error::{Act, ClientError};
use crate::registry::Registry;

/// The records of one version as a registry sends them: a claim like any other.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VersionRecords {
    /// The key that signs the log.
    pub key: LogKey,
    /// The checkpoint that the proofs are for.
    pub checkpoint: String,
    /// The proof that the log begins with the one that was seen before.
    pub consistency: Proof,
    /// The records, in the order of the log.
    pub records: Vec<ProvedRecord>,
}

/// A record and the proof that it is in the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProvedRecord {
    /// Its place, counted from 0.
    pub index: u64,
    /// Its bytes.
    pub record: String,
    /// The text that opens it, where the repo is private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
    /// The proof.
    pub proof: Proof,
}

/// The records of `version`, and the proof for whoever has seen `older` records of the log. None
/// from a registry that keeps no log.
pub(crate) async fn records(
    registry: &Registry,
    repo: &RepoId,
    version: &Version,
    older: u64,
) -> Result<Option<VersionRecords>, ClientError> {
    let act = Act::ReadLog(repo.clone());
    let mut url = registry.wire.about(repo, &["log"]);
    url.query_pairs_mut()
        .append_pair("version", &version.to_string())
        .append_pair("older", &older.to_string());
    match registry.wire.get(&act, url).await {
        Ok(records) => Ok(Some(records)),
        // That the repo is there was asked before.
        Err(ClientError::RepoNotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

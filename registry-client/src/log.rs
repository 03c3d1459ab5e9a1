//! Asks a registry's transparency log for the records of one version, or for its static files.
//! The answers are unchecked.

use serde::{Deserialize, Serialize};
use tool_hub_manifest::{RepoId, Version};
use tool_hub_transparency::{BUNDLE_BYTES_MAX, LogKey, Proof, TilePath};
use url::Url;

use crate::error::{Act, ClientError};
use crate::limits::CHECKPOINT_BYTES_MAX;
use crate::refusal;
use crate::registry::Registry;
use crate::resolved::Resolved;

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

/// The state of a log at one moment: a claim like any other.
#[derive(Debug, Clone)]
pub struct LogState {
    /// The key that signs it.
    pub key: LogKey,
    /// The size and the root, signed, with the time.
    pub checkpoint: String,
    /// The commit that has the log's files, where it is a data set.
    pub(crate) place: Option<Resolved>,
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

/// A state of the log with `older` records at least, which the caller has seen. None from a
/// registry that keeps no log.
pub(crate) async fn state(
    registry: &Registry,
    older: u64,
) -> Result<Option<LogState>, ClientError> {
    let url = registry.wire.url(&["api", "log", "key"]);
    let key = match text(registry, url).await {
        Err(ClientError::Refused { answer, .. }) if answer.status == 404 => return Ok(None),
        key => key?,
    };
    let key = key.trim().parse();
    let key = key.map_err(|error| refusal::nonsense(&Act::ReadWholeLog, &format!("{error}")))?;
    let mut url = registry.wire.url(&["api", "log", "checkpoint"]);
    url.query_pairs_mut()
        .append_pair("older", &older.to_string());
    Ok(Some(LogState {
        key,
        checkpoint: text(registry, url).await?,
        place: None,
    }))
}

/// A bundle of records.
pub(crate) async fn bundle(registry: &Registry, path: TilePath) -> Result<Vec<u8>, ClientError> {
    let path = path.to_string();
    let segments = ["api", "log"].into_iter().chain(path.split('/'));
    let url = registry.wire.url(&segments.collect::<Vec<_>>());
    bytes(registry, url, BUNDLE_BYTES_MAX).await
}

async fn text(registry: &Registry, url: Url) -> Result<String, ClientError> {
    let content = bytes(registry, url, CHECKPOINT_BYTES_MAX).await?;
    String::from_utf8(content).map_err(|_| refusal::nonsense(&Act::ReadWholeLog, "it is not UTF-8"))
}

async fn bytes(registry: &Registry, url: Url, bytes_max: u64) -> Result<Vec<u8>, ClientError> {
    let act = Act::ReadWholeLog;
    registry.wire.bytes(&act, url, bytes_max).await
}

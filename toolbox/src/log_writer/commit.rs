//! The `Successor` of a log's state, and the files that its commit changes.

use std::collections::BTreeSet;

use time::{Duration, OffsetDateTime};
use tool_hub_manifest::RepoId;
use tool_hub_registry_client::{CHECKPOINT_FILE, FilesCommit, index_file};
use tool_hub_transparency::{Checkpoint, LogKey, LogRecord, LogSigner, TilePath, entry_bundle};
use url::Url;

use super::error::LogWriterError;
use super::logged_repo::LoggedRepo;
use super::published_log::PublishedLog;
use crate::error::Error;

/// The age at which a checkpoint is signed anew although nothing is new.
const REFRESH_AFTER: Duration = Duration::days(1);

const CARD_FILE: &str = "README.md";

/// The next state of a log.
pub(super) struct Successor {
    /// The checkpoint, as it was signed.
    pub(super) checkpoint: String,
    /// The number of records before.
    signed_size: u64,
    key: LogKey,
}

impl Successor {
    /// Signs the state of `log`, which had `signed_size` records in the data set; none where its
    /// checkpoint does as it is.
    pub(super) fn sign(
        log: &PublishedLog,
        signed_size: u64,
        signer: &LogSigner,
    ) -> Result<Option<Self>, Error> {
        let now = u64::try_from(OffsetDateTime::now_utc().unix_timestamp()).unwrap_or_default();
        let before = log.checkpoint.as_ref().map(Checkpoint::seconds);
        let refresh = REFRESH_AFTER.whole_seconds().unsigned_abs();
        let is_fresh = before.is_some_and(|before| now < before.saturating_add(refresh));
        if is_fresh && log.size() == signed_size {
            return Ok(None);
        }
        // A clock that went back would let the state seem older than the one before.
        let seconds = now.max(before.unwrap_or_default());
        let signed = signer.sign(log.size(), log.tree.root(), seconds);
        Ok(Some(Self {
            checkpoint: signed.map_err(LogWriterError::Unsignable)?,
            signed_size,
            key: signer.key(),
        }))
    }

    /// The files that change in the data set `dataset`, which is the log of `registry`.
    pub(super) fn commit(
        &self,
        log: &PublishedLog,
        dataset: &RepoId,
        registry: &Url,
    ) -> FilesCommit {
        let size = log.size();
        let mut added = vec![(
            CHECKPOINT_FILE.to_owned(),
            self.checkpoint.clone().into_bytes(),
        )];
        let new = TilePath::added(self.signed_size, size).into_iter();
        added.extend(new.map(|path| (path.to_string(), content(log, path))));
        added.extend(self.indexes(log));
        if log.checkpoint.is_none() {
            let card = card(dataset, registry, &self.key);
            added.push((CARD_FILE.to_owned(), card.into_bytes()));
        }
        let still = TilePath::partial(size);
        let mut old = TilePath::partial(self.signed_size);
        old.retain(|path| !still.contains(path));
        let count = size - self.signed_size;
        FilesCommit {
            repo: dataset.clone(),
            parent: log.head.clone(),
            added,
            removed: old.iter().map(TilePath::to_string).collect(),
            message: match count {
                0 => format!("Sign the log of {size} records"),
                _ => format!("Append {count} to the log of {size} records"),
            },
        }
    }

    /// The indexes of the repos that have new records.
    fn indexes(&self, log: &PublishedLog) -> Vec<(String, Vec<u8>)> {
        let new = log.since(self.signed_size).iter();
        let new = new.filter_map(|record| LogRecord::from_bytes(record).ok());
        let changed: BTreeSet<String> = new
            .filter_map(|record| Some(record.repo()?.as_str().to_ascii_lowercase()))
            .collect();
        let repos = LoggedRepo::all(&log.records).into_iter();
        let repos = repos.filter(|(name, _)| changed.contains(name));
        repos
            .filter_map(|(name, repo)| {
                let index = serde_json::to_vec(&repo.index).ok()?;
                Some((index_file(&name.parse().ok()?), index))
            })
            .collect()
    }
}

/// The content of a file of the log.
fn content(log: &PublishedLog, path: TilePath) -> Vec<u8> {
    if !path.is_entries() {
        return log.tree.tile(path);
    }
    let range = path.range();
    let records = log.since(range.start).iter();
    let width = usize::try_from(range.end - range.start).unwrap_or_default();
    entry_bundle(records.take(width).map(Vec::as_slice))
}

/// The card of a new data set, for people who find it.
fn card(dataset: &RepoId, registry: &Url, key: &LogKey) -> String {
    format!(
        "# The log of the tools on {registry}\n\n\
        Versions of tools, their signers and yanks, as they were seen by whoever keeps this data set, in an \
        order that cannot be changed. The files are those of C2SP `tlog-tiles`. A copy of them is as \
        good as this one. `tool` holds what it loads against them with these lines in its \
        `config.toml`, once you know by another way that the key is right:\n\n\
        ```toml\n[logs.\"{registry}\"]\ndataset = \"{dataset}\"\nkey = \"{key}\"\n```\n"
    )
}

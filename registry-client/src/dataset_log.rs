//! Answers of a log that is a data set: of a registry that keeps none itself, as the Hub.
//!
//! The data set has C2SP's `tlog-tiles` (`checkpoint`, `tile/…`), and for each repo an index of
//! its records. Proofs are computed here from tiles. Whoever checks them finds out what is wrong
//! with the tiles; the index says where to look, and vouches for nothing.

use std::collections::BTreeMap;

use hf_hub::repository::RepoTypeAny;
use tool_hub_manifest::{RepoId, Revision, ToolRef, Version};
use tool_hub_transparency::{
    HashQuery, LogKey, LogTiles, Proof, TILE_WIDTH, TILED_RECORDS_MAX, TilePath,
};

use crate::config::ClientConfig;
use crate::error::ClientError;
use crate::limits::CHECKPOINT_BYTES_MAX;
use crate::log::{LogState, ProvedRecord, VersionRecords};
use crate::refs::DEFAULT_BRANCH;
use crate::registry::Registry;
use crate::repo_files::{self, WantedFile};
use crate::resolve;
use crate::resolved::Resolved;

/// The name of the file with the state of the log, signed.
pub const CHECKPOINT_FILE: &str = "checkpoint";
/// The largest bundle of records of a data set that is read.
pub const DATASET_BUNDLE_BYTES_MAX: u64 = 1 << 20;

/// The largest index of one repo that is read.
const INDEX_BYTES_MAX: u64 = 1 << 20;
/// Most records that are read of one version from its first on, and as many of the newest. Those
/// tell what was published, and what was said of it last.
const RECORDS_MAX: usize = 50;

/// The data set that is the log of a registry.
#[derive(Debug, Clone)]
pub struct DatasetLog {
    /// The way to the registry that has the data set.
    pub client: ClientConfig,
    /// The data set.
    pub repo: RepoId,
    /// The key that signs the log.
    pub key: LogKey,
}

/// The index of one repo: the places of the records of each version.
pub type RepoIndex = BTreeMap<Version, Vec<u64>>;

/// The path of the index of `repo`. Names are found in any case.
pub fn index_file(repo: &RepoId) -> String {
    format!("index/{}.json", repo.as_str().to_ascii_lowercase())
}

/// The connection to a data set that is a log.
#[derive(Debug)]
pub(crate) struct LogReader {
    registry: Registry,
    repo: RepoId,
    key: LogKey,
}

impl LogReader {
    /// Makes no connection yet.
    pub(crate) fn new(log: &DatasetLog) -> Result<Self, ClientError> {
        Ok(Self {
            registry: Registry::new(RepoTypeAny::Dataset, &log.client)?,
            repo: log.repo.clone(),
            key: log.key.clone(),
        })
    }

    /// The records of a version and the proof for whoever has seen `older` records. Nothing of it
    /// is checked.
    pub(crate) async fn records(
        &self,
        repo: &RepoId,
        version: &Version,
        older: u64,
    ) -> Result<VersionRecords, ClientError> {
        let at = self.head().await?;
        let checkpoint = WantedFile::new(CHECKPOINT_FILE, CHECKPOINT_BYTES_MAX);
        let index = WantedFile::new(index_file(repo), INDEX_BYTES_MAX);
        let mut files = self.files(&at, vec![checkpoint, index]).await?;
        let (index, checkpoint) = (files.pop().flatten(), files.pop().flatten());
        let checkpoint = checkpoint.ok_or_else(|| self.lacks(CHECKPOINT_FILE))?;
        let mut answer = VersionRecords {
            key: self.key.clone(),
            checkpoint: String::from_utf8_lossy(&checkpoint).into_owned(),
            consistency: Proof::default(),
            records: Vec::new(),
        };
        // Whoever checks the answer says what is wrong with its checkpoint.
        let Ok(state) = self.key.open(&answer.checkpoint) else {
            return Ok(answer);
        };
        let size = state.size();
        if size > TILED_RECORDS_MAX {
            return Err(self.damaged(format!("claims {size} records")));
        }
        let places = match index {
            Some(index) => self.places(&index, version, size)?,
            None => Vec::new(),
        };
        let inclusion = |&index: &u64| HashQuery::Inclusion { size, index };
        let mut queries: Vec<HashQuery> = places.iter().map(inclusion).collect();
        if (1..size).contains(&older) {
            queries.push(HashQuery::Consistency { size, older });
        }
        let tiles = self.tiles(&at, &queries, size).await?;
        let mut records = self.bundled(&at, &places, size).await?;
        for query in queries {
            let proof = tiles.answer(&query, size);
            let proof = Proof::from(proof.map_err(|error| self.damaged(error.to_string()))?);
            match query {
                HashQuery::Inclusion { index, .. } => answer.records.push(ProvedRecord {
                    index,
                    record: records.remove(&index).unwrap_or_default(),
                    opening: None,
                    proof,
                }),
                _ => answer.consistency = proof,
            }
        }
        Ok(answer)
    }

    /// The state of the log.
    pub(crate) async fn state(&self) -> Result<LogState, ClientError> {
        let at = self.head().await?;
        let checkpoint = WantedFile::new(CHECKPOINT_FILE, CHECKPOINT_BYTES_MAX);
        let checkpoint = self.files(&at, vec![checkpoint]).await?.pop().flatten();
        let checkpoint = checkpoint.ok_or_else(|| self.lacks(CHECKPOINT_FILE))?;
        Ok(LogState {
            key: self.key.clone(),
            checkpoint: String::from_utf8_lossy(&checkpoint).into_owned(),
            place: Some(at),
        })
    }

    /// A bundle of the log's records, as a commit has it.
    pub(crate) async fn bundle(
        &self,
        at: &Resolved,
        path: TilePath,
    ) -> Result<Vec<u8>, ClientError> {
        let found = self
            .contents(at, vec![path], |_| DATASET_BUNDLE_BYTES_MAX)
            .await?;
        let found = found.into_iter().next();
        found
            .map(|(_, content)| content)
            .ok_or_else(|| self.lacks(&path.to_string()))
    }

    async fn head(&self) -> Result<Resolved, ClientError> {
        let reference = ToolRef {
            repo: self.repo.clone(),
            revision: Revision::Branch(DEFAULT_BRANCH.to_owned()),
        };
        match resolve::resolve_plainly(&self.registry, &reference).await {
            Err(ClientError::RepoNotFound { .. } | ClientError::RevisionNotFound { .. }) => {
                Err(self.damaged("is not there, or is private".to_owned()))
            }
            found => found,
        }
    }

    /// The places of the records of `version`, by the index of its repo.
    fn places(&self, index: &[u8], version: &Version, size: u64) -> Result<Vec<u64>, ClientError> {
        let unreadable = |_| self.damaged("has an index that cannot be read".to_owned());
        let mut index: RepoIndex = serde_json::from_slice(index).map_err(unreadable)?;
        let mut places = index.remove(version).unwrap_or_default();
        places.sort_unstable();
        places.dedup();
        if let Some(between) = places.len().checked_sub(2 * RECORDS_MAX) {
            places.drain(RECORDS_MAX..RECORDS_MAX + between);
        }
        match places.last() {
            Some(last) if *last >= size => Err(self.damaged(format!(
                "names record {last}, and the log has {size} records"
            ))),
            _ => Ok(places),
        }
    }

    /// The tiles that the answers to `queries` are computed from.
    async fn tiles(
        &self,
        at: &Resolved,
        queries: &[HashQuery],
        size: u64,
    ) -> Result<LogTiles, ClientError> {
        let mut paths: Vec<TilePath> = Vec::new();
        for query in queries {
            let needed = LogTiles::needed(query, size);
            let needed = needed.map_err(|error| self.damaged(error.to_string()))?;
            paths.extend(needed);
        }
        paths.sort_by_key(TilePath::to_string);
        paths.dedup();
        let mut tiles = LogTiles::default();
        let bytes_max = |path: &TilePath| path.hash_bytes();
        for (path, content) in self.contents(at, paths, bytes_max).await? {
            if content.len() as u64 != path.hash_bytes() {
                return Err(self.damaged(format!("has a `{path}` that is cut off")));
            }
            tiles.insert(path, content);
        }
        Ok(tiles)
    }

    /// The records in these places, from their bundles.
    async fn bundled(
        &self,
        at: &Resolved,
        places: &[u64],
        size: u64,
    ) -> Result<BTreeMap<u64, String>, ClientError> {
        let mut numbers: Vec<u64> = places.iter().map(|place| place / TILE_WIDTH).collect();
        numbers.dedup();
        let bundle = |&number: &u64| TilePath::bundle(number, size);
        let paths = numbers.iter().map(bundle).collect();
        let bundles = self
            .contents(at, paths, |_| DATASET_BUNDLE_BYTES_MAX)
            .await?;
        let mut found = BTreeMap::new();
        for (path, content) in bundles {
            let cut_off = || self.damaged(format!("has a `{path}` that is cut off"));
            for (place, record) in path.records_in(&content).ok_or_else(cut_off)? {
                if places.contains(&place) {
                    found.insert(place, String::from_utf8_lossy(record).into_owned());
                }
            }
        }
        Ok(found)
    }

    /// The files of the log with these paths, which have to be there.
    async fn contents(
        &self,
        at: &Resolved,
        paths: Vec<TilePath>,
        bytes_max: impl Fn(&TilePath) -> u64,
    ) -> Result<Vec<(TilePath, Vec<u8>)>, ClientError> {
        let wanted = |path: &TilePath| WantedFile::new(path.to_string(), bytes_max(path));
        let files = self.files(at, paths.iter().map(wanted).collect()).await?;
        let files = paths.into_iter().zip(files);
        files
            .map(|(path, content)| {
                let content = content.ok_or_else(|| self.lacks(&path.to_string()))?;
                Ok((path, content))
            })
            .collect()
    }

    async fn files(
        &self,
        at: &Resolved,
        wanted: Vec<WantedFile>,
    ) -> Result<Vec<Option<Vec<u8>>>, ClientError> {
        repo_files::download(&self.registry, at, wanted).await
    }

    fn lacks(&self, path: &str) -> ClientError {
        self.damaged(format!("has no `{path}`, which the log needs"))
    }

    fn damaged(&self, what: String) -> ClientError {
        ClientError::DatasetLog {
            repo: self.repo.clone(),
            what,
        }
    }
}

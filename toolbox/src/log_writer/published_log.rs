//! The `PublishedLog`: all records of a log in a data set, which are what its key signed.

use tool_hub_manifest::{CommitId, RepoId, Revision, ToolRef};
use tool_hub_registry_client::{
    CHECKPOINT_BYTES_MAX, CHECKPOINT_FILE, ClientError, DATASET_BUNDLE_BYTES_MAX, Datasets,
    Resolved, WantedFile,
};
use tool_hub_transparency::{Checkpoint, LogKey, TILE_WIDTH, TilePath, Tree};

use super::error::LogWriterError;
use crate::error::Error;

/// All records of a log.
pub(super) struct PublishedLog {
    /// The commit of the data set; none where it has none.
    pub(super) head: Option<CommitId>,
    /// The state that was signed; none where there is no log.
    pub(super) checkpoint: Option<Checkpoint>,
    pub(super) records: Vec<Vec<u8>>,
    pub(super) tree: Tree,
}

impl PublishedLog {
    /// Reads the log of the data set `dataset`, which `key` has to have signed.
    pub(super) async fn read(
        datasets: &Datasets,
        dataset: &RepoId,
        key: &LogKey,
    ) -> Result<Self, Error> {
        let mut log = Self {
            head: None,
            checkpoint: None,
            records: Vec::new(),
            tree: Tree::default(),
        };
        let reference = ToolRef {
            repo: dataset.clone(),
            revision: Revision::Newest,
        };
        let at = match datasets.resolve(&reference).await {
            Err(ClientError::RevisionNotFound { .. }) => return Ok(log),
            at => at?,
        };
        log.head = Some(at.commit.clone());
        let wanted = WantedFile::new(CHECKPOINT_FILE, CHECKPOINT_BYTES_MAX);
        let Some(text) = datasets.files(&at, vec![wanted]).await?.pop().flatten() else {
            return Ok(log);
        };
        let opened = key.open(&String::from_utf8_lossy(&text));
        let checkpoint = opened.map_err(|source| LogWriterError::Checkpoint {
            dataset: dataset.clone(),
            source,
        })?;
        log.read_records(datasets, &at, &checkpoint).await?;
        if log.size() != checkpoint.size() || log.tree.root() != checkpoint.root() {
            let what = "its records are not those that were signed".to_owned();
            return Err(damaged(dataset, what).into());
        }
        log.checkpoint = Some(checkpoint);
        Ok(log)
    }

    async fn read_records(
        &mut self,
        datasets: &Datasets,
        at: &Resolved,
        checkpoint: &Checkpoint,
    ) -> Result<(), Error> {
        let size = checkpoint.size();
        let numbers = 0..size.div_ceil(TILE_WIDTH);
        let paths: Vec<TilePath> = numbers.map(|it| TilePath::bundle(it, size)).collect();
        let wanted = |path: &TilePath| WantedFile::new(path.to_string(), DATASET_BUNDLE_BYTES_MAX);
        let bundles = datasets.files(at, paths.iter().map(wanted).collect());
        for (path, bundle) in paths.iter().zip(bundles.await?) {
            let missing = || damaged(&at.repo, format!("it has no `{path}`"));
            let bundle = bundle.ok_or_else(missing)?;
            let cut_off = || damaged(&at.repo, format!("its `{path}` is cut off"));
            for (_, record) in path.records_in(&bundle).ok_or_else(cut_off)? {
                self.append(record.to_vec());
            }
        }
        Ok(())
    }

    /// The number of records.
    pub(super) fn size(&self) -> u64 {
        self.tree.size()
    }

    pub(super) fn append(&mut self, record: Vec<u8>) {
        self.tree.append(&record);
        self.records.push(record);
    }

    /// The records from this place on.
    pub(super) fn since(&self, size: u64) -> &[Vec<u8>] {
        let from = usize::try_from(size).unwrap_or(usize::MAX);
        self.records.get(from..).unwrap_or_default()
    }
}

fn damaged(dataset: &RepoId, what: String) -> LogWriterError {
    LogWriterError::Damaged {
        dataset: dataset.clone(),
        what,
    }
}

//! Stages the files of one commit as they arrive, and puts them into the store together.
//!
//! They become part of the store once the commit has passed its checks. So a refused commit leaves
//! nothing behind, a content shared by many files is written once, and the disk is synced once
//! instead of for each file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use futures::{StreamExt as _, TryStreamExt as _};
use tokio::io::AsyncReadExt as _;
use tokio::runtime::Handle;

use super::digest::Sha256Digest;
use super::spool::{SpooledBytes, SpooledFile, StagedFile};
use super::store::{ContentStore, key_of};
use crate::error::RegistryError;

/// The most bytes and files that are kept in memory before they are staged together.
const WAITING_BYTES_MAX: usize = 64 << 10;
const WAITING_FILES_MAX: usize = 64;
/// Up to this many files are synced one by one. Syncing the whole file system costs more than that,
/// because it also writes other programs' data.
const SYNCED_ALONE_MAX: usize = 16;

/// The files that have arrived, without duplicates. They are deleted if this is dropped before
/// [`Batch::keep`].
#[derive(Debug)]
pub(crate) struct Batch {
    content: ContentStore,
    files: BTreeMap<Sha256Digest, SpooledFile>,
    /// The files that are still in memory, and their total length.
    waiting: Vec<Sha256Digest>,
    waiting_bytes: usize,
}

impl Drop for Batch {
    /// Deletes the files on a blocking thread: thousands of them take seconds, in which a thread of
    /// the runtime would serve no connection.
    fn drop(&mut self) {
        let files = std::mem::take(&mut self.files);
        if let Ok(runtime) = Handle::try_current()
            && !files.is_empty()
        {
            runtime.spawn_blocking(move || drop(files));
        }
    }
}

impl Batch {
    /// A staging area for the files of one commit.
    pub(crate) fn new(content: &ContentStore) -> Self {
        Self {
            content: content.clone(),
            files: BTreeMap::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
        }
    }

    pub(crate) async fn add(&mut self, spooled: SpooledFile) -> Result<(), RegistryError> {
        let sha256 = spooled.sha256;
        if self.files.contains_key(&sha256) {
            return Ok(());
        }
        if let SpooledBytes::Memory(bytes, _) = &spooled.bytes {
            self.waiting_bytes += bytes.len();
            self.waiting.push(sha256);
        }
        self.files.insert(sha256, spooled);
        if self.waiting.len() > WAITING_FILES_MAX || self.waiting_bytes > WAITING_BYTES_MAX {
            self.stage().await?;
        }
        Ok(())
    }

    /// The digests and lengths of the files.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (Sha256Digest, u64)> {
        self.files
            .values()
            .map(|file| (file.sha256, file.size_bytes))
    }

    /// The first `bytes_max` bytes of a file in this batch or in the store.
    pub(crate) async fn head(
        &self,
        sha256: &Sha256Digest,
        size_bytes: u64,
        bytes_max: usize,
    ) -> Result<Vec<u8>, RegistryError> {
        match self.files.get(sha256).map(|file| &file.bytes) {
            Some(SpooledBytes::Memory(bytes, _)) => {
                Ok(bytes[..bytes.len().min(bytes_max)].to_vec())
            }
            Some(SpooledBytes::File(staged)) => {
                let mut bytes = Vec::new();
                let file = tokio::fs::File::open(staged.path()).await?;
                let mut head = file.take(bytes_max as u64);
                head.read_to_end(&mut bytes).await?;
                Ok(bytes)
            }
            None => self.content.head(sha256, size_bytes, bytes_max).await,
        }
    }

    /// Makes the files part of the store, durably. A second call does nothing.
    pub(crate) async fn keep(&mut self, in_flight_max: usize) -> Result<(), RegistryError> {
        let many = self.files.len() > SYNCED_ALONE_MAX;
        if let Some(root) = self.content.local.clone().filter(|_| many && CAN_SYNC_ALL) {
            self.stage().await?;
            let files = std::mem::take(&mut self.files);
            let keeping = tokio::task::spawn_blocking(move || keep_together(&root, files));
            return keeping
                .await
                .map_err(|_| RegistryError::Damaged("storing files panicked".to_owned()))?;
        }
        self.waiting.clear();
        let files = std::mem::take(&mut self.files).into_values();
        futures::stream::iter(files.map(|file| self.content.keep(file)))
            .buffer_unordered(in_flight_max.max(1))
            .try_collect()
            .await
    }

    /// Moves the files in memory to temporary files, which need not be durable yet.
    async fn stage(&mut self) -> Result<(), RegistryError> {
        self.waiting_bytes = 0;
        let waiting = std::mem::take(&mut self.waiting);
        let files: Vec<SpooledFile> = waiting
            .iter()
            .filter_map(|sha256| self.files.remove(sha256))
            .collect();
        let incoming = self.content.incoming.clone();
        let staging = tokio::task::spawn_blocking(move || {
            let staged = files.into_iter().map(|file| file.staged_in(&incoming));
            staged.collect::<Result<Vec<SpooledFile>, std::io::Error>>()
        });
        let staged = staging
            .await
            .map_err(|_| RegistryError::Damaged("staging files panicked".to_owned()))??;
        let staged = staged.into_iter().map(|file| (file.sha256, file));
        self.files.extend(staged);
        Ok(())
    }
}

#[cfg(target_os = "linux")]
const CAN_SYNC_ALL: bool = true;
#[cfg(not(target_os = "linux"))]
const CAN_SYNC_ALL: bool = false;

/// Moves staged files to their final places. When this returns, all are durable.
///
/// Contents are synced before the files get their names: a file may replace an object with the same
/// bytes that acknowledged commits refer to, and a power failure must not leave half of it. Then
/// the names are synced.
fn keep_together(
    root: &Path,
    files: BTreeMap<Sha256Digest, SpooledFile>,
) -> Result<(), RegistryError> {
    sync_all(root)?;
    for (sha256, file) in files {
        let SpooledBytes::File(staged) = file.bytes else {
            let damage = "a file was not staged".to_owned();
            return Err(RegistryError::Damaged(damage));
        };
        rename(staged, &path_of(root, &sha256))?;
    }
    Ok(sync_all(root)?)
}

fn path_of(root: &Path, sha256: &Sha256Digest) -> PathBuf {
    let mut path = root.to_path_buf();
    path.extend(key_of(sha256).parts().map(|part| part.as_ref().to_owned()));
    path
}

fn rename(staged: StagedFile, path: &Path) -> std::io::Result<()> {
    match std::fs::rename(staged.path(), path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            std::fs::create_dir_all(path.parent().unwrap_or(path))?;
            std::fs::rename(staged.path(), path)?;
        }
        renamed => renamed?,
    }
    staged.disable_cleanup();
    Ok(())
}

/// Syncs the whole file system of this directory.
#[cfg(target_os = "linux")]
fn sync_all(directory: &Path) -> std::io::Result<()> {
    Ok(rustix::fs::syncfs(std::fs::File::open(directory)?)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_all(_: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Longest time until dropped files are gone.
    const GONE_MAX: Duration = Duration::from_secs(30);

    async fn filled(store: &ContentStore, count: usize) -> Batch {
        let mut batch = Batch::new(store);
        for at in 0..count {
            // Every tenth content is the same, and one in ten is too long for memory.
            let text = match at % 10 {
                0 => "same".to_owned(),
                7 => "long".repeat(20_000 + at),
                _ => format!("text {at}"),
            };
            let mut spool = store.spool(1 << 10);
            spool.write(text.as_bytes()).await.unwrap();
            batch.add(spool.finish().await.unwrap()).await.unwrap();
        }
        batch
    }

    fn files_below(directory: &Path) -> usize {
        let entries = std::fs::read_dir(directory).into_iter().flatten();
        entries
            .map(|entry| match entry.unwrap().path() {
                path if path.is_dir() => files_below(&path),
                _ => 1,
            })
            .sum()
    }

    #[tokio::test]
    async fn nothing_is_in_the_store_before_it_is_kept_and_each_content_once_after() {
        for count in [5, 500] {
            let scratch = tempfile::tempdir().unwrap();
            let store = ContentStore::open_local(scratch.path()).unwrap();
            let mut batch = filled(&store, count).await;
            assert_eq!(files_below(&scratch.path().join("sha256")), 0);
            let sizes: Vec<(Sha256Digest, u64)> = batch.sizes().collect();
            for (sha256, size) in &sizes {
                let head = batch.head(sha256, *size, 3).await.unwrap();
                assert_eq!(head.len(), 3);
            }
            batch.keep(4).await.unwrap();
            batch.keep(4).await.unwrap();
            let different = count - count.div_ceil(10) + 1;
            assert_eq!(sizes.len(), different);
            assert_eq!(files_below(&scratch.path().join("sha256")), different);
            assert_eq!(files_below(&scratch.path().join("incoming")), 0);
            for (sha256, _) in sizes {
                assert_eq!(store.rehash(&sha256).await.unwrap(), Some(sha256));
            }
        }
    }

    #[tokio::test]
    async fn what_is_not_kept_leaves_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let store = ContentStore::open_local(scratch.path()).unwrap();
        let batch = filled(&store, 500).await;
        assert!(files_below(scratch.path()) > 400);
        drop(batch);
        let gone = async {
            while files_below(scratch.path()) > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(GONE_MAX, gone).await.unwrap();
    }
}

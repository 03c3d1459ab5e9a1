//! Opens the content store, in a directory or a bucket; stores, reads and removes files by SHA-256.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Body;
use futures::TryStreamExt as _;
use http_body_util::BodyExt as _;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::{Error as StoreError, GetOptions, ObjectStore, ObjectStoreExt as _};
use url::Url;

use super::bucket::{self, Bucket, FileHeaders};
use super::digest::Sha256Digest;
use super::local_file;
use super::read_cache::{PART_BYTES_MAX, ReadCache};
use super::spool::{Spool, SpooledBytes, SpooledFile};

use crate::config::S3Storage;
use crate::error::RegistryError;
use crate::http::{Memory, Share};

/// The directory where bodies wait until they are complete; inside a local store.
const INCOMING: &str = "incoming";
/// The directory, inside a store, of the objects.
pub(super) const SHA256: &str = "sha256";

/// The store of the bytes of files. An object, once there, never changes.
#[derive(Debug, Clone)]
pub(crate) struct ContentStore {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) incoming: PathBuf,
    /// The directory of a local store.
    pub(super) local: Option<Arc<Path>>,
    small: Arc<ReadCache>,
    /// `memory` bounds that of files while they arrive, `answers` while they are sent.
    memory: Option<Memory>,
    answers: Option<Memory>,
    /// The bucket, if the store is on another machine.
    pub(super) bucket: Option<Arc<Bucket>>,
}

impl ContentStore {
    /// Opens a store in a local directory, which must exist.
    ///
    /// `fsync` is on: a write returns after the file and its directory entry are on the disk, so
    /// that metadata which is written afterwards never points at content a power cut can take away.
    pub(crate) fn open_local(directory: &Path) -> Result<Self, RegistryError> {
        let store = LocalFileSystem::new_with_prefix(directory)?.with_fsync(true);
        Ok(Self {
            store: Arc::new(store),
            incoming: create_incoming(directory)?,
            local: Some(directory.into()),
            small: Arc::default(),
            memory: None,
            answers: None,
            bucket: None,
        })
    }

    /// Opens a bucket. Bodies wait in `directory`, which must exist, until their SHA-256, and so
    /// their key, is known: S3 cannot rename.
    pub(crate) async fn open_s3(
        storage: &S3Storage,
        directory: &Path,
    ) -> Result<Self, RegistryError> {
        let incoming = create_incoming(directory)?;
        let (store, bucket) = bucket::open(storage).await?;
        Ok(Self {
            store: Arc::new(store),
            incoming,
            local: None,
            small: Arc::default(),
            memory: None,
            answers: None,
            bucket: Some(Arc::new(bucket)),
        })
    }

    /// Bounds the memory that files take while they arrive and while they are sent; without it each
    /// takes what makes it fast.
    pub(crate) fn within(mut self, share: &Share) -> Self {
        self.memory = Some(share.bodies.clone());
        self.answers = Some(share.answers.clone());
        self
    }

    /// Succeeds if the store answers.
    pub(crate) async fn probe(&self) -> Result<(), RegistryError> {
        tokio::fs::metadata(&self.incoming).await?;
        match self.store.head(&Key::from_iter([INCOMING, "probe"])).await {
            Ok(_) | Err(StoreError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// An address that gives the bytes of a file to whoever knows it, for a while; `None` where
    /// clients get them from the registry.
    pub(crate) async fn signed_url(
        &self,
        sha256: &Sha256Digest,
        shown: FileHeaders<'_>,
    ) -> Result<Option<Url>, RegistryError> {
        match &self.bucket {
            Some(bucket) => bucket.signed_url(&key_of(sha256), shown).await,
            None => Ok(None),
        }
    }

    /// A place for the bytes of one file while they arrive.
    pub(crate) fn spool(&self, memory_bytes_max: usize) -> Spool {
        Spool::new(self.incoming.clone(), memory_bytes_max, self.memory.clone())
    }

    /// Makes a complete file part of the store. When this returns the bytes are durable.
    pub(crate) async fn keep(&self, spooled: SpooledFile) -> Result<(), RegistryError> {
        let key = key_of(&spooled.sha256);
        self.place(spooled, &key).await
    }

    /// Stores a complete file under a key. When this returns the bytes are durable.
    pub(super) async fn place(&self, spooled: SpooledFile, key: &Key) -> Result<(), RegistryError> {
        match (spooled.bytes, &self.bucket) {
            (SpooledBytes::Memory(bytes, _held), _) => {
                self.store.put(key, bytes.into()).await?;
            }
            // An empty file cannot be a multipart upload, which needs at least one part.
            (SpooledBytes::File(_), Some(_)) if spooled.size_bytes == 0 => {
                self.store.put(key, bytes::Bytes::new().into()).await?;
            }
            (SpooledBytes::File(path), Some(bucket)) => {
                let store = Arc::clone(&self.store);
                bucket
                    .send(store, key.clone(), path, spooled.size_bytes)
                    .await?;
            }
            (SpooledBytes::File(path), None) => {
                // Synced before it gets its name, because it may replace an object that commits
                // refer to.
                let file = tokio::fs::OpenOptions::new()
                    .write(true)
                    .open(path.path())
                    .await?;
                file.sync_all().await?;
                // The file lies in the store's own directory, so it is moved and not copied.
                let staged = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .map(|name| Key::from_iter([INCOMING, name]));
                let staged = staged.ok_or_else(|| {
                    RegistryError::Damaged("a temporary file has no name".to_owned())
                })?;
                self.store.rename(&staged, key).await?;
                path.disable_cleanup();
            }
        }
        Ok(())
    }

    /// A stream of a part of a file.
    pub(crate) async fn read(
        &self,
        sha256: &Sha256Digest,
        range: Range<u64>,
    ) -> Result<Body, RegistryError> {
        if range.end - range.start > PART_BYTES_MAX {
            return self.read_key(&key_of(sha256), range).await;
        }
        if let Some(bytes) = self.small.get(sha256, &range) {
            return Ok(Body::from(bytes));
        }
        let body = self.read_key(&key_of(sha256), range.clone()).await?;
        let bytes = body.collect().await.map_err(|source| self.failed(source))?;
        let bytes = bytes.to_bytes();
        if bytes.len() as u64 == range.end - range.start {
            self.small.put(sha256, range, bytes.clone());
        }
        Ok(Body::from(bytes))
    }

    pub(super) async fn read_key(
        &self,
        key: &Key,
        range: Range<u64>,
    ) -> Result<Body, RegistryError> {
        if range.is_empty() {
            return Ok(Body::empty());
        }
        if let Some(directory) = &self.local {
            let mut path = directory.to_path_buf();
            path.extend(key.parts().map(|part| part.as_ref().to_owned()));
            let read = local_file::read_part(path, range, self.answers.as_ref()).await;
            return Ok(read.map_err(|source| self.failed(source))?);
        }
        let options = GetOptions::default().with_range(Some(range));
        let found = self.store.get_opts(key, options).await?;
        Ok(Body::from_stream(found.into_stream()))
    }

    /// Removes what is stored under a key. It is no error when another server removed it before.
    pub(super) async fn remove(&self, key: &Key) -> Result<(), RegistryError> {
        match self.store.delete(key).await {
            Ok(()) | Err(StoreError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn failed(&self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
        StoreError::Generic {
            store: self.bucket.as_ref().map_or("LocalFileSystem", |_| "S3"),
            source: source.into(),
        }
    }

    /// The first `bytes_max` bytes of a file of `size_bytes`.
    pub(crate) async fn head(
        &self,
        sha256: &Sha256Digest,
        size_bytes: u64,
        bytes_max: usize,
    ) -> Result<Vec<u8>, RegistryError> {
        let end = size_bytes.min(bytes_max as u64);
        let mut bytes = Vec::new();
        if end > 0 {
            let options = GetOptions::default().with_range(Some(0..end));
            let mut stream = self
                .store
                .get_opts(&key_of(sha256), options)
                .await?
                .into_stream();
            while let Some(chunk) = stream.try_next().await? {
                bytes.extend_from_slice(&chunk);
            }
        }
        Ok(bytes)
    }
}

fn create_incoming(directory: &Path) -> Result<PathBuf, RegistryError> {
    let incoming = directory.join(INCOMING);
    std::fs::create_dir_all(&incoming).map_err(|source| RegistryError::OpenDirectory {
        path: incoming.clone(),
        source,
    })?;
    Ok(incoming)
}

/// The key of an object. Two levels of directories keep each directory small.
pub(super) fn key_of(sha256: &Sha256Digest) -> Key {
    let hex = sha256.to_string();
    Key::from_iter([SHA256, &hex[..2], &hex[2..4], &hex])
}

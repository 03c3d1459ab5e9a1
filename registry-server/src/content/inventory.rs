//! Lists, finds, rehashes and deletes stored objects, and sweeps leftovers of broken-off uploads.

use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use object_store::path::Path as Key;
use object_store::{Error as StoreError, ObjectMeta, ObjectStoreExt as _};

use super::digest::Sha256Digest;
use super::store::{ContentStore, SHA256, key_of};
use super::upload_parts::PARTS;
use crate::clock;
use crate::error::RegistryError;

/// An object of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredObject {
    /// The digest in its name.
    pub(crate) sha256: Sha256Digest,
    pub(crate) size_bytes: u64,
    /// The time it was last written, also when the same bytes were written over it. A bucket knows
    /// whole seconds only.
    pub(crate) written_ms: i64,
}

impl ContentStore {
    /// All objects, in no order. Those that come or go meanwhile may be in it or not.
    pub(crate) fn list(&self) -> BoxStream<'static, Result<StoredObject, RegistryError>> {
        let listed = self.store.list(Some(&Key::from(SHA256)));
        let objects = listed.filter_map(async |meta| match meta {
            Ok(meta) => stored(&meta).map(Ok),
            // An object that is deleted while it is listed is left out.
            Err(StoreError::NotFound { .. }) => None,
            Err(error) => Some(Err(error.into())),
        });
        objects.boxed()
    }

    /// The object with these bytes, if it is there.
    pub(crate) async fn find(
        &self,
        sha256: &Sha256Digest,
    ) -> Result<Option<StoredObject>, RegistryError> {
        match self.store.head(&key_of(sha256)).await {
            Ok(meta) => Ok(stored(&meta)),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes an object. It is no error when it is gone already.
    pub(crate) async fn remove_object(&self, sha256: &Sha256Digest) -> Result<(), RegistryError> {
        self.remove(&key_of(sha256)).await
    }

    /// Hashes the bytes of an object again, a piece at a time. `None` when it is gone.
    pub(crate) async fn rehash(
        &self,
        sha256: &Sha256Digest,
    ) -> Result<Option<Sha256Digest>, RegistryError> {
        match self.pour(sha256, &mut tokio::io::sink()).await {
            Ok((found, _)) => Ok(Some(found)),
            Err(RegistryError::Content(StoreError::NotFound { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes what interrupted uploads left behind: temporary files older than `age`.
    ///
    /// Younger ones may belong to another process on the same directory.
    pub(crate) fn sweep_incoming(&self, age: Duration) -> Result<(), RegistryError> {
        sweep(&self.incoming, age, |_| true)
    }

    /// Removes half-written objects and parts older than `age`, which a local store keeps beside
    /// the whole ones and does not list.
    pub(crate) async fn sweep_half_written(&self, age: Duration) -> Result<(), RegistryError> {
        let Some(root) = self.incoming.parent().filter(|_| self.bucket.is_none()) else {
            return Ok(());
        };
        let (objects, parts) = (root.join(SHA256), root.join(PARTS));
        let sweeping = tokio::task::spawn_blocking(move || {
            let is_half = |name: &str| name.contains('#');
            for outer in directories(&objects)? {
                for inner in directories(&outer)? {
                    sweep(&inner, age, is_half)?;
                }
            }
            match parts.exists() {
                true => sweep(&parts, age, is_half),
                false => Ok(()),
            }
        });
        sweeping
            .await
            .map_err(|_| RegistryError::Damaged("sweeping panicked".to_owned()))?
    }
}

fn stored(meta: &ObjectMeta) -> Option<StoredObject> {
    Some(StoredObject {
        sha256: Sha256Digest::from_hex(meta.location.filename()?)?,
        size_bytes: meta.size,
        written_ms: meta.last_modified.timestamp_millis(),
    })
}

/// Removes the files of a directory that are older than `age` and have such a name. Somebody else
/// may be doing the same.
fn sweep(
    directory: &std::path::Path,
    age: Duration,
    is_meant: impl Fn(&str) -> bool,
) -> Result<(), RegistryError> {
    let oldest_ms = clock::now_ms().saturating_sub(clock::span_ms(age));
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if !entry.file_name().to_str().is_some_and(&is_meant) {
            continue;
        }
        let swept = entry.metadata().and_then(|metadata| {
            let written_ms = clock::to_ms(metadata.modified()?.into());
            match written_ms < oldest_ms && metadata.is_file() {
                true => std::fs::remove_file(entry.path()),
                false => Ok(()),
            }
        });
        match swept {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// The directories in a directory; none when it is not there.
fn directories(path: &std::path::Path) -> Result<Vec<std::path::PathBuf>, RegistryError> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found)
}

//! Stores, reads and removes the parts of large LFS uploads until they are put together.
//! They are named by their upload and not by their content: what is removed afterwards can then
//! belong to nothing else.

use std::time::Duration;

use axum::body::Body;
use futures::TryStreamExt as _;
use object_store::ObjectStore as _;
use object_store::path::Path as Key;
use time::OffsetDateTime;

use super::spool::SpooledFile;
use super::store::ContentStore;
use crate::error::RegistryError;

/// The beginning of the keys of parts.
pub(super) const PARTS: &str = "parts";

impl ContentStore {
    /// Stores a part. When this returns the bytes are durable.
    pub(crate) async fn keep_part(
        &self,
        upload: &str,
        number: i64,
        spooled: SpooledFile,
    ) -> Result<(), RegistryError> {
        self.place(spooled, &key(upload, number)).await
    }

    /// A stream of a part.
    pub(crate) async fn read_part(
        &self,
        upload: &str,
        number: i64,
        size_bytes: u64,
    ) -> Result<Body, RegistryError> {
        self.read_key(&key(upload, number), 0..size_bytes).await
    }

    /// Removes a part.
    pub(crate) async fn remove_part(&self, upload: &str, number: i64) -> Result<(), RegistryError> {
        self.remove(&key(upload, number)).await
    }

    /// Removes parts that lie there for longer than `age`, which no upload can still be waiting
    /// for.
    pub(crate) async fn sweep_parts(&self, age: Duration) -> Result<(), RegistryError> {
        let oldest = (OffsetDateTime::now_utc() - age).unix_timestamp();
        let mut parts = self.store.list(Some(&Key::from(PARTS)));
        while let Some(part) = parts.try_next().await? {
            if part.last_modified.timestamp() < oldest {
                self.remove(&part.location).await?;
            }
        }
        Ok(())
    }
}

fn key(upload: &str, number: i64) -> Key {
    Key::from_iter([PARTS, &format!("{upload}-{number:05}")])
}

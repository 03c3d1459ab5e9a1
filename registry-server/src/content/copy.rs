//! Copies objects from the store into a backup's files and back, checking each SHA-256 on the way.

use std::path::Path;

use futures::TryStreamExt as _;
use object_store::{GetResultPayload, ObjectStoreExt as _};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::digest::Sha256Digest;
use super::store::{ContentStore, key_of};
use crate::error::RegistryError;

/// Bytes hashed between two reads.
const COPY_BYTES: usize = 256 << 10;

impl ContentStore {
    /// Copies an object into a file that must not exist, makes that durable and tells its length.
    ///
    /// # Errors
    ///
    /// [`RegistryError::ContentAltered`] when the copy does not have the digest it should.
    pub(crate) async fn copy_out(
        &self,
        sha256: &Sha256Digest,
        path: &Path,
    ) -> Result<u64, RegistryError> {
        let copied = self.copy_to_file(sha256, path).await;
        if copied.is_err() {
            let _ = tokio::fs::remove_file(path).await;
        }
        copied
    }

    async fn copy_to_file(&self, sha256: &Sha256Digest, path: &Path) -> Result<u64, RegistryError> {
        let mut file = File::create_new(path).await?;
        file.set_max_buf_size(COPY_BYTES);
        let (found, size_bytes) = self.pour(sha256, &mut file).await?;
        file.flush().await?;
        file.sync_all().await?;
        check(sha256, &found)?;
        Ok(size_bytes)
    }

    /// Copies a file into the store as the object it must be. When this returns the object is
    /// durable.
    ///
    /// # Errors
    ///
    /// [`RegistryError::ContentAltered`] when the file does not have the digest it should; the
    /// store is as it was.
    pub(crate) async fn copy_in(
        &self,
        sha256: &Sha256Digest,
        path: &Path,
    ) -> Result<(), RegistryError> {
        let mut file = File::open(path).await?;
        file.set_max_buf_size(COPY_BYTES);
        let mut spool = self.spool(COPY_BYTES);
        let mut buffer = vec![0; COPY_BYTES];
        loop {
            let count = file.read(&mut buffer).await?;
            if count == 0 {
                break;
            }
            spool.write(&buffer[..count]).await?;
        }
        let spooled = spool.finish().await?;
        check(sha256, &spooled.sha256)?;
        self.keep(spooled).await
    }

    /// Writes the bytes of an object to `to`, and tells what they hash to and how many they are.
    pub(super) async fn pour(
        &self,
        sha256: &Sha256Digest,
        to: &mut (impl AsyncWrite + Unpin),
    ) -> Result<(Sha256Digest, u64), RegistryError> {
        let mut hasher = Sha256::new();
        let mut size_bytes = 0;
        match self.store.get(&key_of(sha256)).await?.payload {
            GetResultPayload::File(file, _) => {
                let mut file = File::from_std(file);
                file.set_max_buf_size(COPY_BYTES);
                let mut buffer = vec![0; COPY_BYTES];
                loop {
                    let count = file.read(&mut buffer).await?;
                    if count == 0 {
                        break;
                    }
                    hasher.update(&buffer[..count]);
                    to.write_all(&buffer[..count]).await?;
                    size_bytes += count as u64;
                }
            }
            GetResultPayload::Stream(mut stream) => {
                while let Some(piece) = stream.try_next().await? {
                    hasher.update(&piece);
                    to.write_all(&piece).await?;
                    size_bytes += piece.len() as u64;
                }
            }
        }
        Ok((Sha256Digest::new(hasher.finalize().into()), size_bytes))
    }
}

fn check(expected: &Sha256Digest, found: &Sha256Digest) -> Result<(), RegistryError> {
    if expected == found {
        return Ok(());
    }
    Err(RegistryError::ContentAltered {
        expected: expected.to_string(),
        found: found.to_string(),
    })
}

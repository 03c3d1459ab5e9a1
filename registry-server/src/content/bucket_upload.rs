//! Uploads temporary files to a bucket in parts, of which a bounded number is in memory.

use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path as Key;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt as _, PutPayload};
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::spool::StagedFile;
use crate::error::RegistryError;

/// Parts of all uploads of a server in memory at once: 60 MiB, as long as no file has more than 50
/// GiB.
pub(super) const PARTS_IN_FLIGHT_MAX: usize = 12;
/// Parts of one upload in memory at once.
const PARTS_OF_ONE_MAX: usize = 2;
/// Bytes of a piece of a part. The allocator reuses small pieces; whole parts leave holes in its
/// heaps.
const PIECE_BYTES: usize = 128 << 10;
/// Bytes of a part; S3 takes none below 5 MiB but the last.
const PART_BYTES_MIN: u64 = 5 << 20;
/// Most parts S3 takes for one object.
const PARTS_MAX: u64 = 10_000;

/// Stores a file under `key`.
pub(super) async fn upload(
    store: &dyn ObjectStore,
    key: &Key,
    staged: &StagedFile,
    size_bytes: u64,
    permits: &Arc<Semaphore>,
) -> Result<(), RegistryError> {
    let mut file = File::open(staged.path()).await?;
    file.set_max_buf_size(PIECE_BYTES);
    let mut parts = Parts {
        file,
        left: size_bytes,
        part_bytes: part_bytes(size_bytes),
        permits: Arc::clone(permits),
    };
    if size_bytes <= parts.part_bytes {
        if let Some((part, _permit)) = parts.next().await? {
            store.put(key, part).await?;
        }
        return Ok(());
    }
    let mut upload = store.put_multipart(key).await?;
    let sent = match send(upload.as_mut(), parts).await {
        Ok(()) => upload
            .complete()
            .await
            .map(|_| ())
            .map_err(RegistryError::from),
        Err(error) => Err(error),
    };
    if sent.is_err()
        && let Err(error) = upload.abort().await
    {
        tracing::warn!(%error, %key, "parts of an upload that failed stay in the bucket");
    }
    sent
}

/// All parts of one object have one length but the last; some stores insist.
fn part_bytes(size_bytes: u64) -> u64 {
    size_bytes.div_ceil(PARTS_MAX).max(PART_BYTES_MIN)
}

async fn send(upload: &mut dyn MultipartUpload, mut parts: Parts) -> Result<(), RegistryError> {
    let mut sending = JoinSet::new();
    while let Some((part, permit)) = parts.next().await? {
        let part = upload.put_part(part);
        sending.spawn(async move {
            let sent = part.await;
            drop(permit);
            sent
        });
        if sending.len() >= PARTS_OF_ONE_MAX {
            wait_for_one_part(&mut sending).await?;
        }
    }
    while !sending.is_empty() {
        wait_for_one_part(&mut sending).await?;
    }
    Ok(())
}

async fn wait_for_one_part(
    sending: &mut JoinSet<object_store::Result<()>>,
) -> Result<(), RegistryError> {
    match sending.join_next().await {
        None => Ok(()),
        Some(Ok(sent)) => Ok(sent?),
        Some(Err(_)) => Err(RegistryError::Damaged(
            "storing a part of a file panicked".to_owned(),
        )),
    }
}

/// The parts of a file that were not read yet.
struct Parts {
    file: File,
    left: u64,
    part_bytes: u64,
    permits: Arc<Semaphore>,
}

impl Parts {
    /// The next part, with the right to have it in memory.
    async fn next(&mut self) -> Result<Option<(PutPayload, OwnedSemaphorePermit)>, RegistryError> {
        let mut length = self.left.min(self.part_bytes);
        if length == 0 {
            return Ok(None);
        }
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(|_| RegistryError::Damaged("the queue of uploads is closed".to_owned()))?;
        let mut pieces = Vec::new();
        while length > 0 {
            let piece_bytes = usize::try_from(length)
                .unwrap_or(PIECE_BYTES)
                .min(PIECE_BYTES);
            let mut piece = vec![0; piece_bytes];
            self.file.read_exact(&mut piece).await?;
            length -= piece_bytes as u64;
            self.left -= piece_bytes as u64;
            pieces.push(Bytes::from(piece));
        }
        Ok(Some((pieces.into_iter().collect(), permit)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fit_what_s3_takes() {
        for size in [1, PART_BYTES_MIN, PART_BYTES_MIN + 1, 8 << 30, 5 << 40] {
            let part = part_bytes(size);
            assert!(part >= PART_BYTES_MIN, "{size}");
            assert!(size.div_ceil(part) <= PARTS_MAX, "{size}");
        }
        assert_eq!(part_bytes(1 << 30), PART_BYTES_MIN);
    }
}

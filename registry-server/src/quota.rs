//! The storage quota of an owner: their own, else the registry's.
//!
//! The quota bounds the use of the disk, not only the contents that commits refer to. Announced
//! uploads count as if they had arrived. Arrived contents count for their sender, from before they
//! are stored, until a commit refers to them or they are collected; they may take as much again as
//! the quota, so that deleting a repository makes room at once.

use std::collections::BTreeSet;

use crate::clock;
use crate::content::{Batch, Sha256Digest};
use crate::database::Writing;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::http::Refusal;
use crate::registry::Registry;

/// An owner keeps, or would keep, more than they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuotaExceeded {
    quota_bytes: u64,
    used_bytes: u64,
    /// The bytes that no commit refers to and that were not collected yet.
    waiting_bytes: u64,
}

/// What an owner may still add.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// `None` without a quota.
    left_bytes: Option<u64>,
    exceeded: QuotaExceeded,
}

impl Room {
    /// The room an owner has at this moment. Others may fill it in the meantime, so this ends an upload that cannot succeed early,
    /// and [`exceeded`] decides.
    pub(crate) async fn of(registry: &Registry, owner: &str) -> Result<Self, RegistryError> {
        let own = registry.database().quota_of(owner).await?;
        let quota = quota(registry, own);
        // Counting takes longer the more an owner keeps, so it is done only where there is a bound.
        let used = match quota {
            Some(_) => registry.database().stored_by(owner).await?.used(),
            None => 0,
        };
        Ok(Self {
            left_bytes: quota.map(|quota| quota.saturating_sub(used)),
            exceeded: QuotaExceeded {
                quota_bytes: quota.unwrap_or(u64::MAX),
                used_bytes: used,
                waiting_bytes: 0,
            },
        })
    }

    /// Refuses an upload as soon as it is longer than the room.
    pub(crate) fn admit(&self, bytes: u64) -> Result<(), QuotaExceeded> {
        match self.left_bytes {
            Some(left) if bytes > left => Err(self.exceeded),
            _ => Ok(()),
        }
    }
}

/// Stores the files, unless their owner's quota is exceeded. No commit refers to them yet.
pub(crate) async fn keep(
    registry: &Registry,
    repository: &Repository,
    files: &mut Batch,
) -> Result<Option<QuotaExceeded>, RegistryError> {
    let sizes: Vec<(Sha256Digest, u64)> = files.sizes().collect();
    let exceeded = announce(registry, &repository.owner, &repository.id, sizes).await?;
    if exceeded.is_none() {
        let in_flight_max = registry.limits().content_writes_in_flight_max;
        files.keep(in_flight_max).await?;
    }
    Ok(exceeded)
}

/// Counts contents for an owner before they are stored. Those that the repository has already are
/// skipped.
pub(crate) async fn announce(
    registry: &Registry,
    owner: &str,
    repository: &str,
    mut sizes: Vec<(Sha256Digest, u64)>,
) -> Result<Option<QuotaExceeded>, RegistryError> {
    let database = registry.database();
    if sizes.is_empty() || quota(registry, database.quota_of(owner).await?).is_none() {
        return Ok(None);
    }
    let digests: Vec<Sha256Digest> = sizes.iter().map(|(digest, _)| *digest).collect();
    let given = database.given(repository, &digests).await?;
    sizes.retain(|(digest, _)| !given.contains_key(digest));
    if sizes.is_empty() {
        return Ok(None);
    }
    let mut writing = database.write().await?;
    writing.lock_quota(owner).await?;
    writing
        .insert_arrivals(owner, &sizes, clock::now_ms())
        .await?;
    let exceeded = exceeded(registry, &mut writing, owner, &BTreeSet::new()).await?;
    if exceeded.is_none() {
        writing.commit().await?;
    }
    Ok(exceeded)
}

/// Checks the owner's quota against what the transaction has written. The commit in it refers to
/// the `arrived` contents, so they no longer count as waiting.
pub(crate) async fn exceeded(
    registry: &Registry,
    writing: &mut Writing,
    owner: &str,
    arrived: &BTreeSet<Sha256Digest>,
) -> Result<Option<QuotaExceeded>, RegistryError> {
    let Some(quota_bytes) = quota(registry, writing.quota_of(owner).await?) else {
        return Ok(None);
    };
    writing.lock_quota(owner).await?;
    writing.delete_arrivals(owner, arrived).await?;
    let stored = writing.stored_by(owner).await?;
    let (used_bytes, all_bytes) = (stored.used(), stored.all());
    let is_exceeded = used_bytes > quota_bytes || all_bytes > quota_bytes.saturating_mul(2);
    Ok(is_exceeded.then_some(QuotaExceeded {
        quota_bytes,
        used_bytes,
        waiting_bytes: all_bytes - used_bytes,
    }))
}

/// Counts the contents that only this repository refers to for its owner until they are collected.
/// Call this before the repository is deleted.
pub(crate) async fn abandon(
    registry: &Registry,
    writing: &mut Writing,
    repository: &Repository,
) -> Result<(), RegistryError> {
    let owner = &repository.owner;
    if quota(registry, writing.quota_of(owner).await?).is_none() {
        return Ok(());
    }
    writing.lock_quota(owner).await?;
    writing
        .abandon_contents(owner, &repository.id, clock::now_ms())
        .await
}

fn quota(registry: &Registry, own: Option<i64>) -> Option<u64> {
    own.map(|bytes| bytes.max(0).unsigned_abs())
        .or(registry.limits().owner_bytes_max)
}

/// The public Hub answers 403 here, and its clients show the text.
impl From<QuotaExceeded> for Refusal {
    fn from(exceeded: QuotaExceeded) -> Self {
        let QuotaExceeded {
            quota_bytes,
            used_bytes,
            waiting_bytes,
        } = exceeded;
        if used_bytes <= quota_bytes && waiting_bytes > 0 {
            return Self::forbidden(format!(
                "Storage limit reached: the owner may keep {quota_bytes} bytes, and {waiting_bytes} bytes that were deleted or refused \
                 still wait to be collected. Try again after the registry's next garbage collection."
            ));
        }
        Self::forbidden(format!(
            "Storage limit reached: the owner may keep {quota_bytes} bytes and would have more with this ({used_bytes} counted). \
             Delete a repository or ask the registry's operator for a larger quota."
        ))
    }
}

//! Enforces the storage quota of an owner: their own, else the registry's.
//!
//! The quota bounds what commits refer to; twice the quota bounds all that the owner has on the
//! disk, so that whoever deletes a repository has room at once. Content that was announced counts
//! as if it were there. Content that arrived counts for its sender, from before it is stored until
//! a commit refers to it or it is collected. Bodies of requests count while they are written.

pub(crate) mod uploads_in_progress;

use std::collections::BTreeSet;

use crate::clock;
use crate::content::Sha256Digest;
use crate::database::WriteTransaction;
use crate::database::keys::{AccountKey, RepositoryKey};
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::http::Refusal;
use crate::registry::Registry;

use uploads_in_progress::Body;

/// An owner keeps, or would keep, more than they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuotaExceeded {
    quota_bytes: u64,
    used_bytes: u64,
    /// The bytes that no commit refers to and that were not collected yet.
    waiting_bytes: u64,
    /// The bytes that other requests are sending.
    arriving_bytes: u64,
}

/// The reason why contents are not taken for an owner.
#[derive(Debug)]
pub(crate) enum QuotaError {
    Exceeded(QuotaExceeded),
    Registry(RegistryError),
}

impl From<RegistryError> for QuotaError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

/// The bytes that an owner may still add, and those of them that are on their way with the body
/// that this belongs to.
#[derive(Debug, Default)]
pub(crate) struct Room(
    /// `None` without a quota.
    Option<BoundedRoom>,
);

#[derive(Debug)]
struct BoundedRoom {
    /// The bytes that this body may have, because commits would refer to it.
    left_bytes: u64,
    exceeded: QuotaExceeded,
    body: Body,
}

impl Room {
    /// The room an owner has at this moment. Others may fill it in the meantime, so this ends an
    /// upload that cannot succeed early, and [`check`] decides.
    pub(crate) async fn of(registry: &Registry, owner: &AccountKey) -> Result<Self, RegistryError> {
        let own = registry.database().quota_of(owner).await?;
        // Counting takes longer the more an owner keeps, so it is done only where there is a bound.
        let Some(quota_bytes) = quota(registry, own) else {
            return Ok(Self(None));
        };
        let (body, moment) = registry.arriving().open(owner);
        let stored = registry.database().stored_by(owner).await?;
        body.looked(moment, stored.on_disk());
        let used_bytes = stored.used();
        Ok(Self(Some(BoundedRoom {
            left_bytes: quota_bytes.saturating_sub(used_bytes),
            exceeded: QuotaExceeded {
                quota_bytes,
                used_bytes,
                waiting_bytes: stored.all() - used_bytes,
                arriving_bytes: 0,
            },
            body,
        })))
    }

    /// The same for what was announced, and so counts as used already.
    pub(crate) async fn of_announced(
        registry: &Registry,
        owner: &AccountKey,
    ) -> Result<Self, RegistryError> {
        let mut room = Self::of(registry, owner).await?;
        if let Some(bounded) = &mut room.0 {
            bounded.left_bytes = u64::MAX;
        }
        Ok(room)
    }

    /// Counts further bytes before they are written; refuses them as soon as there is no room.
    pub(crate) fn admit(&mut self, bytes: u64) -> Result<(), QuotaExceeded> {
        let Some(bounded) = &mut self.0 else {
            return Ok(());
        };
        bounded.left_bytes = bounded
            .left_bytes
            .checked_sub(bytes)
            .ok_or(bounded.exceeded)?;
        let disk_max = bounded.exceeded.quota_bytes.saturating_mul(2);
        let added = bounded.body.add(bytes, disk_max);
        added.map_err(|arriving_bytes| QuotaExceeded {
            arriving_bytes,
            ..bounded.exceeded
        })
    }

    fn body(&mut self) -> Option<&mut Body> {
        self.0.as_mut().map(|bounded| &mut bounded.body)
    }
}

/// Counts contents for an owner before they are stored. Those that the repository has already are
/// skipped.
pub(crate) async fn announce(
    registry: &Registry,
    owner: &AccountKey,
    repository: &RepositoryKey,
    mut sizes: Vec<(Sha256Digest, u64)>,
    room: &mut Room,
) -> Result<(), QuotaError> {
    let database = registry.database();
    if sizes.is_empty() || quota(registry, database.quota_of(owner).await?).is_none() {
        return Ok(());
    }
    let digests: Vec<Sha256Digest> = sizes.iter().map(|(digest, _)| *digest).collect();
    let given = database.given(repository, &digests).await?;
    sizes.retain(|(digest, _)| !given.contains_key(digest));
    if sizes.is_empty() {
        return Ok(());
    }
    let mut writing = database.write().await?;
    writing.lock_quota(owner).await?;
    writing
        .insert_arrivals(owner, &sizes, clock::now_ms())
        .await?;
    check_with(registry, &mut writing, owner, &BTreeSet::new(), room).await?;
    Ok(writing.commit().await?)
}

/// Checks the owner's quota against what the transaction has written. The commit in it refers to
/// the `arrived` contents, so they no longer count as waiting.
pub(crate) async fn check(
    registry: &Registry,
    writing: &mut WriteTransaction,
    owner: &AccountKey,
    arrived: &BTreeSet<Sha256Digest>,
) -> Result<(), QuotaError> {
    check_with(registry, writing, owner, arrived, &mut Room::default()).await
}

/// The same for a transaction that counts the body of `room`, which no longer counts as arriving
/// afterwards.
pub(crate) async fn check_with(
    registry: &Registry,
    writing: &mut WriteTransaction,
    owner: &AccountKey,
    arrived: &BTreeSet<Sha256Digest>,
    room: &mut Room,
) -> Result<(), QuotaError> {
    let Some(quota_bytes) = quota(registry, writing.quota_of(owner).await?) else {
        return Ok(());
    };
    writing.lock_quota(owner).await?;
    writing.delete_arrivals(owner, arrived).await?;
    let stored = writing.stored_by(owner).await?;
    let (used_bytes, all_bytes) = (stored.used(), stored.all());
    let arriving_bytes = registry.arriving().beside(owner, room.body().as_deref());
    let disk_max = quota_bytes.saturating_mul(2);
    let is_exceeded = used_bytes > quota_bytes
        || all_bytes > disk_max
        || stored.on_disk().saturating_add(arriving_bytes) > disk_max;
    if is_exceeded {
        return Err(QuotaError::Exceeded(QuotaExceeded {
            quota_bytes,
            used_bytes,
            waiting_bytes: all_bytes - used_bytes,
            arriving_bytes,
        }));
    }
    registry
        .arriving()
        .counted(owner, stored.on_disk(), room.body());
    Ok(())
}

/// Counts the contents that only this repository refers to for its owner until they are collected.
/// Call this before the repository is deleted.
pub(crate) async fn abandon(
    registry: &Registry,
    writing: &mut WriteTransaction,
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

impl From<QuotaError> for Refusal {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::Exceeded(exceeded) => exceeded.into(),
            QuotaError::Registry(error) => error.into(),
        }
    }
}

/// The public Hub answers 403 here, and its clients show the text.
impl From<QuotaExceeded> for Refusal {
    fn from(exceeded: QuotaExceeded) -> Self {
        let QuotaExceeded {
            quota_bytes,
            used_bytes,
            waiting_bytes,
            arriving_bytes,
        } = exceeded;
        if used_bytes <= quota_bytes && arriving_bytes > 0 {
            return Self::forbidden(format!(
                "Storage limit reached: the owner may keep {quota_bytes} bytes, and {arriving_bytes} bytes are being sent at this moment \
                 beside these. Try again when they have arrived."
            ));
        }
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

//! Sets the storage quota of a user or an organisation, and reads it with the storage they use.

use crate::error::RegistryError;
use crate::registry::Registry;

/// The storage that an owner uses, and their quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnerStorage {
    /// Bytes of every version of every file, once for each repository that holds it.
    pub used_bytes: u64,
    /// Bytes of LFS objects that were announced but have not arrived. They count against the quota,
    /// too.
    pub announced_bytes: u64,
    /// The owner's own quota; without one the registry's
    /// [`owner_bytes_max`](crate::Limits::owner_bytes_max) counts.
    pub quota_bytes: Option<u64>,
}

impl Registry {
    /// Gives a user or an organisation a quota of its own, or takes it away. Who keeps more already
    /// keeps it and adds nothing.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NoSuchAccount`] when there is no such owner.
    pub async fn set_quota(
        &self,
        owner: &str,
        quota_bytes: Option<u64>,
    ) -> Result<(), RegistryError> {
        let owner = self.find_owner(owner).await?;
        let quota_bytes = quota_bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
        let mut writing = self.database().write().await?;
        writing.set_quota(&owner.id, quota_bytes).await?;
        writing.commit().await
    }

    /// The storage that a user or an organisation uses.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NoSuchAccount`] when there is no such owner.
    pub async fn storage_of(&self, owner: &str) -> Result<OwnerStorage, RegistryError> {
        let owner = self.find_owner(owner).await?;
        let stored = self.database().stored_by(&owner.id).await?;
        Ok(OwnerStorage {
            used_bytes: stored.referenced_bytes.max(0).unsigned_abs(),
            announced_bytes: stored.announced_bytes.max(0).unsigned_abs(),
            quota_bytes: stored.quota_bytes.map(|bytes| bytes.max(0).unsigned_abs()),
        })
    }
}

//! How much an owner may keep: their own quota, else the registry's.

use crate::database::Writing;
use crate::database::quotas::Stored;
use crate::error::RegistryError;
use crate::http::Refusal;
use crate::registry::Registry;

/// An owner keeps, or would keep, more than they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuotaExceeded {
    quota_bytes: u64,
    used_bytes: u64,
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
            Some(_) => used(registry.database().stored_by(owner).await?),
            None => 0,
        };
        Ok(Self {
            left_bytes: quota.map(|quota| quota.saturating_sub(used)),
            exceeded: QuotaExceeded {
                quota_bytes: quota.unwrap_or(u64::MAX),
                used_bytes: used,
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

/// Whether the owner keeps too much with what the transaction has written.
pub(crate) async fn exceeded(
    registry: &Registry,
    writing: &mut Writing,
    owner: &str,
) -> Result<Option<QuotaExceeded>, RegistryError> {
    let Some(quota_bytes) = quota(registry, writing.quota_of(owner).await?) else {
        return Ok(None);
    };
    writing.lock_quota(owner).await?;
    let used_bytes = used(writing.stored_by(owner).await?);
    Ok((used_bytes > quota_bytes).then_some(QuotaExceeded {
        quota_bytes,
        used_bytes,
    }))
}

fn quota(registry: &Registry, own: Option<i64>) -> Option<u64> {
    own.map(|bytes| bytes.max(0).unsigned_abs())
        .or(registry.limits().owner_bytes_max)
}

fn used(stored: Stored) -> u64 {
    stored.used_bytes.max(0).unsigned_abs()
}

/// The public Hub answers 403 here, and its clients show the text.
impl From<QuotaExceeded> for Refusal {
    fn from(exceeded: QuotaExceeded) -> Self {
        let QuotaExceeded {
            quota_bytes,
            used_bytes,
        } = exceeded;
        Self::forbidden(format!(
            "Storage limit reached: the owner may keep {quota_bytes} bytes and would have more with this ({used_bytes} counted). \
             Delete a repository or ask the registry's operator for a larger quota."
        ))
    }
}

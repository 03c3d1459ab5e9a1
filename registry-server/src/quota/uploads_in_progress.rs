//! Counts, in this process's memory, the bytes of uploads in progress towards their owner's quota.
//!
//! Such an upload may stay open for as long as its client likes, before a transaction counts it.
//!
//! One table for the process. Each body counts for its owner while it is written to the disk, until
//! a transaction counts its bytes or it is dropped.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::database::keys::AccountKey;

/// The bodies of all owners.
#[derive(Debug, Clone, Default)]
pub(crate) struct UploadsInProgress(Arc<Mutex<HashMap<AccountKey, Owner>>>);

/// An owner with open bodies.
#[derive(Debug, Default)]
struct Owner {
    bodies: usize,
    arriving_bytes: u64,
    /// The bytes on the disk beside them, as they were last counted.
    stored_bytes: u64,
    /// Transactions that have counted since the first body was opened.
    counts: u64,
}

/// One body, or several that belong together.
#[derive(Debug)]
pub(crate) struct Body {
    owner: AccountKey,
    bytes: u64,
    arriving: UploadsInProgress,
}

/// A moment between two transactions that count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountGeneration(u64);

impl UploadsInProgress {
    fn owners(&self) -> MutexGuard<'_, HashMap<AccountKey, Owner>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open(&self, owner: &AccountKey) -> (Body, CountGeneration) {
        let mut owners = self.owners();
        let entry = owners.entry(owner.to_owned()).or_default();
        entry.bodies += 1;
        let body = Body {
            owner: owner.to_owned(),
            bytes: 0,
            arriving: self.clone(),
        };
        (body, CountGeneration(entry.counts))
    }

    /// The bytes that are arriving for an owner, without this body.
    pub(crate) fn beside(&self, owner: &AccountKey, own: Option<&Body>) -> u64 {
        let owners = self.owners();
        let all = owners.get(owner).map_or(0, |owner| owner.arriving_bytes);
        all - own.map_or(0, |own| own.bytes)
    }

    /// A transaction has counted what the disk holds of an owner, and this body with it.
    pub(crate) fn counted(&self, owner: &AccountKey, stored_bytes: u64, own: Option<&mut Body>) {
        let mut owners = self.owners();
        if let Some(owner) = owners.get_mut(owner) {
            owner.counts += 1;
            owner.stored_bytes = stored_bytes;
            if let Some(own) = own {
                owner.arriving_bytes -= std::mem::take(&mut own.bytes);
            }
        }
    }
}

impl Body {
    /// Records the owner's bytes on the disk, which were counted after `moment`, unless a
    /// transaction has counted them since then.
    pub(crate) fn looked(&self, moment: CountGeneration, stored_bytes: u64) {
        if let Some(owner) = self.arriving.owners().get_mut(&self.owner)
            && owner.counts == moment.0
        {
            owner.stored_bytes = stored_bytes;
        }
    }

    /// Counts further bytes, unless the disk would then hold more than `bytes_max` of the owner.
    /// The error is the number of bytes that the owner's other open bodies have sent.
    pub(crate) fn add(&mut self, bytes: u64, bytes_max: u64) -> Result<(), u64> {
        let mut owners = self.arriving.owners();
        let owner = owners.entry(self.owner.clone()).or_default();
        let all = owner.stored_bytes.saturating_add(owner.arriving_bytes);
        if all.saturating_add(bytes) > bytes_max {
            return Err(owner.arriving_bytes - self.bytes);
        }
        owner.arriving_bytes += bytes;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        let mut owners = self.arriving.owners();
        if let Some(owner) = owners.get_mut(&self.owner) {
            owner.arriving_bytes -= self.bytes;
            owner.bodies -= 1;
            if owner.bodies == 0 {
                owners.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_an_owner_share_a_bound_and_give_back() {
        let arriving = UploadsInProgress::default();
        let (alice, bob) = (AccountKey::from("alice"), AccountKey::from("bob"));
        let (mut first, moment) = arriving.open(&alice);
        first.looked(moment, 40);
        assert_eq!(first.add(30, 100), Ok(()));
        let (mut second, moment) = arriving.open(&alice);
        second.looked(moment, 40);
        assert_eq!(second.add(31, 100), Err(30));
        assert_eq!(second.add(30, 100), Ok(()));
        assert_eq!(arriving.beside(&alice, Some(&second)), 30);
        assert_eq!(arriving.beside(&bob, None), 0);
        // What a transaction has counted is stored and arrives no more.
        arriving.counted(&alice, 70, Some(&mut first));
        assert_eq!(second.add(1, 100), Err(0));
        // Who looked before it knows less.
        second.looked(moment, 40);
        assert_eq!(second.add(1, 100), Err(0));
        drop(first);
        assert_eq!(arriving.beside(&alice, None), 30);
        drop(second);
        assert!(arriving.owners().is_empty());
    }
}

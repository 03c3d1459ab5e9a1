//! Divides a host's places for calls fairly among callers: who may take one, and who is next.
//! Places for calls that run and places in the queue are counted apart.

use std::collections::HashMap;

use crate::call::admission::caller::CallerKey;

/// A caller may take another place while it holds fewer than this many times the free ones. A
/// single caller gets at most 7/8 of all; two get 7/15 each; a new caller finds a free place unless
/// more than a handful of others take all they can.
const SHARE_FACTOR: u32 = 7;

/// The number of places each caller holds.
#[derive(Debug)]
pub(super) struct FairShares {
    max: u32,
    total: u32,
    /// Callers that hold at least one place.
    each: HashMap<Option<CallerKey>, u32>,
}

impl FairShares {
    pub(super) fn new(max: u32) -> Self {
        Self {
            max,
            total: 0,
            each: HashMap::new(),
        }
    }

    pub(super) fn total(&self) -> u32 {
        self.total
    }

    /// Takes `places` for `caller`, all or none, if they are free and its share allows the first.
    pub(super) fn admit(&mut self, caller: Option<&CallerKey>, places: u32) -> bool {
        let may = self.may_admit(caller, places);
        if may {
            self.total += places;
            *self.each.entry(caller.cloned()).or_default() += places;
        }
        may
    }

    /// Frees `places` of `caller`.
    pub(super) fn release(&mut self, caller: Option<&CallerKey>, places: u32) {
        let caller = caller.cloned();
        if let Some(held) = self.each.get_mut(&caller) {
            *held -= places;
            self.total -= places;
            if *held == 0 {
                self.each.remove(&caller);
            }
        }
    }

    /// Calls of the embedder itself, which have no caller, may use every free place.
    fn may_admit(&self, caller: Option<&CallerKey>, places: u32) -> bool {
        let free = self.max - self.total;
        let is_within_share =
            caller.is_none() || self.held(caller) < free.saturating_mul(SHARE_FACTOR);
        free >= places && is_within_share
    }

    fn held(&self, caller: Option<&CallerKey>) -> u32 {
        self.each.get(&caller.cloned()).copied().unwrap_or_default()
    }
}

/// The index of the next of `callers`, each with the places that it needs: the first of those with
/// the fewest places whose share allows another one.
pub(super) fn next_waiter<'a>(
    holders: &FairShares,
    callers: impl Iterator<Item = (Option<&'a CallerKey>, u32)>,
) -> Option<usize> {
    let admissible = callers
        .enumerate()
        .filter(|(_, (caller, places))| holders.may_admit(*caller, *places));
    let next = admissible.min_by_key(|(_, (caller, _))| holders.held(*caller));
    next.map(|(index, _)| index)
}

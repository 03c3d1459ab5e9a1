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

    /// Takes a place for `caller`, if its share allows it.
    pub(super) fn admit(&mut self, caller: Option<&CallerKey>) -> bool {
        let may = self.may_admit(caller);
        if may {
            self.total += 1;
            *self.each.entry(caller.cloned()).or_default() += 1;
        }
        may
    }

    /// Frees one of `caller`'s places.
    pub(super) fn release(&mut self, caller: Option<&CallerKey>) {
        let caller = caller.cloned();
        if let Some(held) = self.each.get_mut(&caller) {
            *held -= 1;
            self.total -= 1;
            if *held == 0 {
                self.each.remove(&caller);
            }
        }
    }

    /// Calls of the embedder itself, which have no caller, may use every free place.
    fn may_admit(&self, caller: Option<&CallerKey>) -> bool {
        let free = self.max - self.total;
        match caller {
            Some(_) => self.held(caller) < free.saturating_mul(SHARE_FACTOR),
            None => free > 0,
        }
    }

    fn held(&self, caller: Option<&CallerKey>) -> u32 {
        self.each.get(&caller.cloned()).copied().unwrap_or_default()
    }
}

/// The index of the next of `callers`: the first of those with the fewest places whose share allows
/// another one.
pub(super) fn next_waiter<'a>(
    holders: &FairShares,
    callers: impl Iterator<Item = Option<&'a CallerKey>>,
) -> Option<usize> {
    let admissible = callers
        .enumerate()
        .filter(|(_, caller)| holders.may_admit(*caller));
    let next = admissible.min_by_key(|(_, caller)| holders.held(*caller));
    next.map(|(index, _)| index)
}

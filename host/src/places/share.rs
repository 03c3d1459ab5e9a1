//! What one caller may have of something that all of them want.

use std::collections::HashMap;

use super::CallerKey;

/// A caller may take one more as long as it holds fewer than so many times what is free. One
/// alone gets seven eighths; two get seven fifteenths each; and whoever has nothing finds
/// something free until more than a handful take all they can.
const TIMES_FREE: u32 = 7;

/// Who holds how many of so many.
#[derive(Debug)]
pub(super) struct Holders {
    max: u32,
    total: u32,
    /// Without those who hold none.
    each: HashMap<Option<CallerKey>, u32>,
}

impl Holders {
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

    /// Gives `caller` one more, if it may have one.
    pub(super) fn admit(&mut self, caller: Option<&CallerKey>) -> bool {
        let may = self.may_admit(caller);
        if may {
            self.total += 1;
            *self.each.entry(caller.cloned()).or_default() += 1;
        }
        may
    }

    /// Takes back one of what `caller` holds.
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

    /// Nothing is kept back from the embedder itself, which names no caller.
    fn may_admit(&self, caller: Option<&CallerKey>) -> bool {
        let free = self.max - self.total;
        match caller {
            Some(_) => self.held(caller) < free.saturating_mul(TIMES_FREE),
            None => free > 0,
        }
    }

    fn held(&self, caller: Option<&CallerKey>) -> u32 {
        self.each.get(&caller.cloned()).copied().unwrap_or_default()
    }
}

/// Which of `callers` is next: of those who may have one more, the first of those who hold the
/// fewest.
pub(super) fn fewest<'a>(
    holders: &Holders,
    callers: impl Iterator<Item = Option<&'a CallerKey>>,
) -> Option<usize> {
    let admissible = callers
        .enumerate()
        .filter(|(_, caller)| holders.may_admit(*caller));
    let next = admissible.min_by_key(|(_, caller)| holders.held(*caller));
    next.map(|(index, _)| index)
}

//! The memory of one rendering, which is given back at once.

use std::cell::Cell;

use bumpalo::Bump;

use crate::error::{Outcome, too_much};

/// How much is taken from the system at first.
const FIRST_BYTES: usize = 8 << 10;
/// How much a thread keeps for its next rendering.
const KEPT_BYTES_MAX: usize = 256 << 10;

thread_local! {
    /// That of the last rendering, emptied.
    static KEPT: Cell<Option<Bump>> = const { Cell::new(None) };
}

/// Memory up to a limit.
pub(crate) struct Memory {
    bump: Bump,
    bytes_max: usize,
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.bump.allocated_bytes() <= KEPT_BYTES_MAX {
            let mut bump = std::mem::take(&mut self.bump);
            bump.reset();
            // A thread that ends keeps nothing.
            let _ = KEPT.try_with(|kept| kept.set(Some(bump)));
        }
    }
}

impl Memory {
    pub(crate) fn new(bytes_max: usize) -> Self {
        let kept = KEPT.try_with(Cell::take).ok().flatten();
        let bump = kept.unwrap_or_else(|| Bump::with_capacity(FIRST_BYTES));
        bump.set_allocation_limit(Some(bytes_max.max(bump.allocated_bytes())));
        Self { bump, bytes_max }
    }

    fn given<T>(&self, taken: Result<T, bumpalo::AllocErr>) -> Outcome<T> {
        match taken {
            Ok(taken) => Ok(taken),
            Err(_) => too_much("memory_bytes", self.bytes_max),
        }
    }

    /// Puts what is not dropped, and need not be.
    pub(crate) fn made<T>(&self, value: T) -> Outcome<&T> {
        const { assert!(!std::mem::needs_drop::<T>()) };
        self.given(self.bump.try_alloc(value)).map(|it| &*it)
    }

    pub(crate) fn text(&self, text: &str) -> Outcome<&str> {
        self.given(self.bump.try_alloc_str(text)).map(|it| &*it)
    }

    pub(crate) fn slice<T: Copy>(&self, items: &[T]) -> Outcome<&[T]> {
        self.given(self.bump.try_alloc_slice_copy(items))
            .map(|it| &*it)
    }

    /// `length` items, of which `make` gives one after the other.
    pub(crate) fn filled<T>(&self, length: usize, make: impl FnMut(usize) -> T) -> Outcome<&[T]> {
        const { assert!(!std::mem::needs_drop::<T>()) };
        let slice = self.bump.try_alloc_slice_fill_with(length, make);
        self.given(slice).map(|it| &*it)
    }
}

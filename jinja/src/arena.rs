//! The memory of one rendering, which is given back at once.

use bumpalo::Bump;

use crate::error::{Outcome, too_much};

/// How much is taken from the system at first.
const FIRST_BYTES: usize = 8 << 10;

/// Memory up to a limit.
pub(crate) struct Memory {
    bump: Bump,
    bytes_max: usize,
}

impl Memory {
    pub(crate) fn new(bytes_max: usize) -> Self {
        let bump = Bump::with_capacity(FIRST_BYTES);
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

//! Bounds the compilations that run at once: as many as there are cores.
//! More would be no faster, and each may take all the memory that one compilation gets.

use std::num::NonZero;
use std::sync::{Condvar, LazyLock, Mutex, PoisonError};
use std::thread;

/// The slots of the compilations that may run.
pub(crate) struct CompileSlots {
    /// Counted when something is compiled: asking the system for the cores takes 50 µs.
    free: LazyLock<Mutex<usize>>,
    freed: Condvar,
}

/// A taken slot; dropping it frees it.
pub(crate) struct CompileSlot<'a>(&'a CompileSlots);

impl CompileSlots {
    /// One slot for each core.
    pub(crate) fn new() -> Self {
        Self {
            free: LazyLock::new(|| {
                Mutex::new(thread::available_parallelism().map_or(1, NonZero::get))
            }),
            freed: Condvar::new(),
        }
    }

    /// Waits for a free slot, blocking the thread.
    pub(crate) fn take(&self) -> CompileSlot<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self
            .freed
            .wait_while(free, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        CompileSlot(self)
    }
}

impl Drop for CompileSlot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

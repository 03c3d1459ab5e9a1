//! How many compilations run at once: as many as there are cores. More would be no faster,
//! and each may take all the memory that one compilation gets.

use std::num::NonZero;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// Turns to compile.
pub(crate) struct Turns {
    free: Mutex<usize>,
    returned: Condvar,
}

/// One turn; dropping it gives it back.
pub(crate) struct Turn<'a>(&'a Turns);

impl Turns {
    /// As many as there are cores.
    pub(crate) fn new() -> Self {
        Self {
            free: Mutex::new(thread::available_parallelism().map_or(1, NonZero::get)),
            returned: Condvar::new(),
        }
    }

    /// Waits for a turn, blocking the thread.
    pub(crate) fn take(&self) -> Turn<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self
            .returned
            .wait_while(free, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.returned.notify_one();
    }
}

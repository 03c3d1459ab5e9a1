//! Values that belong to one process: a fork's child makes its own and leaves the parent's alone.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use once_cell::race::OnceBox;

/// The number of forks between the first process and this one.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Says that this process is a child whose parent used this crate.
pub(crate) fn forked() {
    GENERATION.fetch_add(1, SeqCst);
}

/// A value for each process that shares this memory by forking.
///
/// A fork copies a process with one of its threads. Locks that other threads held stay locked in
/// the child, and whatever waits for those threads waits for ever. So the child neither uses nor
/// drops what its parent made, and no lock is shared between the two: each has a node of its own.
pub struct PerProcess<T> {
    generation: u64,
    value: OnceLock<T>,
    /// The node of the next generation. Nobody waits while it is made: a grandchild passes it on
    /// the way to its own, and a thread of its parent may have been about to make it.
    next: OnceBox<PerProcess<T>>,
}

impl<T> PerProcess<T> {
    /// No value yet. Only for statics, which are there before any fork.
    pub(crate) const fn new() -> Self {
        Self {
            generation: 0,
            value: OnceLock::new(),
            next: OnceBox::new(),
        }
    }

    /// A value for this process.
    pub fn with(value: T) -> Self {
        let made = Self::empty();
        let _ = made.value.set(value);
        made
    }

    /// This process's value, if it has one.
    pub fn get(&self) -> Option<&T> {
        self.node().value.get()
    }

    /// The value that this was made with, unless a parent made it.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        match self.is_own() {
            true => self.value.get_mut(),
            false => None,
        }
    }

    /// The value that this was made with, unless a parent made it or it was taken before.
    pub fn take(&mut self) -> Option<T> {
        match self.is_own() {
            true => self.value.take(),
            false => None,
        }
    }

    /// This process's value, which `make` makes if there is none. Where two threads make one, the
    /// first to be done prevails.
    ///
    /// # Errors
    /// The error of `make`.
    pub(crate) fn get_or_try<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        let node = self.node();
        if let Some(value) = node.value.get() {
            return Ok(value);
        }
        let made = make()?;
        Ok(node.value.get_or_init(|| made))
    }

    fn empty() -> Self {
        Self {
            generation: GENERATION.load(SeqCst),
            value: OnceLock::new(),
            next: OnceBox::new(),
        }
    }

    fn is_own(&self) -> bool {
        self.generation == GENERATION.load(SeqCst)
    }

    fn node(&self) -> &Self {
        let generation = GENERATION.load(SeqCst);
        let mut node = self;
        while node.generation != generation {
            node = node.next.get_or_init(|| Box::new(Self::empty()));
        }
        node
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        if !self.is_own() {
            // A parent's: to drop it could wait for the parent's threads.
            std::mem::forget(self.value.take());
        }
    }
}

//! The `Mailbox` of a JavaScript thread: events wait in it, and one call wakes the thread for many.

use std::sync::{Mutex, PoisonError};

use napi::Status;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};

use crate::event::Event;

/// Wakes the thread. It does not keep the thread's event loop alive.
pub(crate) type Wake = ThreadsafeFunction<(), (), (), Status, false, true>;

/// Events for one JavaScript thread. Waking a thread costs more than a short call, so whoever finds
/// events waiting does not wake it again.
pub(crate) struct Mailbox {
    /// Absent once the thread has ended.
    waiting: Mutex<Option<Vec<Event>>>,
    wake: Wake,
}

impl Mailbox {
    pub(crate) fn new(wake: Wake) -> Self {
        Self {
            waiting: Mutex::new(Some(Vec::new())),
            wake,
        }
    }

    /// Hands an event to the thread, unless it has ended.
    pub(crate) fn put(&self, event: Event) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(events) = waiting.as_mut() else {
            return;
        };
        events.push(event);
        let is_first = events.len() == 1;
        drop(waiting);
        if is_first {
            self.wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }

    /// All events that wait.
    pub(crate) fn take(&self) -> Vec<Event> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes no more events: the thread ends.
    pub(crate) fn close(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = None;
    }
}

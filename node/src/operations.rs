//! The `Operations` of a JavaScript thread that are under way, and the questions that wait for it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// Operations by the numbers that JavaScript gave them. When the thread ends, all are dropped,
/// which stops their guests.
#[derive(Default)]
pub(crate) struct Operations {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    under_way: HashMap<u32, AbortHandle>,
    questions: HashMap<u32, oneshot::Sender<Value>>,
    last_question: u32,
    is_closed: bool,
}

impl Operations {
    /// Takes note of an operation, which `begin` begins.
    pub(crate) fn begin(&self, number: u32, begin: impl FnOnce() -> AbortHandle) {
        let mut state = self.state();
        // It may end before this returns, and then waits for the lock to say so.
        if !state.is_closed {
            let handle = begin();
            state.under_way.insert(number, handle);
        }
    }

    /// Forgets an operation that has ended.
    pub(crate) fn end(&self, number: u32) {
        self.state().under_way.remove(&number);
    }

    /// Drops an operation, if it is under way.
    pub(crate) fn abort(&self, number: u32) {
        let handle = self.state().under_way.remove(&number);
        if let Some(handle) = handle {
            handle.abort();
        }
    }

    /// The number of a new question, and its answer once it is there.
    pub(crate) fn question(&self) -> (u32, oneshot::Receiver<Value>) {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        // Nobody waits any longer for the answers to questions of calls that were dropped.
        state.questions.retain(|_, sender| !sender.is_closed());
        state.last_question = state.last_question.wrapping_add(1);
        let number = state.last_question;
        state.questions.insert(number, sender);
        (number, receiver)
    }

    /// Answers a question, if somebody still waits for the answer.
    pub(crate) fn answer(&self, question: u32, answer: Value) {
        let sender = self.state().questions.remove(&question);
        if let Some(sender) = sender {
            // The call may have ended meanwhile.
            let _ = sender.send(answer);
        }
    }

    /// Drops all operations, and begins no more: the thread ends.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.questions.clear();
        let under_way = std::mem::take(&mut state.under_way);
        drop(state);
        for handle in under_way.into_values() {
            handle.abort();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

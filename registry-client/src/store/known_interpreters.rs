//! The interpreters that tools of this process have in memory, by their digests.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tool_hub_manifest::{Digest, Interpreter, WeakInterpreter};

/// The interpreters that tools of this process have in memory.
#[derive(Debug, Default)]
pub(super) struct KnownInterpreters(Mutex<HashMap<Digest, WeakInterpreter>>);

impl KnownInterpreters {
    pub(super) fn get(&self, digest: Digest) -> Option<Interpreter> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&digest)?.upgrade()
    }

    pub(super) fn add(&self, interpreter: &Interpreter) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, interpreter| interpreter.upgrade().is_some());
        known.insert(interpreter.digest(), interpreter.downgrade());
    }
}

//! Reads compiled components from the cache on other threads, before they are asked for.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tool_hub_manifest::Digest;
use wasmtime::component::Component;

/// Components that other threads read from the cache, or fail to, until somebody asks for them.
#[derive(Default)]
pub(crate) struct Prefetch {
    begun: Mutex<HashMap<Digest, Receiver<Option<Component>>>>,
}

impl Prefetch {
    /// Begins to `read` the component with `digest`, on another thread.
    pub(crate) fn begin(
        &self,
        digest: Digest,
        read: impl FnOnce() -> Option<Component> + Send + 'static,
    ) {
        let (send, receive) = sync_channel(1);
        self.begun().insert(digest, receive);
        // Blocking work starts in the order in which it is given, so a load that waits for
        // this one on such a thread never keeps it from starting.
        tokio::task::spawn_blocking(move || {
            // Nobody waits any more when the host is gone.
            let _ = send.send(read());
        });
    }

    /// Waits for the read that was begun for `digest`; `None` if there was none.
    pub(crate) fn finish(&self, digest: &Digest) -> Option<Option<Component>> {
        let begun = self.begun().remove(digest);
        begun?.recv().ok()
    }

    fn begun(&self) -> MutexGuard<'_, HashMap<Digest, Receiver<Option<Component>>>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

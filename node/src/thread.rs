//! The `Thread`: runs a JavaScript thread's operations on other threads, and queues their results.

use std::sync::Arc;

use tool_hub_embed::{Answer, Call, Error, Process};

use crate::error::error_event;
use crate::event::Event;
use crate::mailbox::{Mailbox, Wake};
use crate::operations::Operations;

/// A JavaScript thread, shared with the operations that it began.
pub(crate) struct Thread {
    pub(crate) mailbox: Mailbox,
    pub(crate) operations: Operations,
}

impl Thread {
    pub(crate) fn new(wake: Wake) -> Arc<Self> {
        Arc::new(Self {
            mailbox: Mailbox::new(wake),
            operations: Operations::default(),
        })
    }

    /// Begins a call, of whose answer `event` tells. It is stopped when the operation is aborted.
    pub(crate) fn begin_call(
        self: &Arc<Self>,
        operation: u32,
        process: &Process,
        call: Call,
        event: fn(u32, &Answer) -> Event,
    ) {
        let thread = Arc::clone(self);
        let whole = async move {
            let answer = call.await;
            thread.operations.end(operation);
            thread.mailbox.put(event(operation, &answer));
        };
        self.operations
            .begin(operation, || process.spawn(whole).abort_handle());
    }

    /// Begins an operation that blocks, on a thread of its own.
    pub(crate) fn begin_blocking(
        self: &Arc<Self>,
        operation: u32,
        work: impl FnOnce() -> Result<Event, Error> + Send + 'static,
    ) -> napi::Result<()> {
        let thread = Arc::clone(self);
        let whole = move || {
            let event = work().unwrap_or_else(|error| error_event(operation, &error));
            thread.mailbox.put(event);
        };
        let builder = std::thread::Builder::new().name("tool-hub-load".to_owned());
        let started = builder.spawn(whole);
        started.map(drop).map_err(|error| {
            napi::Error::from_reason(format!("a thread could not be started: {error}"))
        })
    }

    /// Drops what is under way: the thread ends.
    pub(crate) fn close(&self) {
        self.mailbox.close();
        self.operations.close();
    }
}

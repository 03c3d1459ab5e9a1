//! Implements `wasi:logging`: adds the guest's entries to the log of the call.

use wasmtime::component::{HasSelf, Linker};

use crate::call::state::CallState;
use crate::interaction::{LogEntry, LogLevel};

mod bindings {
    wasmtime::component::bindgen!({
        inline: "
            package tool-hub:host;
            world logging { import wasi:logging/logging@0.1.0-draft; }
        ",
        path: "../wit",
        imports: { default: async | trappable },
    });
}
use bindings::wasi::logging::logging::{self, Level};

/// Offers the interface to guests.
pub(crate) fn add_to_linker(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    logging::add_to_linker::<_, HasSelf<CallState>>(linker, |state| state)
}

impl logging::Host for CallState {
    async fn log(
        &mut self,
        level: Level,
        context: String,
        message: String,
    ) -> wasmtime::Result<()> {
        self.record.log(LogEntry {
            level: level.into(),
            context,
            message,
        });
        Ok(())
    }
}

impl From<Level> for LogLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Trace => Self::Trace,
            Level::Debug => Self::Debug,
            Level::Info => Self::Info,
            Level::Warn => Self::Warn,
            Level::Error => Self::Error,
            Level::Critical => Self::Critical,
        }
    }
}

//! The modules of the host's integration tests, on components written as WebAssembly text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test that spoils files may leave half of one"
)]

mod authoring;
mod cache;
mod calls;
mod contract;
mod dependencies;
mod grants;
mod hostile;
mod limits;
mod logging_component;
mod programs;
mod refusals;
mod storage_and_log;
mod storage_component;
mod stream_guest;
mod streams;
mod support;
mod types;
mod usage;
mod wasi_3;

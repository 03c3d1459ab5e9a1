//! The native module of the npm package `tool-hub`: tools in a Node process.
//!
//! JavaScript has a `Bridge` for each of its threads, begins operations on it by
//! numbers of its own, and takes their events from it. Operations run on the threads of
//! `tool-hub-embed`, which are the same for all threads of the process. What is called by people
//! is in `index.d.ts`; this module's interface is between it and the package's own scripts.

mod answer;
mod bridge;
mod error;
mod event;
mod inspection;
mod listener;
mod mailbox;
mod operations;
mod surroundings;
mod thread;
mod tools;

use napi_derive::napi;

/// The version, which has to be that of the package.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

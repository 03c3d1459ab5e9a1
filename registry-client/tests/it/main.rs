//! Integration tests: the client with an honest and a hostile registry, and its store.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot be set up should panic, and it damages files on purpose"
)]

mod crash;
mod environment;
mod hostile;
mod interpreter;
mod pull;
mod push;
mod registry;
mod resolve;
mod sbom;
mod search;
mod store;
mod support;

//! The client against an honest and a hostile registry, and the store under load and crashes.

mod crash;
mod hostile;
mod pull;
mod push;
mod registry;
mod resolve;
mod store;
mod support;

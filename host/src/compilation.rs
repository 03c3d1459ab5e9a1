//! The engine that runs components, the compiler, and the cache of compiled code.

pub(crate) mod cache;
pub(crate) mod code;
pub(crate) mod compile_error;
pub(crate) mod compiler;
pub(crate) mod engine;
pub(crate) mod engine_messages;
pub(crate) mod prefetch;

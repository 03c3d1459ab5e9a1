//! The modules for compiling components: engine, compiler, code, cache, prefetch, errors, signals.

pub(crate) mod cache;
pub(crate) mod code;
pub(crate) mod compile_error;
pub(crate) mod compiler;
pub(crate) mod engine;
pub(crate) mod engine_messages;
pub(crate) mod prefetch;
pub(crate) mod trap_signals;

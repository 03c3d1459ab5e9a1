//! The name of the target that makes components of Rust.

/// The target that makes components.
pub(crate) const TARGET: &str = "wasm32-wasip2";

//! What a template may use. Each limit has the name that errors give it.

/// How deep expressions and statements may stand in each other. Whatever is that deep is read with
/// 2 MiB of stack, in a debug build too.
pub(crate) const NESTING_MAX: usize = 100;

/// How deep what runs may stand in each other: macros, and values that are gone through. The same
/// stack is enough for it.
pub(crate) const DEPTH_MAX: usize = 200;

/// What a template may use: it comes from a stranger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long its source may be, in bytes (`template_bytes`).
    pub template_bytes: usize,
    /// How many steps it may take (`steps`). A statement, an expression and an item that is gone
    /// through take one each, and so do 64 bytes of a text that is made.
    pub steps: usize,
    /// How much it may print, in bytes, what it prints into variables included (`printed_bytes`).
    pub printed_bytes: usize,
    /// How much memory its values may take, in bytes (`memory_bytes`).
    pub memory_bytes: usize,
}

impl Default for Limits {
    /// 128 KiB of source, five million steps, 64 MiB of text and 256 MiB of values.
    fn default() -> Self {
        Self {
            template_bytes: 128 << 10,
            steps: 5_000_000,
            printed_bytes: 64 << 20,
            memory_bytes: 256 << 20,
        }
    }
}

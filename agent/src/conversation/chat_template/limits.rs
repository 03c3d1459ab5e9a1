//! Limits on a template's length, printed text and recursion, which several files use.

/// The longest template, in bytes. Real models have up to 30,000.
pub const TEMPLATE_BYTES_MAX: usize = 128 << 10;

/// The most that a template may print, in bytes.
pub(super) const PRINTED_BYTES_MAX: usize = 64 << 20;

/// The deepest nesting of macros and loops while a template runs. A loop counts for one, a macro
/// for five.
pub(super) const RECURSION_MAX: usize = 200;

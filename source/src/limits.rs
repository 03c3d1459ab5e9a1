//! Limits on a source file's bytes, functions, types and members, so that reading it ends.

/// The longest file that is read.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;
/// The most functions that one file may offer.
pub const FUNCTIONS_MAX: usize = 1_000;

/// The most types of one file that are looked at. A type that names others twice doubles them, so
/// a short file could describe a schema of gigabytes.
pub(crate) const TYPES_MAX: usize = 100_000;
/// The most bytes of one file that are parsed again, because they stand in texts or comments.
pub(crate) const PARSED_BYTES_MAX: usize = 2 << 20;
/// The most members of an enumeration, a union or an object.
pub(crate) const MEMBERS_MAX: usize = 1_000;

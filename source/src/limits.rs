//! How much of a file is read.

/// The longest file that is read.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;
/// The most functions that one file may offer.
pub const FUNCTIONS_MAX: usize = 1_000;

/// How many types of one file are looked at. A type that names others twice doubles them, so
/// a short file could describe a schema of gigabytes.
pub(crate) const TYPES_MAX: usize = 100_000;
/// How much text of one file is parsed again, because it stands in texts or comments.
pub(crate) const PARSED_BYTES_MAX: usize = 2 << 20;
/// How many members an enumeration, a union or an object may have.
pub(crate) const MEMBERS_MAX: usize = 1_000;

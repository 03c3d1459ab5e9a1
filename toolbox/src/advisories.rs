//! Security advisories against versions of tools, in the OSV format, from the sources of the user.
//!
//! Sources are read whole into a copy that is kept, so that commands that ask nobody know of them.
//! An advisory of severity critical, or one against malware, refuses the version it is about; the
//! others are told. Texts of advisories are strangers' texts, for people and never for models.

pub mod advisory;
pub mod allowed;
pub(crate) mod archive;
pub(crate) mod download;
pub mod error;
pub mod ignored;
pub mod known;
pub(crate) mod osv;
pub mod range;
pub(crate) mod reading;
pub mod refresh;
pub mod source;

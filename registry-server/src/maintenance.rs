//! Maintenance while a registry is in use: garbage collection, scrubs, backups, and the restoring
//! of a backup.

mod archive;
mod backup;
mod garbage;
mod restore;
mod scrub;
mod unfinished;

pub use backup::BackupReport;
pub use garbage::GarbageReport;
pub use restore::RestoreReport;
pub use scrub::{ScrubFault, ScrubReport};

//! Maintenance: garbage collection, scrubs and backups of a registry in use, and restoring one.

mod archive;
mod backup;
mod garbage;
mod log_check;
mod restore;
mod scrub;
mod scrub_report;
mod unfinished;

pub use backup::BackupReport;
pub use garbage::GarbageReport;
pub use restore::RestoreReport;
pub use scrub_report::{ScrubFault, ScrubReport};

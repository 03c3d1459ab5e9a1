//! What keeps a registry small, sound and safe while it is in use.

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

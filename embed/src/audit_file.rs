//! The `AuditFile` in which the calls of an embedder are noted: each process opens its own.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use tool_hub_serve::{AuditLog, AuditNotice, CallerName, Toolset};

use crate::per_process::PerProcess;

/// The file of an audit log, and the caller as whom calls are noted in it.
pub(crate) struct AuditFile {
    path: PathBuf,
    caller: CallerName,
    /// A fork's child cannot use its parent's: a thread that is not in it may hold its lock.
    log: PerProcess<Arc<AuditLog>>,
}

impl AuditFile {
    pub(crate) fn open(path: PathBuf, caller: CallerName) -> io::Result<Self> {
        let log = PerProcess::with(Arc::new(AuditLog::open(&path, tell)?));
        Ok(Self { path, caller, log })
    }

    /// `toolset` with its calls noted here.
    pub(crate) fn audited(&self, toolset: Toolset) -> io::Result<Toolset> {
        let open = || AuditLog::open(&self.path, tell).map(Arc::new);
        let log = self.log.get_or_try(open)?;
        Ok(toolset.audited(log.clone(), self.caller.clone()))
    }
}

/// Writes the notice to the program's log. Callers learn of it by the failures of their calls.
fn tell(notice: AuditNotice) {
    match notice {
        AuditNotice::Unwritable(text) => tracing::error!("{text}"),
        AuditNotice::WrittenAgain(text) => tracing::info!("{text}"),
    }
}

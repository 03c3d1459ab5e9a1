//! Turns the reason why a commit was not written into a refusal for the client.

use http::StatusCode;

use super::tool_version;
use crate::history::WriteError;
use crate::http::{NotFound, Refusal};

pub(super) fn refused(error: WriteError, branch: &str) -> Refusal {
    match error {
        WriteError::NoSuchBranch => Refusal::revision_not_found(branch),
        WriteError::ParentMoved => Refusal::new(
            StatusCode::PRECONDITION_FAILED,
            "The branch was updated since you opened this page. Please refresh and try again.",
        ),
        WriteError::Missing { path } => Refusal::new(
            StatusCode::NOT_FOUND,
            format!("A file with this name doesn't exist: {path}"),
        )
        .code(NotFound::Entry),
        WriteError::InTheWay { path } => Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("{path}: a file and a directory cannot have the same path"),
        ),
        WriteError::TooManyDirectories => Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "the commit touches too many directories; split it into several commits",
        ),
        WriteError::QuotaExceeded(exceeded) => exceeded.into(),
        WriteError::InvalidManifest(fault) => tool_version::invalid_manifest(&fault),
        WriteError::Busy => Refusal::try_again("the branch is being written by many; try again"),
        WriteError::Registry(error) => error.into(),
    }
}

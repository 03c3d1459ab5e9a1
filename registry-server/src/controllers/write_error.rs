//! Turns errors of writing a commit and of reading its manifest into refusals for the client.

use http::StatusCode;
use serde_json::json;

use crate::attestations::AttestationError;
use crate::history::WriteError;
use crate::http::{NotFound, Refusal};
use crate::tool::{ManifestError, ManifestFault};

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
        WriteError::TooManyYanks { records_max } => Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!(
                "the commit yanks too many versions at once: it makes at most {records_max} records of the log, one for each version \
                 under each name that the repository had; split it into several commits"
            ),
        ),
        WriteError::QuotaExceeded(exceeded) => exceeded.into(),
        WriteError::InvalidManifest(fault) => invalid_manifest(&fault),
        WriteError::WrongAttestation(reason) => wrong_attestation(reason),
        WriteError::Busy => Refusal::try_again("the branch is being written by many; try again"),
        WriteError::Registry(error) => error.into(),
    }
}

impl From<ManifestError> for Refusal {
    fn from(error: ManifestError) -> Self {
        match error {
            ManifestError::Invalid(fault) => invalid_manifest(&fault),
            ManifestError::Registry(error) => error.into(),
        }
    }
}

impl From<AttestationError> for Refusal {
    fn from(error: AttestationError) -> Self {
        match error {
            AttestationError::Refused(reason) => wrong_attestation(reason),
            AttestationError::Registry(error) => error.into(),
        }
    }
}

fn wrong_attestation(reason: String) -> Refusal {
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, reason)
}

/// A manifest that is not valid, with the parser's position and hint.
fn invalid_manifest(fault: &ManifestFault) -> Refusal {
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, fault.explain())
        .field("document", json!(fault.document))
        .field("line", json!(fault.line))
        .field("column", json!(fault.column))
        .field("nearest", json!(fault.nearest))
}

//! The `SignerClaims` of a log: by whom a version is signed, in each of its commits.

use tool_hub_manifest::{ClaimedSigner, CommitId, LockedTool};

use super::error::LogError;
use crate::package_signature::{PackageSignature, claim_in_words, in_words};

/// The claims of the records of one version. Where the signer did not change there is no record,
/// and nothing is claimed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SignerClaims(Vec<(CommitId, SignerClaim)>);

/// The claim of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignerClaim {
    /// The place of the record.
    pub(crate) index: u64,
    /// The signer; none of a version that is not signed.
    pub(crate) signer: Option<ClaimedSigner>,
}

impl SignerClaims {
    /// Notes the record of a signer, which is of the version in `commit`.
    pub(super) fn note(&mut self, index: u64, commit: &CommitId, signer: Option<ClaimedSigner>) {
        self.0.push((commit.clone(), SignerClaim { index, signer }));
    }

    /// Checks that the version in `commit` has no other `signature` than is claimed.
    pub(super) fn check(
        &self,
        commit: &CommitId,
        signature: &PackageSignature,
    ) -> Result<(), LogError> {
        match self.of(commit) {
            Some(claim) if signature.contradicts(claim.signer.as_ref()) => {
                Err(claim.contradicted(signature.in_words()))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the version in `commit` is not claimed to be signed by somebody else than the
    /// one that was pinned.
    pub(super) fn check_pinned(
        &self,
        commit: &CommitId,
        locked: &LockedTool,
    ) -> Result<(), LogError> {
        self.of(commit).map_or(Ok(()), |claim| claim.check(locked))
    }

    fn of(&self, commit: &CommitId) -> Option<&SignerClaim> {
        let claims = self.0.iter().rev();
        let mut claims = claims.filter(|(of, _)| of == commit);
        claims.next().map(|(_, claim)| claim)
    }
}

impl SignerClaim {
    /// Checks that no other signer was pinned.
    pub(crate) fn check(&self, locked: &LockedTool) -> Result<(), LogError> {
        let pinned = locked.signer.as_ref();
        // A lock from before there were logs may be from before there were signers, too.
        let is_old = pinned.is_none() && locked.logged.is_none();
        if is_old || !ClaimedSigner::contradicts_pin(self.signer.as_ref(), pinned) {
            return Ok(());
        }
        Err(self.contradicted(match pinned {
            Some(signer) => format!("signed by {}", in_words(signer, None)),
            None => "not signed".to_owned(),
        }))
    }

    fn contradicted(&self, sent: String) -> LogError {
        LogError::OtherSigner {
            index: self.index,
            logged: claim_in_words(self.signer.as_ref()),
            sent,
        }
    }
}

//! Finds by whom a log says that a version is signed, where its signer did not change with it.

use tool_hub_manifest::{LockedTool, Source};
use tool_hub_transparency::LogRecord;

use super::placed_record::PlacedRecord;
use crate::logged_version::error::LogError;
use crate::logged_version::signer_claims::SignerClaim;

/// Checks that the version of `locked`, in its commit, is signed as it was pinned, by all `records`
/// of its repo in order: the record of a signer counts for the versions after it, too.
///
/// # Errors
/// [`LogError::OtherSigner`].
pub(super) fn check_pinned<'a>(
    records: impl Iterator<Item = &'a PlacedRecord>,
    locked: &LockedTool,
) -> Result<(), LogError> {
    let Source::Registry { commit, .. } = &locked.source else {
        return Ok(());
    };
    let (mut standing, mut found, mut is_it) = (None::<SignerClaim>, None, false);
    for PlacedRecord { index, record } in records {
        match record {
            LogRecord::Version {
                version,
                commit: of,
                ..
            } => is_it = (version, of) == (&locked.version, commit),
            LogRecord::Signer { signer, .. } => {
                let (index, signer) = (*index, signer.clone());
                standing = Some(SignerClaim { index, signer });
            }
            _ => continue,
        }
        if is_it {
            found.clone_from(&standing);
        }
    }
    found.map_or(Ok(()), |claim: SignerClaim| claim.check(locked))
}

//! Compares an approved tool with the one that is to replace it.

use tool_hub_host::{Change, Inspection};
use tool_hub_manifest::{KeyFingerprint, LockedTool, Source};

use crate::error::Error;
use crate::package::inspect_from;
use crate::settings::Settings;

/// All differences between the tool of `new`, from `source` and signed by `signer`, and the
/// approved one; empty if there are none.
///
/// # Errors
/// [`Error::Store`] if the bytes of the approved tool are not in the store any more.
pub fn compare_with_approved(
    approved: &LockedTool,
    new: &Inspection,
    source: Source,
    signer: Option<KeyFingerprint>,
    settings: &Settings,
) -> Result<Vec<Change>, Error> {
    let pin = approved.pin();
    let bytes = match *new.verified().pin() == pin {
        true => new.verified().clone(),
        false => settings.open_store()?.get(&pin)?,
    };
    let old = inspect_from(&approved.source, &bytes)?;
    let old = old.with_overrides(approved.overrides.clone());
    let old = old.terms(approved.source.clone(), approved.signer);
    Ok(old.changes(&new.terms(source, signer)))
}

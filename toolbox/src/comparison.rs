//! Compares an approved tool with the one that is to replace it.

use tool_hub_host::{Change, Inspection};
use tool_hub_manifest::{LockedTool, LogEntry, PackageSigner, Source};

use crate::error::Error;
use crate::fetched::inspect_from;
use crate::settings::Settings;

/// All differences between the tool of `new`, from `source`, signed by `signer` and `logged` by its
/// registry, and the approved one; empty if there are none.
///
/// # Errors
/// [`Error::Store`] if the bytes of the approved tool are not in the store any more.
pub fn compare_with_approved(
    approved: &LockedTool,
    new: &Inspection,
    source: Source,
    signer: Option<PackageSigner>,
    logged: Option<&LogEntry>,
    settings: &Settings,
) -> Result<Vec<Change>, Error> {
    let pin = approved.pin();
    let bytes = match *new.verified().pin() == pin {
        true => new.verified().clone(),
        false => settings.open_store()?.get(&pin)?,
    };
    let old = inspect_from(&approved.source, &bytes)?;
    let old = old.with_overrides(approved.overrides.clone());
    let built_from = |logged: Option<&LogEntry>| logged.and_then(|it| it.built_from.clone());
    let before = built_from(approved.logged.as_ref());
    let old = old.terms(approved.source.clone(), approved.signer.clone(), before);
    Ok(old.changes(&new.terms(source, signer, built_from(logged))))
}

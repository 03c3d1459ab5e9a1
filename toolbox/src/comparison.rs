//! Compares an approved tool with the one that is to replace it.

use tool_hub_host::{Change, Inspection};
use tool_hub_manifest::LockedTool;

use crate::error::Error;
use crate::fetched::Fetched;
use crate::settings::Settings;
use crate::signing_keys::SigningKeys;

/// All differences between the tool `new`, of which `inspection` is, and the approved one, with all
/// that they depend on; empty if there are none.
///
/// # Errors
/// [`Error::Store`] if the bytes of the approved tool are not in the store any more.
pub fn compare_with_approved(
    approved: &LockedTool,
    new: &Fetched,
    inspection: &Inspection,
    settings: &Settings,
) -> Result<Vec<Change>, Error> {
    let (store, keys) = (settings.open_store()?, SigningKeys::read(settings)?);
    let pin = approved.pin();
    let bytes = match *new.verified.pin() == pin {
        true => new.verified.clone(),
        false => store.get(&pin)?,
    };
    let old = Fetched::approved(approved, bytes, &store, &keys)?;
    let before = old.inspect()?.with_overrides(approved.overrides.clone());
    let new = new.terms(inspection, Some(approved));
    Ok(old.terms(&before, None).changes(&new))
}

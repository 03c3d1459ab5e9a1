//! Reads the advisories in a bundle: the copies of the sources that its maker had.

use std::path::Path;

use super::archive::{BundleArchive, unusable};
use super::error::BundleError;
use super::index::BundleIndex;
use crate::advisories::advisory::{Advisory, SUMMARY_CHARS_MAX};
use crate::advisories::archive::ADVISORIES_MAX;
use crate::error::Error;

/// The most bytes of the copy of a source of advisories.
const ADVISORIES_BYTES_MAX: u64 = 32 << 20;

/// The advisories in the bundle at `path`, after all of it was hashed.
///
/// # Errors
/// [`Error::Read`], [`Error::Bundle`].
pub(crate) fn of_file(path: &Path) -> Result<Vec<Advisory>, Error> {
    let (mut archive, index) = BundleArchive::open_at(path)?;
    read(&mut archive, &index).map_err(unusable(path))
}

/// The advisories in an open bundle.
pub(crate) fn read(
    archive: &mut BundleArchive,
    index: &BundleIndex,
) -> Result<Vec<Advisory>, BundleError> {
    let mut all = Vec::new();
    for carried in &index.advisories {
        let mut advisories: Vec<Advisory> = archive.json(carried.copy, ADVISORIES_BYTES_MAX)?;
        if advisories.len() > ADVISORIES_MAX {
            let (max, of) = (ADVISORIES_MAX as u64, "advisories of a source");
            return Err(BundleError::TooMuch { max, of });
        }
        for advisory in &mut advisories {
            let summary = advisory.summary.chars().take(SUMMARY_CHARS_MAX);
            advisory.summary = summary.collect();
        }
        all.append(&mut advisories);
    }
    Ok(all)
}

//! Refuses grants of sensitive directories, some unless the user insists; lists guarded names.
//!
//! Sensitive are directories with our own approvals and toolboxes, with keys, and with programs or
//! settings that other programs use.
//!
//! Granted directories are checked before the user is asked, and again whenever a tool is loaded,
//! because a directory may have become dangerous since. Names with a meaning for other programs are
//! also guarded by the sandbox, at any depth and whoever created them.

pub mod finding;
mod places;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tool_hub_manifest::{Access, Grants};

use crate::error::Error;
use crate::files;
use crate::open_toolbox::OpenToolbox;
use crate::settings::Settings;
use finding::{Finding, Refusal};
use places::{Kind, Places, TRUST};

/// Everything that is dangerous to give away on this machine.
#[derive(Debug)]
pub struct SensitivePlaces {
    places: Places,
    toolbox_names: Vec<String>,
}

impl SensitivePlaces {
    /// Collects the sensitive places of this machine.
    pub fn of(settings: &Settings) -> Self {
        Self {
            places: Places::of(settings),
            toolbox_names: toolbox_names(),
        }
    }

    /// All reasons not to grant `directory`, a real path, with `access`. Those that the user cannot
    /// override come first.
    pub fn findings(&self, directory: &Path, access: Access) -> Vec<Finding> {
        let near = self.places.near(directory, access).into_iter();
        let mut findings: Vec<Finding> = near
            .map(|place| finding(place.path, directory, place.kind))
            .collect();
        if access == Access::ReadWrite {
            let trusted = self.toolbox_names.iter();
            findings.extend(trusted.filter_map(|name| named(directory, name, &TRUST)));
            let others = places::of_projects();
            findings.extend(others.filter_map(|(name, kind)| named(directory, name, kind)));
        }
        findings.sort_by_key(|finding| finding.refusal == Refusal::UnlessInsisted);
        let mut seen = BTreeSet::new();
        findings.retain(|finding| seen.insert(finding.place.clone()));
        findings
    }
}

/// Records in `grants` the dangers that the user insists on accepting.
///
/// # Errors
/// [`Error::InsistedInVain`] if the user insists on a place for which no granted directory is
/// refused.
pub fn insist(grants: &mut Grants, insisted: &[PathBuf], settings: &Settings) -> Result<(), Error> {
    if insisted.is_empty() {
        return Ok(());
    }
    let sensitive = SensitivePlaces::of(settings);
    for written in insisted {
        let place = settings.place(written);
        let real = files::real_path(&place);
        let mut is_meant = false;
        for grant in grants.directories.values_mut() {
            let findings = sensitive.findings(&grant.path, grant.access).into_iter();
            let meant = findings.filter(|finding| {
                finding.refusal == Refusal::UnlessInsisted
                    && [&place, &real].contains(&&finding.place)
            });
            for finding in meant {
                is_meant = true;
                grant.despite.insert(finding.place);
            }
        }
        if !is_meant {
            return Err(Error::InsistedInVain {
                place: written.clone(),
            });
        }
    }
    Ok(())
}

/// Checks every directory in `grants`.
///
/// # Errors
/// [`Error::DangerousDirectory`] for the first directory that is dangerous and was not insisted on.
pub fn check(grants: &Grants, settings: &Settings) -> Result<(), Error> {
    if grants.directories.is_empty() {
        return Ok(());
    }
    let sensitive = SensitivePlaces::of(settings);
    for (name, grant) in &grants.directories {
        let findings = sensitive.findings(&grant.path, grant.access);
        let open = findings.into_iter().filter(|finding| {
            finding.refusal == Refusal::Always || !grant.despite.contains(&finding.place)
        });
        let findings: Vec<Finding> = open.collect();
        if !findings.is_empty() {
            return Err(Error::DangerousDirectory {
                name: name.clone(),
                path: grant.path.clone(),
                access: grant.access,
                findings,
            });
        }
    }
    Ok(())
}

/// Names that no tool may touch, at any depth, in a directory with write access.
pub fn guarded_names() -> Vec<String> {
    let others = places::of_projects().map(|(name, _)| name.to_owned());
    toolbox_names().into_iter().chain(others).collect()
}

fn toolbox_names() -> Vec<String> {
    let files = OpenToolbox::files(Path::new("")).into_iter();
    files.map(|file| file.display().to_string()).collect()
}

/// A finding if `directory` contains an entry called `name`, or is inside of such an entry.
fn named(directory: &Path, name: &str, kind: &Kind) -> Option<Finding> {
    let above = directory.ancestors().find(|above| {
        let part = above.file_name().and_then(|part| part.to_str());
        part.is_some_and(|part| part.eq_ignore_ascii_case(name))
    });
    let held = directory.join(name);
    let place = match above {
        Some(above) => above.to_owned(),
        None if held.symlink_metadata().is_ok() => held,
        None => return None,
    };
    Some(finding(place, directory, kind))
}

fn finding(place: PathBuf, directory: &Path, kind: &Kind) -> Finding {
    let Kind { why, refusal, .. } = *kind;
    let shown = place.display();
    let says = match (place == directory, place.starts_with(directory)) {
        (true, _) => format!("it is {shown}, {why}"),
        (false, true) => format!("it holds {shown}, {why}"),
        (false, false) => format!("it lies in {shown}, {why}"),
    };
    Finding {
        place,
        refusal,
        says,
    }
}

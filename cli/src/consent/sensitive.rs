//! Checks directories before they are granted, and refuses sensitive ones, some unless the user
//! insists. Those are directories with our own approvals and toolboxes, with keys, and with
//! programs or settings that other programs use.
//!
//! Granted directories are checked before the user is asked, and again whenever a tool is loaded,
//! because a directory may have become dangerous since. Names with a meaning for other programs are
//! also guarded by the sandbox, at any depth and whoever created them.

mod places;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tool_hub_manifest::{Access, DirectoryGrant, DirectoryName, Grants};

use crate::files;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;
use crate::toolbox::open_toolbox::OpenToolbox;
pub(crate) use places::Refusal;
use places::{Kind, Places, TRUST};

/// Everything that is dangerous to give away on this machine.
pub(crate) struct SensitivePlaces {
    places: Places,
    toolbox_names: Vec<String>,
}

/// A reason why a directory is dangerous to grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) place: PathBuf,
    pub(crate) refusal: Refusal,
    says: String,
}

impl Finding {
    /// The reason in words: `it holds /home/ada/bin, which holds programs and their settings`.
    pub(crate) fn says(&self) -> &str {
        &self.says
    }
}

impl SensitivePlaces {
    /// Collects the sensitive places of this machine.
    pub(crate) fn of(config: &Config) -> anyhow::Result<Self> {
        Ok(Self {
            places: Places::of(config)?,
            toolbox_names: toolbox_names(),
        })
    }

    /// All reasons not to grant `directory`, a real path, with `access`. Those that the user cannot
    /// override come first.
    pub(crate) fn findings(&self, directory: &Path, access: Access) -> Vec<Finding> {
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
/// If the user insists on a place for which no granted directory is refused.
pub(crate) fn insist(
    grants: &mut Grants,
    insisted: &[PathBuf],
    config: &Config,
) -> anyhow::Result<()> {
    if insisted.is_empty() {
        return Ok(());
    }
    let sensitive = SensitivePlaces::of(config)?;
    for written in insisted {
        let place = config.place(written);
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
            return Err(Problem::user(format!(
                "--insist {} has no effect: no granted directory is refused because of it",
                written.display()
            ))
            .hint("omit --insist, or give the path that the refusal names")
            .into());
        }
    }
    Ok(())
}

/// Checks every directory in `grants`.
///
/// # Errors
/// Refuses the first directory that is dangerous and was not insisted on.
pub(crate) fn check(grants: &Grants, config: &Config) -> anyhow::Result<()> {
    if grants.directories.is_empty() {
        return Ok(());
    }
    let sensitive = SensitivePlaces::of(config)?;
    for (name, grant) in &grants.directories {
        let findings = sensitive.findings(&grant.path, grant.access);
        let mut open = findings.into_iter().filter(|finding| {
            finding.refusal == Refusal::Always || !grant.despite.contains(&finding.place)
        });
        if let Some(finding) = open.next() {
            return Err(refused(name, grant, &finding, open).into());
        }
    }
    Ok(())
}

/// Names that no tool may touch, at any depth, in a directory with write access.
pub(crate) fn guarded_names() -> Vec<String> {
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

fn refused(
    name: &DirectoryName,
    grant: &DirectoryGrant,
    finding: &Finding,
    others: impl Iterator<Item = Finding>,
) -> Problem {
    let path = grant.path.display();
    let access = grant.access;
    let problem = Problem::refused(format!(
        "{path} is not granted as `{name}` ({access}): {}",
        finding.says
    ))
    .hint(format!(
        "grant a directory that holds only what the tool needs, such as a subdirectory: --allow-dir {name}={}",
        grant.path.join(name.as_str()).display()
    ));
    let mut all: Vec<&Finding> = vec![finding];
    let others: Vec<Finding> = others.collect();
    all.extend(&others);
    if all.iter().any(|one| one.refusal == Refusal::Always) {
        return problem;
    }
    let flags = all
        .iter()
        .map(|one| format!("--insist {}", one.place.display()));
    problem.hint(format!(
        "if you trust the tool with that too, add: {}",
        flags.collect::<Vec<_>>().join(" ")
    ))
}

//! Directories that no tool is given, or only where a person insists: where our own trust
//! stands, where keys are kept, and where other programs take what they run or do.
//!
//! Every directory that is granted is held against this before a person is asked, and again
//! whenever a tool is loaded: a directory may have become one of these meanwhile. Names that
//! other programs act on are guarded by the sandbox as well, however deep in a directory they
//! stand and whoever puts them there.

mod places;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tool_hub_manifest::{Access, DirectoryGrant, DirectoryName, Grants};

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::files;
use crate::toolbox::OpenToolbox;
use places::{Kind, Places, TRUST};

/// Whether a person may give it away all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Always,
    UnlessInsisted,
}

/// Everything that is dangerous to give away on this machine.
pub(crate) struct Sensitive {
    places: Places,
    toolbox_names: Vec<String>,
}

/// Why a directory is dangerous to give away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) place: PathBuf,
    pub(crate) refusal: Refusal,
    says: String,
}

impl Finding {
    /// What is the matter: `it holds /home/ada/app/.git, by which git starts programs`.
    pub(crate) fn says(&self) -> &str {
        &self.says
    }
}

impl Sensitive {
    /// Looks where things are on this machine.
    pub(crate) fn of(config: &Config) -> anyhow::Result<Self> {
        Ok(Self {
            places: Places::of(config)?,
            toolbox_names: toolbox_names(),
        })
    }

    /// Everything that is dangerous about giving `directory`, a real path, with `access`: what
    /// cannot be insisted on first.
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

/// Notes in `grants` what is insisted on, of what is dangerous about them.
///
/// # Errors
/// When something is insisted on that nothing is the matter with.
pub(crate) fn insist(
    grants: &mut Grants,
    insisted: &[PathBuf],
    config: &Config,
) -> anyhow::Result<()> {
    if insisted.is_empty() {
        return Ok(());
    }
    let sensitive = Sensitive::of(config)?;
    for written in insisted {
        let place = config.place(written);
        let real = files::settled(&place);
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
                "there is nothing to insist on at {}: no directory that is granted is refused for it",
                written.display()
            ))
            .hint("leave --insist out, or name the place that the refusal names")
            .into());
        }
    }
    Ok(())
}

/// Holds every directory of `grants` against what is dangerous to give away.
///
/// # Errors
/// The first one that is, and was not insisted on.
pub(crate) fn check(grants: &Grants, config: &Config) -> anyhow::Result<()> {
    if grants.directories.is_empty() {
        return Ok(());
    }
    let sensitive = Sensitive::of(config)?;
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

/// Names that no tool may touch in a directory that it may change, however deep they stand.
pub(crate) fn guarded_names() -> Vec<String> {
    let others = places::of_projects().map(|(name, _)| name.to_owned());
    toolbox_names().into_iter().chain(others).collect()
}

fn toolbox_names() -> Vec<String> {
    let files = OpenToolbox::files(Path::new("")).into_iter();
    files.map(|file| file.display().to_string()).collect()
}

/// Whether `directory` holds something called `name`, or lies in such a thing.
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
        "grant a directory with nothing in it but what the tool needs, such as one below it: --allow-dir {name}={}",
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
        "where you trust it with that as well, add: {}",
        flags.collect::<Vec<_>>().join(" ")
    ))
}

//! Reads `releases.toml` of a commit, and tells which yanks it adds, changes and takes back.

use std::collections::BTreeSet;

use tool_hub_manifest::{Releases, Severity, Version};

use crate::content::Batch;
use crate::database::Database;
use crate::database::keys::RepositoryKey;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::history::{Operation, Proposal};
use crate::registry::Registry;
use crate::search_listing::{Root, find_file};
use crate::tool::{ManifestError, RELEASES, read_releases, version_of_tag};

/// The state of a repository before and after a commit to its default branch.
pub(crate) struct ReleasesChange<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) repository: &'a Repository,
    /// The files at the root before.
    pub(crate) before: &'a Root,
    /// The files at the root after it.
    pub(crate) now: &'a Root,
    pub(crate) proposal: &'a Proposal,
}

impl ReleasesChange<'_> {
    /// The versions whose severity changed, with the one that they have now, also those that are
    /// not published. A fault when nobody could read what is said now: clients would load nothing.
    pub(crate) async fn changes(&self) -> Result<Vec<YankChange>, ManifestError> {
        let content = Batch::new(self.registry.content());
        let before = self.read(self.before, &[], &content).await;
        // An older file that cannot be read said nothing.
        let before = before.unwrap_or_default();
        let now = self.read(self.now, &self.proposal.operations, &self.proposal.files);
        let now = now.await?;
        Ok(changes_of(&before, &now))
    }

    async fn read(
        &self,
        root: &Root,
        operations: &[Operation],
        files: &Batch,
    ) -> Result<Releases, ManifestError> {
        let (registry, repository) = (self.registry, self.repository);
        match find_file(registry, repository, root, operations, RELEASES).await? {
            Some(blob) => {
                let bytes_max = registry.limits().manifest_bytes_max;
                read_releases(files, &blob, bytes_max).await
            }
            None => Ok(Releases::default()),
        }
    }
}

/// A version, and the severity of its yank; none where it is given back.
pub(crate) type YankChange = (Version, Option<Severity>);

/// The changes that are of published versions. For use while nobody else writes to the
/// repository: a version that is published while a commit yanks it would be missed.
pub(crate) async fn of_published(
    database: &Database,
    repository: &RepositoryKey,
    changes: Vec<YankChange>,
) -> Result<Vec<YankChange>, RegistryError> {
    if changes.is_empty() {
        return Ok(changes);
    }
    let references = database.references(repository).await?;
    let tags = references
        .iter()
        .filter_map(|reference| reference.name.strip_prefix("refs/tags/"));
    let published = tags.filter_map(version_of_tag).collect();
    Ok(within(changes, &published))
}

fn within(mut changes: Vec<YankChange>, published: &BTreeSet<Version>) -> Vec<YankChange> {
    changes.retain(|(version, _)| published.contains(version));
    changes
}

/// The change of each version whose severity changed.
fn changes_of(before: &Releases, now: &Releases) -> Vec<YankChange> {
    let severity = |releases: &Releases, version: &Version| {
        let yank = releases.yanked.get(version);
        yank.map(|yank| yank.severity)
    };
    let named: BTreeSet<&Version> = before.yanked.keys().chain(now.yanked.keys()).collect();
    let changed = named
        .into_iter()
        .filter(|version| severity(before, version) != severity(now, version));
    changed
        .map(|version| (version.clone(), severity(now, version)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn releases(yanked: &[(&str, &str)]) -> Releases {
        let yank = |(version, severity): &(&str, &str)| {
            format!("[yanked.'{version}']\nseverity = '{severity}'\nreason = 'x'\n")
        };
        let text: String = yanked.iter().map(yank).collect();
        text.parse().unwrap()
    }

    #[track_caller]
    fn check(before: &[(&str, &str)], now: &[(&str, &str)], expect: &[&str]) {
        let published = ["1.0.0", "1.1.0"].map(|text| text.parse().unwrap());
        let (before, now) = (releases(before), releases(now));
        let said: Vec<String> = within(changes_of(&before, &now), &published.into())
            .into_iter()
            .map(|(version, severity)| match severity {
                Some(severity) => format!("{version} {severity}"),
                None => format!("{version} back"),
            })
            .collect();
        assert_eq!(said, expect);
    }

    #[test]
    fn only_changes_are_recorded() {
        let (broken, malicious) = (("1.0.0", "broken"), ("1.0.0", "malicious"));
        check(&[], &[broken], &["1.0.0 broken"]);
        check(&[broken], &[broken], &[]);
        check(&[broken], &[malicious], &["1.0.0 malicious"]);
        check(&[malicious], &[], &["1.0.0 back"]);
        check(
            &[broken],
            &[("1.1.0", "broken")],
            &["1.0.0 back", "1.1.0 broken"],
        );
        check(&[], &[("9.0.0", "broken")], &[]);
    }
}

//! Finds the commit, path or reference that a request's path names, and entries' last changes.

use std::collections::HashMap;

use crate::access::Reader;
use crate::database::commits::Commit;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::history::{ListedEntry, resolve_revision};
use crate::http::Refusal;
use crate::names::{Address, RefName, decode};
use crate::registry::Registry;

/// A revision that exists and the raw path segments after it.
pub(super) struct Target {
    pub(super) commit: Commit,
    pub(super) rest: Vec<String>,
}

/// Most segments a revision is looked for in.
const REVISION_SEGMENTS_MAX: usize = 6;

/// Finds the revision at the head of what follows the verb.
///
/// The JavaScript client writes the slashes in the name of a branch as they are, so what is no
/// revision in one segment may be one in several.
pub(super) async fn find(registry: &Registry, reader: &Reader) -> Result<Target, Refusal> {
    let (cache, repository) = (registry.query_cache(), &reader.repository.id);
    let address = &reader.address;
    let Some((revision, rest)) = address.revision_and_rest() else {
        return Err(Refusal::revision_not_found(""));
    };
    if let Some(commit) = cache
        .revision(reader.version, repository, &revision)
        .await?
    {
        return Ok(Target {
            commit,
            rest: rest.to_vec(),
        });
    }
    let segments = &address.rest;
    for count in 2..=segments.len().min(REVISION_SEGMENTS_MAX) {
        let (head, rest) = segments.split_at(count);
        if let Some(revision) = decode(&head.join("/"))
            && let Some(commit) = cache
                .revision(reader.version, repository, &revision)
                .await?
        {
            return Ok(Target {
                commit,
                rest: rest.to_vec(),
            });
        }
    }
    Err(no_such_revision(&revision))
}

/// Finds the revision that everything after the verb spells.
pub(super) async fn find_whole(registry: &Registry, reader: &Reader) -> Result<Target, Refusal> {
    let target = find(registry, reader).await?;
    if !target.rest.is_empty() {
        return Err(no_such_revision(
            &reader.address.rest_text().unwrap_or_default(),
        ));
    }
    Ok(target)
}

fn no_such_revision(revision: &str) -> Refusal {
    Refusal::revision_not_found(&revision.chars().take(200).collect::<String>())
}

impl Target {
    /// For each entry's path the last commit that touched it.
    pub(super) async fn last_changes(
        &self,
        registry: &Registry,
        reader: &Reader,
        entries: &[ListedEntry],
    ) -> Result<HashMap<String, Commit>, RegistryError> {
        let paths: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
        registry
            .database()
            .last_changes(&reader.repository.id, &self.commit, &paths)
            .await
    }
}

/// Finds the commit of a revision.
pub(super) async fn find_commit(
    registry: &Registry,
    repository: &Repository,
    revision: &str,
) -> Result<Commit, Refusal> {
    let found = resolve_revision(registry.database(), &repository.id, revision).await?;
    found.ok_or_else(|| no_such_revision(revision))
}

/// The branch or tag name that everything after the verb spells.
pub(super) fn reference_name(address: &Address) -> Result<RefName, Refusal> {
    let text = address.rest_text().unwrap_or_default();
    let name = text
        .strip_prefix("refs/heads/")
        .or_else(|| text.strip_prefix("refs/tags/"))
        .unwrap_or(&text);
    RefName::parse(name)
        .ok_or_else(|| Refusal::bad_request(format!("{name:?} is not a valid reference name")))
}

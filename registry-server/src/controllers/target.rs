//! What the path of a request points at, beyond the repository.

use std::collections::HashMap;

use crate::access::Reader;
use crate::database::commits::Commit;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::history::{ListedEntry, resolve_revision};
use crate::http::Refusal;
use crate::names::{Address, RefName};
use crate::registry::Registry;

/// A revision that exists and the raw path segments after it.
pub(super) struct Target {
    pub(super) commit: Commit,
    pub(super) rest: Vec<String>,
}

/// Finds the revision at the head of what follows the verb.
pub(super) async fn find(registry: &Registry, reader: &Reader) -> Result<Target, Refusal> {
    let Some((revision, rest)) = reader.address.revision_and_rest() else {
        return Err(Refusal::revision_not_found(""));
    };
    let commit = find_commit(registry, &reader.repository, &revision).await?;
    Ok(Target {
        commit,
        rest: rest.to_vec(),
    })
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
    found
        .ok_or_else(|| Refusal::revision_not_found(&revision.chars().take(200).collect::<String>()))
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

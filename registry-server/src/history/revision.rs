//! From what a client calls a revision to a commit.

use crate::database::Database;
use crate::database::commits::Commit;
use crate::error::RegistryError;
use crate::names::RefName;

/// The branch every repository has.
pub(crate) const DEFAULT_BRANCH: &str = "main";

/// Fewest digits of an abbreviated commit id.
const SHORT_ID_MIN: usize = 5;

/// Finds the commit a revision names: a branch, a tag, a full reference name, `HEAD`, a commit id or at least five digits of one.
pub(crate) async fn resolve_revision(
    database: &Database,
    repository: &str,
    revision: &str,
) -> Result<Option<Commit>, RegistryError> {
    let revision = if revision.eq_ignore_ascii_case("head") {
        DEFAULT_BRANCH
    } else {
        revision
    };
    let named = match RefName::parse(revision) {
        Some(name) => {
            database
                .reference_of(repository, [&name.branch(), &name.tag(), revision])
                .await?
        }
        None => database.reference_of(repository, [revision; 3]).await?,
    };
    if let Some(reference) = named {
        return database.commit(repository, &reference.commit).await;
    }
    if !is_commit_id(revision) {
        return Ok(None);
    }
    let revision = revision.to_ascii_lowercase();
    match revision.len() {
        40 => database.commit(repository, &revision).await,
        _ => database.commit_of_prefix(repository, &revision).await,
    }
}

fn is_commit_id(text: &str) -> bool {
    (SHORT_ID_MIN..=40).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

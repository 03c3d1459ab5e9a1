//! Resolves a revision, as a client names it, to a commit: branch, tag, pull request or commit id.

use crate::database::Database;
use crate::database::commits::Commit;
use crate::database::keys::RepositoryKey;
use crate::database::stored_object_id::object_id;
use crate::error::RegistryError;
use crate::names::RefName;
use crate::tool::version_in_name;

/// The branch every repository has.
pub(crate) const DEFAULT_BRANCH: &str = "main";

/// Fewest digits of an abbreviated commit id.
const SHORT_ID_MIN: usize = 5;

/// Finds the commit that a revision names. It may be a tag, a branch, a full reference name,
/// `HEAD`, or at least five digits of a commit id.
pub(crate) async fn resolve_revision(
    database: &Database,
    repository: &RepositoryKey,
    revision: &str,
) -> Result<Option<Commit>, RegistryError> {
    let revision = if revision.eq_ignore_ascii_case("head") {
        DEFAULT_BRANCH
    } else {
        revision
    };
    let named = match RefName::parse(revision) {
        Some(name) => {
            let [first, second] = full_names(&name);
            database
                .reference_of(repository, [&first, &second, revision])
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
        40 => database.commit(repository, &object_id(&revision)?).await,
        _ => database.commit_of_prefix(repository, &revision).await,
    }
}

/// The full reference names that a short name may stand for, in order of precedence. As in git,
/// tags come before branches, because branches move. A version stands for its tag only: older
/// repositories may have a branch of that name, which must be asked for by its full name. A tag
/// never hides the default branch.
fn full_names(name: &RefName) -> [String; 2] {
    if version_in_name(name.as_str()).is_some() {
        return [name.tag(), name.tag()];
    }
    if name.as_str() == DEFAULT_BRANCH {
        return [name.branch(), name.tag()];
    }
    [name.tag(), name.branch()]
}

fn is_commit_id(text: &str) -> bool {
    (SHORT_ID_MIN..=40).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expect: [&str; 2]) {
        assert_eq!(full_names(&RefName::parse(name).unwrap()), expect);
    }

    #[test]
    fn tags_before_branches() {
        check("dev", ["refs/tags/dev", "refs/heads/dev"]);
        check("v1.0", ["refs/tags/v1.0", "refs/heads/v1.0"]);
        check("main", ["refs/heads/main", "refs/tags/main"]);
        check("v1.0.0", ["refs/tags/v1.0.0"; 2]);
        check("1.0.0-rc.1+b", ["refs/tags/1.0.0-rc.1+b"; 2]);
    }
}

//! Builds the web address of a repository, from which clients read its id.

use crate::database::repositories::Repository;
use crate::http::BaseUrl;
use crate::names::RepositoryKind;

/// The web address of a repository. Clients take its id from it.
pub(super) fn web_url(base: &BaseUrl, repository: &Repository) -> String {
    format!(
        "{}/{}{}",
        base.as_str(),
        RepositoryKind::web_prefix(repository.kind),
        repository.full_name()
    )
}

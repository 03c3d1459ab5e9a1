//! `GET …/{id}/tool`: lists a tool's versions with what their manifests say.
//! So a client chooses without a download.
//!
//! `?limit=` bounds the versions of a page, newest first; `Link` leads to the next page. A
//! repository that carries no tool answers 404 `EntryNotFound`.

use gix_hash::ObjectId;
use http::header::LINK;
use serde::Serialize;
use tool_hub_manifest::Version;
use utoipa::ToSchema;

use super::json;
use crate::access::{Call, ReadRepository};
use crate::database::references::Reference;
use crate::history::{DEFAULT_BRANCH, Release, find_releases};
use crate::http::{Refusal, Reply, next_link};
use crate::tool::{MANIFEST, version_of_tag};
use crate::wire::ReleaseRow;

/// A tool's versions with what their manifests say.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/tool",
    params(
        ("limit" = Option<u32>, Query, description = "Most versions of a page."),
        ("cursor" = Option<String>, Query, description = "From the `Link` of the page before."),
    ),
    responses(
        (status = 200, description = "A page of versions, the newest first", body = ToolVersions),
    ),
)]
pub(crate) async fn show(call: Call<ReadRepository>) -> Reply {
    let repository = &call.admitted.repository;
    let query = call.query();
    let before = match query.first("cursor").map(str::parse::<Version>) {
        None => None,
        Some(Ok(version)) => Some(version),
        Some(Err(_)) => return Err(Refusal::bad_request("the cursor is not a version")),
    };
    let limit = query.count("limit", call.registry.limits().tool_versions_page_max);

    let references = call.registry.database().references(&repository.id).await?;
    let mut tagged = versions_before(&references, before.as_ref());
    let next = tagged
        .get(limit)
        .and(tagged.get(limit - 1))
        .map(|(version, _)| version.to_string());
    tagged.truncate(limit);
    let main = format!("refs/heads/{DEFAULT_BRANCH}");
    let head = references.iter().find(|reference| reference.name == main);

    let commits = head
        .into_iter()
        .chain(tagged.iter().map(|(_, reference)| *reference));
    let commits: Vec<ObjectId> = commits.map(|reference| reference.commit).collect();
    let releases = find_releases(&call.registry, repository, &commits).await?;
    let of = |reference: &Reference| releases.get(&reference.commit);
    let head = head.and_then(of);
    let versions: Vec<ReleaseRow> = tagged
        .iter()
        .filter_map(|(version, reference)| version_row(version, of(reference)?))
        .collect();
    if head.is_none() && versions.is_empty() && before.is_none() {
        return Err(Refusal::entry_not_found(MANIFEST));
    }
    let mut response = json(ToolVersions {
        id: repository.full_name(),
        private: repository.private,
        head: head.map(|release| ReleaseRow::new(release, None)),
        versions,
    });
    if let Some(link) =
        next.and_then(|cursor| next_link(&call.base, &call.parts, "cursor", &cursor))
    {
        response.headers_mut().insert(LINK, link);
    }
    Ok(response)
}

/// A tool and its versions.
#[derive(Serialize, ToSchema)]
pub(crate) struct ToolVersions {
    id: String,
    private: bool,
    /// The default branch; null where it has no valid manifest.
    head: Option<ReleaseRow>,
    versions: Vec<ReleaseRow>,
}

/// The tags that can be versions, newest first, from the one after `before` on.
fn versions_before<'a>(
    references: &'a [Reference],
    before: Option<&Version>,
) -> Vec<(Version, &'a Reference)> {
    let mut versions: Vec<(Version, &Reference)> = references
        .iter()
        .filter_map(|reference| {
            let version = version_of_tag(reference.name.strip_prefix("refs/tags/")?)?;
            before
                .is_none_or(|before| version < *before)
                .then_some((version, reference))
        })
        .collect();
    versions.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
    versions
}

/// The row of a tagged version; `None` where the manifest of the commit says another version, as it
/// may for tags that were stored without that check.
fn version_row(version: &Version, release: &Release) -> Option<ReleaseRow> {
    let is_version = release.manifest.facts.version == version.to_string();
    is_version.then(|| ReleaseRow::new(release, Some(format!("v{version}"))))
}

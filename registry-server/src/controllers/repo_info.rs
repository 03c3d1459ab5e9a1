//! `GET …/{id}` and `…/{id}/revision/{rev}`: shows the facts of a repository and its list of files.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::expanded_fields::{only, wanted_fields};
use super::{json, target};
use crate::access::{Call, ReadRepository};
use crate::database::commits::Commit;
use crate::database::publishers::VersionSource;
use crate::history::{
    Blobs, DEFAULT_BRANCH, Depth, ListingRange, list_directory, resolve_revision,
};
use crate::http::Reply;
use crate::wire::{ListedTool, RepositoryFacts, RepositoryRow, Sibling};

/// A repository and the files of its default branch.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}",
    params(
        ("expand" = Option<String>, Query, description = "The fields to show, with commas between them."),
        ("blobs" = Option<bool>, Query, description = "With the length and the id of each file."),
    ),
    responses(
        (status = 200, description = "The repository", body = Info<'_>),
    ),
)]
pub(crate) async fn show_default(mut call: Call<ReadRepository>) -> Reply {
    call.take_turn_to_list().await?;
    let commit = resolve_revision(
        call.registry.database(),
        &call.admitted.repository.id,
        DEFAULT_BRANCH,
    )
    .await?;
    show(&call, commit).await
}

/// A repository and the files of a revision.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/revision/{revision}",
    params(
        ("expand" = Option<String>, Query, description = "The fields to show, with commas between them."),
        ("blobs" = Option<bool>, Query, description = "With the length and the id of each file."),
    ),
    responses(
        (status = 200, description = "The repository", body = Info<'_>),
    ),
)]
pub(crate) async fn show_revision(mut call: Call<ReadRepository>) -> Reply {
    call.take_turn_to_list().await?;
    let target = target::find_whole(&call.registry, &call.admitted).await?;
    show(&call, Some(target.commit)).await
}

async fn show(call: &Call<ReadRepository>, commit: Option<Commit>) -> Reply {
    let query = call.query();
    let expand = wanted_fields(&query)?;
    let wants = |name: &str| {
        expand
            .as_ref()
            .is_none_or(|names| names.iter().any(|n| n == name))
    };
    let database = call.registry.database();
    let repository = &call.admitted.repository;
    let mut facts = RepositoryFacts {
        sha: commit.as_ref().map(|commit| commit.oid.to_string()),
        ..RepositoryFacts::default()
    };
    if wants("tags") {
        facts.tags = database.tags_of(&repository.id).await?;
    }
    if wants("description") {
        facts.description = database
            .tool_description(&repository.id)
            .await?
            .filter(|text| !text.is_empty());
    }
    // Clients of the public Hub do not expect it unless they ask for it.
    if expand.is_some() && wants("tool") {
        let listed = database
            .listed_manifests([&repository.id].into_iter())
            .await?;
        facts.tool = listed.get(&repository.id).map(ListedTool::from);
    }
    if wants("usedStorage") {
        facts.used_storage_bytes = Some(database.used_storage_bytes(&repository.id).await?);
    }
    let entries = match &commit {
        Some(commit) if wants("siblings") => {
            let blobs = match query.is_on("blobs") {
                true => Blobs::Wanted,
                false => Blobs::LeftOut,
            };
            let range = ListingRange {
                depth: Depth::All,
                after: None,
                limit: usize::MAX,
                blobs,
            };
            let listed = list_directory(database, &repository.id, commit, "", range).await?;
            Some(listed.unwrap_or_default())
        }
        _ => None,
    };
    // A push by such a writer would commit first, and then be refused at the tag.
    let only_publishers = call.admitted.may_write
        && database.version_source(&repository.id).await? == VersionSource::Publishers;
    let fields = RepositoryRow::new(repository, facts).fields();
    Ok(json(Info {
        fields: only(fields, expand.as_deref()),
        siblings: entries
            .as_ref()
            .map(|entries| entries.iter().filter_map(Sibling::of).collect()),
        publishers_only: only_publishers.then_some(true),
    }))
}

/// A repository and its files.
#[derive(Serialize, ToSchema)]
#[schema(as = RepositoryInfo)]
pub(crate) struct Info<'a> {
    #[serde(flatten)]
    #[schema(value_type = RepositoryRow)]
    fields: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    siblings: Option<Vec<Sibling<'a>>>,
    /// True if versions come from trusted publishers alone; shown only to others who may write.
    #[serde(rename = "publishersOnly", skip_serializing_if = "Option::is_none")]
    publishers_only: Option<bool>,
}

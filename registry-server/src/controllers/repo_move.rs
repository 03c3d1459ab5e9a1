//! `POST /api/repos/move`: gives a repository another name or owner; the old id goes on working.

use std::collections::BTreeSet;

use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::namespace::find_owner;
use super::repo_kind::kind_of;
use super::{json, version_rules};
use crate::access::{
    Call, SignedInToWrite, Visitor, admit_to_manage, repo_not_found, require_token_covers,
};
use crate::clock;
use crate::database::log::LogSubject;
use crate::database::repositories::{NewId, Repository};
use crate::database::write_authority::Needed;
use crate::http::{ErrorBody, Refusal, Reply};
use crate::names::{RepositoryId, RepositoryKind};
use crate::quota;
use crate::tool::version_in_name;
use crate::wire::Success;

/// The present id of a repository and the one it is to have.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MoveRepoRequest {
    from_repo: String,
    to_repo: String,
    #[serde(default, rename = "type")]
    #[schema(value_type = Option<RepositoryKind>)]
    kind: Option<String>,
}

/// Gives a repository another name or owner; the old id goes on working.
#[utoipa::path(
    post,
    path = "/api/repos/move",
    request_body = MoveRepoRequest,
    responses(
        (status = 200, description = "It was moved", body = Success),
        (status = 403, description = "Its versions come from trusted publishers alone, or one is malicious under the new id, or it has too many former names or versions", body = ErrorBody),
        (status = 404, description = "There is no such repository", body = ErrorBody),
        (status = 409, description = "The new id is taken, or kept for a repository that was moved", body = ErrorBody),
    ),
)]
pub(crate) async fn rename(mut call: Call<SignedInToWrite>) -> Reply {
    let request: MoveRepoRequest = call.json().await?;
    let kind = kind_of(request.kind.as_deref())?;
    let visitor = Visitor::SignedIn(Box::new(call.admitted.clone()));
    let from =
        RepositoryId::parse(kind, &request.from_repo).map_err(|_| repo_not_found(&visitor))?;
    let to = RepositoryId::parse(kind, &request.to_repo)
        .map_err(|error| Refusal::bad_request(error.to_string()))?;
    let repository = admit_to_manage(&call.registry, &call.admitted, &from).await?;
    let database = call.registry.database();
    let authority = call.admitted.authority(Needed::Manage);
    let (mut writing, repository) = database.write_as(&authority, &repository.id).await?;
    // Asked only here, so that it is still true when the repository is moved.
    let owner = find_owner(&call.registry, &call.admitted, Some(to.owner.clone())).await?;
    require_token_covers(&call.admitted, &owner.name, to.name.as_str())?;
    version_rules::check_name_is_free(database, &repository).await?;
    let former_before = writing.former_names(&repository.id).await?;
    let renamed = writing.rename_repository(&repository, &owner.id, &owner.name, to.name.as_str());
    match renamed.await? {
        NewId::Given => {}
        NewId::KeptForMoved => return Err(version_rules::kept_for_moved(&to.to_string())),
        NewId::Taken => {
            return Err(Refusal::new(
                StatusCode::CONFLICT,
                format!("A {} repository called {to} already exists", kind.word()),
            ));
        }
    }
    // Whoever has more from before this bound may still move back.
    let former = writing.former_names(&repository.id).await?;
    let former_max = call.registry.limits().former_names_max;
    if former > former_before && former > former_max {
        return Err(Refusal::forbidden(format!(
            "{} has {former_before} former names, which go on leading to it, and a repository has at most {former_max}: \
             move it back to one of them, or leave it where it is",
            repository.full_name()
        )));
    }
    if let Some(earlier) = writing.publish_moved(&repository).await? {
        return Err(version_rules::published_before(&to.to_string(), &earlier));
    }
    if owner.id != repository.owner {
        // The new owner has not said whose workflows may publish.
        for publisher in database.publishers(&repository.id).await? {
            writing
                .delete_publisher(&publisher.id, clock::now_ms())
                .await?;
        }
        quota::check(&call.registry, &mut writing, &owner.id, &BTreeSet::new()).await?;
    }
    let releases = version_rules::releases_at_head(&call.registry, &repository).await?;
    let references = database.references(&repository.id).await?;
    let versions_max = call.registry.limits().moved_versions_max;
    let logged = writing.log_moved_versions(&repository, versions_max, clock::now_ms());
    if !logged.await? {
        return Err(Refusal::forbidden(format!(
            "{} has more than {versions_max} versions that the log would get under the new name at once, while \
             nobody else publishes: make a new repository, and deprecate this one in its favour",
            repository.full_name()
        )));
    }
    let moved = Repository {
        owner: owner.id,
        owner_name: owner.name,
        name: to.name.to_string(),
        ..repository.clone()
    };
    let to = to.to_string();
    let tags = references
        .iter()
        .filter_map(|reference| reference.name.strip_prefix("refs/tags/"));
    for version in tags.filter_map(version_in_name) {
        let version = version.to_string();
        if let Some(subject) = LogSubject::of(&moved, &to, &version) {
            version_rules::settle_yank(&mut writing, subject, &releases).await?;
        }
    }
    writing.commit().await?;
    tracing::info!(from = repository.full_name(), to, "moved");
    Ok(json(Success::DONE))
}

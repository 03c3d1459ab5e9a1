//! `DELETE /api/repos/delete`: deletes a repository.

use serde::Deserialize;
use utoipa::ToSchema;

use super::repo_kind::kind_of;
use super::{json, version_rules};
use crate::abandoned_uploads;
use crate::access::{Call, SignedInToWrite, Visitor, admit_to_manage, repo_not_found};
use crate::database::write_authority::Needed;
use crate::http::{ErrorBody, Reply};
use crate::names::{RepositoryId, RepositoryKind};
use crate::quota;
use crate::wire::Success;

/// A repository to delete.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DeleteRepoRequest {
    name: String,
    #[serde(default)]
    organization: Option<String>,
    #[serde(default, rename = "type")]
    #[schema(value_type = Option<RepositoryKind>)]
    kind: Option<String>,
}

/// Deletes a repository with everything in it.
#[utoipa::path(
    delete,
    path = "/api/repos/delete",
    request_body = DeleteRepoRequest,
    responses(
        (status = 200, description = "It is gone", body = Success),
        (status = 403, description = "Its versions come from trusted publishers alone", body = ErrorBody),
        (status = 404, description = "There is no such repository", body = ErrorBody),
    ),
)]
pub(crate) async fn delete(mut call: Call<SignedInToWrite>) -> Reply {
    let request: DeleteRepoRequest = call.json().await?;
    let kind = kind_of(request.kind.as_deref())?;
    let id = match (&request.organization, request.name.contains('/')) {
        (Some(owner), _) => format!("{owner}/{}", request.name),
        (None, true) => request.name.clone(),
        (None, false) => format!("{}/{}", call.admitted.account.name, request.name),
    };
    let id = RepositoryId::parse(kind, &id)
        .map_err(|_| repo_not_found(&Visitor::SignedIn(Box::new(call.admitted.clone()))))?;
    let repository = admit_to_manage(&call.registry, &call.admitted, &id).await?;
    let (database, authority) = (
        call.registry.database(),
        call.admitted.authority(Needed::Manage),
    );
    let (mut writing, repository) = database.write_as(&authority, &repository.id).await?;
    version_rules::check_name_is_free(database, &repository).await?;
    quota::abandon(&call.registry, &mut writing, &repository).await?;
    let parts = writing
        .parts_of_repository(&repository.id, i64::MAX)
        .await?;
    writing.delete_repository(&repository.id).await?;
    writing.commit().await?;
    abandoned_uploads::parts(&call.registry, &parts).await;
    tracing::info!(repository = repository.full_name(), "deleted");
    Ok(json(Success::DONE))
}

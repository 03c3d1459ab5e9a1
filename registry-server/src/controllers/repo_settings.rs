//! `PUT …/settings`: changes the visibility and the description of a repository.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::json as answer;
use super::visibility::Visibility;
use crate::access::{Call, ManageRepository};
use crate::database::repositories::Settings;
use crate::database::write_authority::Needed;
use crate::http::{Refusal, Reply};

/// Longest description in bytes.
const DESCRIPTION_BYTES_MAX: usize = 4 << 10;

/// The settings to change; those left out stay.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RepoSettingsRequest {
    #[serde(default)]
    visibility: Option<String>,
    #[serde(default)]
    private: Option<bool>,
    #[serde(default)]
    gated: Option<Value>,
    #[serde(default)]
    description: Option<String>,
}

/// Changes visibility and description.
#[utoipa::path(
    put,
    path = "/api/{kinds}/{owner}/{name}/settings",
    request_body = RepoSettingsRequest,
    responses(
        (status = 200, description = "The settings that hold", body = RepoSettings),
    ),
)]
pub(crate) async fn update(mut call: Call<ManageRepository>) -> Reply {
    let request: RepoSettingsRequest = call.json().await?;
    let private = Visibility::new(request.visibility, request.private).private()?;
    // Answering yes and serving the files to everyone would be worse than refusing.
    if request
        .gated
        .as_ref()
        .is_some_and(|gated| *gated != json!(false) && *gated != json!("false") && !gated.is_null())
    {
        return Err(Refusal::bad_request(
            "this registry has no gated repositories; make the repository private",
        ));
    }
    if request
        .description
        .as_ref()
        .is_some_and(|text| text.len() > DESCRIPTION_BYTES_MAX)
    {
        return Err(Refusal::bad_request(format!(
            "a description has at most {DESCRIPTION_BYTES_MAX} bytes"
        )));
    }
    let authority = call.admitted.caller.authority(Needed::Manage);
    let (database, id) = (call.registry.database(), &call.admitted.repository.id);
    let (mut writing, repository) = database.write_as(&authority, id).await?;
    let settings = Settings {
        private,
        description: request.description.as_deref(),
    };
    writing.change_settings(&repository.id, settings).await?;
    writing.commit().await?;
    Ok(answer(RepoSettings {
        private: private.unwrap_or(repository.private),
        gated: false,
    }))
}

/// The settings of a repository.
#[derive(Serialize, ToSchema)]
pub(crate) struct RepoSettings {
    private: bool,
    gated: bool,
}

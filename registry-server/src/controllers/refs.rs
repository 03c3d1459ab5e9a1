//! `GET …/refs`: lists branches, tags and, where asked for, pull requests.

use serde::Serialize;
use utoipa::ToSchema;

use super::json;
use crate::access::{Call, ReadRepository};
use crate::database::references::Reference;
use crate::http::Reply;

/// The references of a repository.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct References {
    branches: Vec<ReferenceRow>,
    tags: Vec<ReferenceRow>,
    converts: Vec<ReferenceRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pull_requests: Option<Vec<ReferenceRow>>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Reference)]
#[serde(rename_all = "camelCase")]
struct ReferenceRow {
    name: String,
    /// The full name.
    r#ref: String,
    target_commit: String,
}

/// Branches, tags and, where asked for, pull requests.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/refs",
    params(
        ("include_prs" = Option<bool>, Query, description = "With pull requests."),
    ),
    responses(
        (status = 200, description = "The references", body = References),
    ),
)]
pub(crate) async fn list(call: Call<ReadRepository>) -> Reply {
    let repository = &call.admitted.repository.id;
    let references = call.registry.database().references(repository).await?;
    let under = |prefix: &str, cut: &str| -> Vec<ReferenceRow> {
        let under = references.iter();
        let under = under.filter(|reference| reference.name.starts_with(prefix));
        let row = |reference: &Reference| ReferenceRow {
            name: reference.name.replacen(cut, "", 1),
            r#ref: reference.name.clone(),
            target_commit: reference.commit.to_string(),
        };
        under.map(row).collect()
    };
    // Python's own suite looks for the full name of a pull request under both keys.
    let wants_pull_requests = call.query().is_on("include_prs");
    Ok(json(References {
        branches: under("refs/heads/", "refs/heads/"),
        tags: under("refs/tags/", "refs/tags/"),
        converts: Vec::new(),
        pull_requests: wants_pull_requests.then(|| under("refs/pr/", "")),
    }))
}

//! The JSON shape of a repository in info and search, and the list of fields that `expand` accepts.

use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::listed_tool::ListedTool;
use crate::clock;
use crate::database::repositories::Repository;
use crate::names::RepositoryKind;

/// The fields a client may ask for one by one. Those this registry knows nothing about are accepted
/// and left out.
pub(crate) const EXPANDABLE: &[&str] = &[
    "author",
    "baseModels",
    "cardData",
    "citation",
    "config",
    "createdAt",
    "datasets",
    "description",
    "disabled",
    "downloads",
    "downloadsAllTime",
    "gated",
    "gguf",
    "gitalyUid",
    "inference",
    "inferenceProviderMapping",
    "lastModified",
    "library_name",
    "likes",
    "mainSize",
    "mask_token",
    "model-index",
    "models",
    "paperswithcode_id",
    "pipeline_tag",
    "private",
    "resourceGroup",
    "runtime",
    "safetensors",
    "sdk",
    "sha",
    "siblings",
    "spaces",
    "subdomain",
    "tags",
    "tool",
    "transformersInfo",
    "trendingScore",
    "usedStorage",
    "widgetData",
    "xetEnabled",
];

/// The facts that a repository's row does not hold.
#[derive(Debug, Default)]
pub(crate) struct RepositoryFacts {
    pub(crate) sha: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) used_storage_bytes: Option<i64>,
    /// The description in a tool's manifest.
    pub(crate) description: Option<String>,
    /// The tool as listings show it.
    pub(crate) tool: Option<ListedTool>,
}

/// Puts a tool's own description in the place where clients look for one in search results.
///
/// The card may say something else, but agents and people are shown what the manifest says, so
/// search shows that too.
pub(crate) fn describe_in_card(fields: &mut Map<String, Value>) {
    let Some(description) = fields.get("description").cloned() else {
        return;
    };
    let card = fields.entry("cardData").or_insert(Value::Null);
    if card.is_null() {
        *card = json!({});
    }
    if let Some(card) = card.as_object_mut() {
        card.insert("description".to_owned(), description);
    }
}

/// A repository. Which fields are there depends on what was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Repository)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepositoryRow {
    #[serde(rename = "_id")]
    key: String,
    id: String,
    /// The id again, of a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    model_id: Option<String>,
    #[schema(required = false)]
    author: String,
    /// The last commit of the default branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha: Option<String>,
    #[schema(required = false, format = DateTime)]
    last_modified: String,
    #[schema(required = false, format = DateTime)]
    created_at: String,
    #[schema(required = false)]
    private: bool,
    #[schema(required = false)]
    gated: bool,
    #[schema(required = false)]
    disabled: bool,
    #[schema(required = false)]
    downloads: i64,
    #[schema(required = false)]
    likes: i64,
    #[schema(required = false)]
    trending_score: i64,
    #[schema(required = false)]
    tags: Vec<String>,
    #[serde(rename = "library_name", skip_serializing_if = "Option::is_none")]
    library_name: Option<String>,
    #[serde(rename = "pipeline_tag", skip_serializing_if = "Option::is_none")]
    pipeline_tag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<ListedTool>,
    /// The front matter of the card.
    #[schema(required = false)]
    card_data: Value,
    #[schema(required = false)]
    spaces: Vec<String>,
    /// The bytes of all files it ever held.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_storage: Option<i64>,
}

impl RepositoryRow {
    pub(crate) fn new(repository: &Repository, facts: RepositoryFacts) -> Self {
        let card: Value = repository
            .card
            .as_deref()
            .and_then(|card| serde_json::from_str(card).ok())
            .unwrap_or(Value::Null);
        let word = |name: &str| card[name].as_str().map(str::to_owned);
        let is_model = repository.kind == RepositoryKind::Model;
        Self {
            key: repository.id.to_string(),
            id: repository.full_name(),
            model_id: is_model.then(|| repository.full_name()),
            author: repository.owner_name.clone(),
            sha: facts.sha,
            last_modified: clock::date(repository.modified_ms),
            created_at: clock::date(repository.created_ms),
            private: repository.private,
            gated: false,
            disabled: false,
            downloads: repository.downloads,
            likes: repository.likes,
            trending_score: 0,
            tags: facts.tags,
            library_name: word("library_name"),
            pipeline_tag: word("pipeline_tag"),
            description: facts.description,
            tool: facts.tool,
            card_data: card,
            spaces: Vec::new(),
            used_storage: facts.used_storage_bytes,
        }
    }

    /// The fields by their names, in the Hub's order.
    pub(crate) fn fields(&self) -> Map<String, Value> {
        match serde_json::json!(self) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

//! Repositories as info and search show them.

use serde_json::{Map, Value, json};

use crate::clock;
use crate::database::repositories::Repository;

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

/// What a repository's row does not hold.
#[derive(Debug, Default)]
pub(crate) struct RepositoryFacts {
    pub(crate) sha: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) used_storage_bytes: Option<i64>,
    /// What a tool says of itself.
    pub(crate) description: Option<String>,
    /// The tool on the default branch, as listings show it.
    pub(crate) tool: Option<Value>,
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

/// All fields of a repository but its siblings, in the Hub's order.
pub(crate) fn repository_json(
    repository: &Repository,
    facts: RepositoryFacts,
) -> Map<String, Value> {
    let card: Value = repository
        .card
        .as_deref()
        .and_then(|card| serde_json::from_str(card).ok())
        .unwrap_or(Value::Null);
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    put("_id", json!(repository.id));
    put("id", json!(repository.full_name()));
    if repository.kind == crate::names::RepositoryKind::Model {
        put("modelId", json!(repository.full_name()));
    }
    put("author", json!(repository.owner_name));
    if let Some(sha) = facts.sha {
        put("sha", json!(sha));
    }
    put("lastModified", json!(clock::date(repository.modified_ms)));
    put("createdAt", json!(clock::date(repository.created_ms)));
    put("private", json!(repository.private));
    put("gated", json!(false));
    put("disabled", json!(false));
    put("downloads", json!(repository.downloads));
    put("likes", json!(repository.likes));
    put("trendingScore", json!(0));
    put("tags", json!(facts.tags));
    for name in ["library_name", "pipeline_tag"] {
        if let Some(text) = card[name].as_str() {
            put(name, json!(text));
        }
    }
    if let Some(description) = facts.description {
        put("description", json!(description));
    }
    if let Some(tool) = facts.tool {
        put("tool", tool);
    }
    put("cardData", card);
    put("spaces", json!([]));
    if let Some(used) = facts.used_storage_bytes {
        put("usedStorage", json!(used));
    }
    fields
}

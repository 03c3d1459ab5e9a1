//! Searching for tools.

use serde::Deserialize;
use tool_hub_manifest::RepoId;

use crate::error::excerpt;
use crate::limits::SEARCH_RESULTS_MAX;
use crate::{Act, Client, ClientError};

/// The tag in a card's front matter by which tools are found.
pub const SEARCH_TAG: &str = "tool-hub";

/// How many tags of one result are kept.
const TAGS_MAX: usize = 50;

/// One tool that a search found. Its texts come from strangers; they are escaped and bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The repo.
    pub repo: RepoId,
    /// The `description` in the card's front matter.
    pub description: Option<String>,
    /// The card's tags, at most 50.
    pub tags: Vec<String>,
    /// How often it was downloaded, by the registry's own count.
    pub downloads: u64,
    /// How many people like it.
    pub likes: u64,
    /// When it was last changed, as RFC 3339.
    pub last_modified: Option<String>,
    /// Whether only its owners can see it.
    pub private: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    downloads: u64,
    #[serde(default)]
    likes: u64,
    last_modified: Option<String>,
    #[serde(default)]
    private: bool,
    card_data: Option<serde_json::Value>,
}

impl Client {
    /// Finds tools whose repo's name or card holds `query`; an empty query finds all. At most
    /// `limit` results, and never more than [`SEARCH_RESULTS_MAX`], in the registry's order.
    /// Repos whose ids cannot be tool references are left out.
    ///
    /// # Errors
    /// As every question.
    pub async fn search(&self, query: &str, limit: usize) -> Result<Vec<Found>, ClientError> {
        let limit = limit.clamp(1, SEARCH_RESULTS_MAX);
        let mut url = self.wire().url(&["api", "models"]);
        {
            let mut pairs = url.query_pairs_mut();
            if !query.trim().is_empty() {
                pairs.append_pair("search", query.trim());
            }
            pairs.append_pair("filter", SEARCH_TAG);
            pairs.append_pair("limit", &limit.to_string());
            for key in [
                "downloads",
                "likes",
                "lastModified",
                "tags",
                "private",
                "cardData",
            ] {
                pairs.append_pair("expand", key);
            }
        }
        let entries: Vec<Entry> = self.wire().get(&Act::Search, url).await?;
        Ok(entries
            .into_iter()
            .filter_map(Entry::found)
            .take(limit)
            .collect())
    }
}

impl Entry {
    fn found(self) -> Option<Found> {
        let description = self
            .card_data
            .as_ref()
            .and_then(|card| card.get("description")?.as_str());
        Some(Found {
            repo: self.id.parse().ok()?,
            description: description.map(excerpt),
            tags: self
                .tags
                .iter()
                .take(TAGS_MAX)
                .map(|tag| excerpt(tag))
                .collect(),
            downloads: self.downloads,
            likes: self.likes,
            last_modified: self.last_modified.as_deref().map(excerpt),
            private: self.private,
        })
    }
}

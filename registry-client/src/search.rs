//! Searches a registry for tools and reads its results page by page.

use serde::Deserialize;
use tool_hub_manifest::RepoId;
use url::Url;

use crate::error::{Act, ClientError, excerpt};
use crate::limits::{SEARCH_PAGE_MAX, SEARCH_RESULTS_MAX};
use crate::registry::Registry;

/// The tag in a card's front matter by which tools are found.
pub const SEARCH_TAG: &str = "tool-hub";

/// The most tags of one result that are kept.
const TAGS_MAX: usize = 50;
/// The most names of a tool's functions that are kept.
const FUNCTIONS_MAX: usize = 20;

/// The fields that every registry can list.
const KEYS: [&str; 5] = ["downloads", "likes", "lastModified", "tags", "private"];

/// The results of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchResults {
    /// The tools, in the registry's order.
    pub found: Vec<SearchResult>,
    /// True if there are more than were asked for.
    pub more: bool,
    /// True if the registry reads manifests. The public Hub does not: of what it finds, version and
    /// functions are known only after a download.
    pub knows_tools: bool,
}

/// One tool that a search found. Its texts come from strangers; they are escaped and bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchResult {
    /// The repo.
    pub repo: RepoId,
    /// The description in the manifest or, where the registry reads no manifests, in the card.
    pub description: Option<String>,
    /// More of the manifest, where the registry reads manifests and there is one. Our own registry
    /// shows the version that a pull without a version takes.
    pub tool: Option<ToolSummary>,
    /// The card's tags, at most 50.
    pub tags: Vec<String>,
    /// The number of downloads, by the registry's own count.
    pub downloads: u64,
    /// The number of likes.
    pub likes: u64,
    /// The time of the last change, as RFC 3339.
    pub last_modified: Option<String>,
    /// True if only its owners can see it.
    pub private: bool,
}

/// A manifest as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSummary {
    /// The version.
    pub version: String,
    /// The names of its functions, at most 20.
    pub functions: Vec<String>,
    /// The number of functions.
    pub function_count: u64,
}

/// The source of the description that each result is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listing {
    /// The registry's reading of the manifest.
    Tool,
    /// The card's front matter.
    Card,
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
    tool: Option<ToolEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolEntry {
    version: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    function_count: u64,
}

/// Finds tools. A registry that does not know what a tool is refuses the first request and is
/// asked once more, for what every registry can list.
pub(crate) async fn search(
    registry: &Registry,
    query: &str,
    limit: usize,
) -> Result<SearchResults, ClientError> {
    let limit = limit.clamp(1, SEARCH_RESULTS_MAX);
    match list(registry, query, limit, Listing::Tool).await {
        Err(ClientError::Refused { answer, .. }) if answer.status == 400 => {
            list(registry, query, limit, Listing::Card).await
        }
        listed => listed,
    }
}

async fn list(
    registry: &Registry,
    query: &str,
    limit: usize,
    listing: Listing,
) -> Result<SearchResults, ClientError> {
    let mut found: Vec<SearchResult> = Vec::new();
    let mut next = Some(first_page(registry, query, limit, listing));
    // A page whose repos cannot be tools adds nothing; without a bound on pages a registry could
    // send such pages for ever.
    for _ in 0..limit.div_ceil(SEARCH_PAGE_MAX) {
        let Some(url) = next.take() else { break };
        let (entries, after): (Vec<Entry>, _) = registry.wire.page(&Act::Search, url).await?;
        found.extend(entries.into_iter().filter_map(Entry::found));
        next = after;
    }
    let more = found.len() > limit || next.is_some();
    found.truncate(limit);
    Ok(SearchResults {
        found,
        more,
        knows_tools: listing == Listing::Tool,
    })
}

fn first_page(registry: &Registry, query: &str, limit: usize, listing: Listing) -> Url {
    let mut url = registry.wire.url(&["api", "models"]);
    {
        let mut pairs = url.query_pairs_mut();
        if !query.trim().is_empty() {
            pairs.append_pair("search", query.trim());
        }
        pairs.append_pair("filter", SEARCH_TAG);
        pairs.append_pair("limit", &limit.min(SEARCH_PAGE_MAX).to_string());
        let described = match listing {
            Listing::Tool => "tool",
            Listing::Card => "cardData",
        };
        for key in KEYS.into_iter().chain([described]) {
            pairs.append_pair("expand", key);
        }
    }
    url
}

impl Entry {
    fn found(self) -> Option<SearchResult> {
        let of_card = || self.card_data.as_ref()?.get("description")?.as_str();
        let of_tool = self.tool.as_ref().map(|tool| tool.description.as_str());
        let description = of_tool.or_else(of_card).filter(|text| !text.is_empty());
        Some(SearchResult {
            repo: self.id.parse().ok()?,
            description: description.map(excerpt),
            tool: self.tool.map(ToolEntry::found),
            tags: excerpts(&self.tags, TAGS_MAX),
            downloads: self.downloads,
            likes: self.likes,
            last_modified: self.last_modified.as_deref().map(excerpt),
            private: self.private,
        })
    }
}

impl ToolEntry {
    fn found(self) -> ToolSummary {
        let listed = self.functions.len() as u64;
        ToolSummary {
            version: excerpt(&self.version),
            functions: excerpts(&self.functions, FUNCTIONS_MAX),
            function_count: self.function_count.max(listed),
        }
    }
}

fn excerpts(texts: &[String], max: usize) -> Vec<String> {
    texts.iter().take(max).map(|text| excerpt(text)).collect()
}

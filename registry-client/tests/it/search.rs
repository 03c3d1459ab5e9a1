//! Tests of search: requests, pages, registries that misuse paging or know nothing of manifests.

use axum::response::Response;
use serde_json::{Value, json};
use tool_hub_registry_client::{ClientError, SEARCH_RESULTS_MAX};

use crate::registry::{Registry, TOKEN, ok, refusal};
use crate::support::{anonymous, signed_in, variant};

/// A row of the page that begins at `from`.
fn row(index: usize) -> Value {
    json!({
        "_id": "0", "id": format!("alice/t{index}"), "likes": 2, "downloads": 7, "private": false,
        "tags": ["tool-hub"], "lastModified": "2026-11-20T23:00:00.000Z",
        "tool": {
            "name": "t", "version": "1.2.3", "description": "Counts \u{1b}[2Jwords.",
            "functions": ["count", "li\u{202e}ne"], "functionCount": 30,
        },
    })
}

/// The value of a parameter.
fn parameter(query: &str, name: &str) -> Option<usize> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .filter(|(key, _)| *key == name)
        .find_map(|(_, value)| value.parse().ok())
}

/// A registry with `count` tools, which pages as the Hub does.
async fn with_tools(count: usize) -> Registry {
    let registry = Registry::start().await;
    let url = registry.url();
    registry.trick(move |seen| {
        let from = parameter(&seen.query, "cursor").unwrap_or(0);
        let until = count.min(from + parameter(&seen.query, "limit")?);
        let mut page: Response = ok((from..until).map(row).collect());
        if until < count {
            let next = format!("<{url}api/models?limit=100&cursor={until}>; rel=\"next\"");
            page.headers_mut().insert("link", next.parse().ok()?);
        }
        Some(page)
    });
    registry
}

#[tokio::test]
async fn one_request_says_all_of_many_tools() {
    let registry = with_tools(60).await;
    let results = anonymous(&registry).search("words & so", 50).await.unwrap();
    assert!(results.knows_tools && results.more);
    assert_eq!(results.found.len(), 50);
    let first = &results.found[0];
    assert_eq!(first.repo.as_str(), "alice/t0");
    assert_eq!((first.likes, first.downloads), (2, 7));
    let description = first.description.as_deref();
    assert_eq!(description, Some("Counts \\u{1b}[2Jwords."));
    let tool = first.tool.as_ref().unwrap();
    assert_eq!((tool.version.as_str(), tool.function_count), ("1.2.3", 30));
    assert_eq!(tool.functions, ["count", "li\\u{202e}ne"]);
    let seen = registry.take_seen();
    assert_eq!(seen.len(), 1);
    let asked = "search=words+%26+so&filter=tool-hub&limit=50&expand=downloads";
    assert!(seen[0].query.starts_with(asked), "{}", seen[0].query);
    assert!(seen[0].query.ends_with("expand=tool"), "{}", seen[0].query);
}

#[tokio::test]
async fn pages_are_followed_as_far_as_is_asked_for() {
    for (there, limit, found, more, requests) in [
        (0, 5, 0, false, 1),
        (100, 100, 100, false, 1),
        (101, 100, 100, true, 1),
        (250, 150, 150, true, 2),
        (250, 9_999, 250, false, 3),
        (1_200, 9_999, SEARCH_RESULTS_MAX, true, 10),
    ] {
        let registry = with_tools(there).await;
        let results = anonymous(&registry).search("", limit).await.unwrap();
        let seen = registry.take_seen().len();
        assert_eq!(
            (results.found.len(), results.more, seen),
            (found, more, requests),
            "{there} {limit}"
        );
        let last = results.found.last().map(|last| last.repo.to_string());
        let expect = found.checked_sub(1).map(|last| format!("alice/t{last}"));
        assert_eq!(last, expect);
    }
}

/// The public Hub refuses what it does not know, and is asked for the card instead.
#[tokio::test]
async fn a_registry_that_reads_no_manifests() {
    let registry = Registry::start().await;
    registry.trick(|seen| {
        if seen.query.contains("expand=tool") {
            return Some(refusal(
                400,
                "",
                "\"expand\" must be one of [author, cardData]",
            ));
        }
        let mut plain = row(0);
        plain.as_object_mut()?.remove("tool");
        plain["cardData"] = json!({"description": "Counts."});
        Some(ok(json!([plain, {"id": "not a reference"}])))
    });
    let results = anonymous(&registry).search("x", 5).await.unwrap();
    assert!(!results.knows_tools && !results.more);
    assert_eq!(results.found.len(), 1);
    assert_eq!(results.found[0].description.as_deref(), Some("Counts."));
    assert_eq!(results.found[0].tool, None);
    assert_eq!(registry.take_seen().len(), 2);

    registry.trick(|_| Some(refusal(400, "", "too many words")));
    let error = anonymous(&registry).search("x", 5).await.unwrap_err();
    assert!(error.to_string().contains("too many words"), "{error}");
}

#[tokio::test]
async fn the_next_page_is_nobody_else_s() {
    let other = Registry::start().await;
    let registry = Registry::start().await;
    let there = other.url();
    registry.trick(move |_| {
        let mut page: Response = ok(json!([row(0)]));
        let next = format!("<{there}api/models>; rel=\"next\"");
        page.headers_mut().insert("link", next.parse().ok()?);
        Some(page)
    });
    let error = signed_in(&registry).search("", 200).await.unwrap_err();
    assert_eq!(variant(&error), "Nonsense");
    assert!(matches!(&error, ClientError::Nonsense { what, .. } if what.contains("another host")));
    assert!(other.take_seen().is_empty());
    assert!(!format!("{error:?}").contains(TOKEN));
}

/// Pages of nothing that each promise another one come to an end.
#[tokio::test]
async fn pages_without_end() {
    let registry = Registry::start().await;
    let url = registry.url();
    registry.trick(move |_| {
        let mut page: Response = ok(json!([{"id": "not a reference"}]));
        let next = format!("<{url}api/models>; rel=\"next\"");
        page.headers_mut().insert("link", next.parse().ok()?);
        Some(page)
    });
    let results = anonymous(&registry).search("", 500).await.unwrap();
    assert!(results.found.is_empty() && results.more);
    assert_eq!(registry.take_seen().len(), 5);
}

//! Tests of search for repositories: words, filters, pages, and what the results show.

use serde_json::{Value, json};

use crate::support::{TestRegistry, next_page};

async fn registry() -> TestRegistry {
    let hub = TestRegistry::start().await;
    for (id, card) in [
        (
            "alice/text-stats",
            "---\ntags: [tool-hub, wasm-component]\nlicense: mit\n---\n# Counts words\nand 100% of sentences.",
        ),
        (
            "alice/calculator",
            "---\ntags: [tool-hub]\ndescription: Computes expressions\n---\n",
        ),
        ("acme/other", "# No front matter, but words"),
    ] {
        hub.create(id).await;
        hub.commit(id, "card", &[("README.md", card.as_bytes())])
            .await;
    }
    hub.create_with("alice/secret-words", json!({"private": true}))
        .await;
    hub
}

#[track_caller]
fn ids(found: &Value) -> Vec<&str> {
    let mut ids: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn filters_and_words() {
    let hub = registry().await;
    for (query, expect) in [
        (
            "filter=tool-hub",
            &["alice/calculator", "alice/text-stats"][..],
        ),
        (
            "filter=tool-hub&filter=wasm-component",
            &["alice/text-stats"],
        ),
        ("filter=tool-hub,license:mit", &["alice/text-stats"]),
        (
            "search=words",
            &["acme/other", "alice/secret-words", "alice/text-stats"],
        ),
        ("search=WORDS+counts", &["alice/text-stats"]),
        ("search=expressions", &["alice/calculator"]),
        ("search=text-stats", &["alice/text-stats"]),
        ("search=XT-ST", &["alice/text-stats"]),
        ("search=ice%2Fcalc", &["alice/calculator"]),
        ("search=100%25+of", &["alice/text-stats"]),
        ("search=0%25of", &[]),
        ("search=t_xt", &[]),
        ("author=ACME", &["acme/other"]),
        ("author=bob", &[]),
        ("search='%3B+DROP+TABLE+refs", &[]),
    ] {
        assert_eq!(
            ids(&hub.get_json(&format!("/api/models?{query}")).await),
            expect,
            "{query}"
        );
    }
    assert_eq!(hub.get_json("/api/datasets").await, json!([]));
    assert_eq!(hub.get("/api/frogs").await.status(), 404);
    assert_eq!(hub.get("/api/models?sort=frogs").await.status(), 400);
    assert_eq!(hub.get("/api/models?cursor=frogs").await.status(), 400);
}

#[tokio::test]
async fn pages_join_to_the_whole_in_order() {
    let hub = registry().await;
    for sort in ["lastModified", "createdAt", "downloads", "trendingScore"] {
        let mut path = format!("/api/models?sort={sort}&limit=1&full=true");
        let mut all = Vec::new();
        loop {
            let response = hub.get(&path).await;
            let next = next_page(&hub, &response);
            let page: Value = response.json().await.unwrap();
            assert_eq!(page.as_array().unwrap().len(), 1);
            all.push(page[0]["id"].as_str().unwrap().to_owned());
            let Some(next) = next else { break };
            path = next;
        }
        if sort == "createdAt" {
            assert_eq!(
                all,
                [
                    "alice/secret-words",
                    "acme/other",
                    "alice/calculator",
                    "alice/text-stats"
                ]
            );
        }
        all.sort_unstable();
        assert_eq!(
            all,
            [
                "acme/other",
                "alice/calculator",
                "alice/secret-words",
                "alice/text-stats"
            ],
            "{sort}"
        );
    }
}

#[tokio::test]
async fn results_carry_head_tags_and_card() {
    let hub = registry().await;
    let found = hub
        .get_json("/api/models?search=text-stats&cardData=true")
        .await;
    assert_eq!(
        found[0]["tags"],
        json!(["license:mit", "tool-hub", "wasm-component"])
    );
    assert_eq!(found[0]["cardData"]["license"], "mit");
    assert_eq!(
        found[0]["sha"],
        hub.get_json("/api/models/alice/text-stats").await["sha"]
    );
    assert!(
        hub.get_json("/api/models?search=text-stats").await[0]
            .get("cardData")
            .is_none()
    );
}

#[tokio::test]
async fn a_new_card_replaces_the_old_tags() {
    let hub = registry().await;
    hub.commit(
        "alice/calculator",
        "card",
        &[("README.md", b"---\ntags: [new]\n---\n")],
    )
    .await;
    assert_eq!(
        ids(&hub.get_json("/api/models?filter=tool-hub").await),
        ["alice/text-stats"]
    );
    assert_eq!(
        ids(&hub.get_json("/api/models?filter=new").await),
        ["alice/calculator"]
    );
    let body =
        crate::support::header("no card") + &crate::support::deletion("deletedFile", "README.md");
    assert_eq!(
        hub.send_commit("alice/calculator", body).await.status(),
        200
    );
    assert_eq!(hub.get_json("/api/models?filter=new").await, json!([]));
}

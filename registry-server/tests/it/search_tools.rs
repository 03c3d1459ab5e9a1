//! Tests of search for tools: what it shows, in which order, and what stays hidden.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestRegistry, deletion, header, next_page};

async fn publish(hub: &TestRegistry, id: &str, description: &str, function: &str, card: &str) {
    hub.create(id).await;
    let name = id.split('/').next_back().unwrap();
    let manifest = format!(
        "schema = 1\nname = \"{name}\"\nversion = \"0.1.0\"\ndescription = \"{description}\"\n\
         [functions.{function}]\ndescription = \"Does it.\"\n"
    );
    hub.commit(
        id,
        "tool",
        &[
            ("tool.toml", manifest.as_bytes()),
            ("README.md", card.as_bytes()),
        ],
    )
    .await;
}

fn order(found: &Value) -> Vec<&str> {
    let found = found.as_array().unwrap();
    found
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect()
}

async fn registry() -> TestRegistry {
    let hub = TestRegistry::start().await;
    // The order of making is not that of any answer below.
    publish(
        &hub,
        "alice/alpha",
        "Nothing special",
        "run",
        "walrus walrus walrus walrus in the card",
    )
    .await;
    publish(&hub, "alice/beta", "Feeds a walrus", "run", "card").await;
    publish(&hub, "alice/walrus-feeder", "Feeds", "run", "card").await;
    publish(&hub, "alice/gamma", "Nothing", "walrus_weight", "card").await;
    publish(
        &hub,
        "acme/walrus",
        "Feeds",
        "run",
        "a long card about other animals, seals and bears among them",
    )
    .await;
    hub.create("alice/delta").await;
    hub.commit(
        "alice/delta",
        "card",
        &[("README.md", b"no tool, only walrus")],
    )
    .await;
    hub
}

#[tokio::test]
async fn names_come_before_descriptions_before_cards() {
    let hub = registry().await;
    let found = hub
        .get_json("/api/models?filter=tool-hub&search=walrus")
        .await;
    assert_eq!(
        order(&found)[..3],
        ["acme/walrus", "alice/walrus-feeder", "alice/beta"]
    );
    let mut rest = order(&found)[3..].to_vec();
    rest.sort_unstable();
    assert_eq!(
        rest,
        ["alice/alpha", "alice/gamma"],
        "the function's name and the card, and no repository without a tool"
    );
    // A sort given explicitly wins.
    let found = hub
        .get_json("/api/models?filter=tool-hub&search=walrus&sort=createdAt")
        .await;
    assert_eq!(
        order(&found),
        [
            "acme/walrus",
            "alice/gamma",
            "alice/walrus-feeder",
            "alice/beta",
            "alice/alpha"
        ]
    );
}

#[tokio::test]
async fn the_last_word_may_be_a_beginning() {
    let hub = registry().await;
    for (query, expect) in [
        ("walrus-fee", &["alice/walrus-feeder"][..]),
        (
            "feeds+wal",
            &["acme/walrus", "alice/beta", "alice/walrus-feeder"],
        ),
        ("wal+feeds", &[]),
        ("walrus_wei", &["alice/gamma"]),
        ("alice/walrus", &["alice/walrus-feeder"]),
        ("ANIMALS", &["acme/walrus"]),
        ("%25", &[]),
        ("%22%29+OR+name:", &[]),
        ("%00", &[]),
    ] {
        let found = hub
            .get_json(&format!("/api/models?filter=tool-hub&search={query}"))
            .await;
        let mut found = order(&found);
        found.sort_unstable();
        assert_eq!(found, expect, "{query}");
    }
}

#[tokio::test]
async fn the_description_is_the_manifests() {
    let hub = TestRegistry::start().await;
    publish(
        &hub,
        "alice/tool",
        "What the manifest says",
        "run",
        "---\ndescription: something else\nlicense: mit\n---\n",
    )
    .await;
    let query = "/api/models?filter=tool-hub&expand=cardData&expand=description";
    let found = hub.get_json(query).await;
    assert_eq!(found[0]["description"], "What the manifest says");
    assert_eq!(
        found[0]["cardData"],
        json!({"description": "What the manifest says", "license": "mit"})
    );
    let info = hub.get_json("/api/models/alice/tool").await;
    assert_eq!(info["description"], "What the manifest says");
    assert_eq!(
        info["cardData"]["description"], "something else",
        "info shows the card as it is"
    );
    assert_eq!(
        info["tags"],
        json!(["license:mit", "tool-hub"]),
        "a manifest makes a tool"
    );

    // The tool goes with its manifest, and comes back with it, without a word about the card.
    let gone = header("gone") + &deletion("deletedFile", "tool.toml");
    assert_eq!(hub.send_commit("alice/tool", gone).await.status(), 200);
    assert_eq!(hub.get_json("/api/models?filter=tool-hub").await, json!([]));
    assert_eq!(hub.get_json("/api/models?search=manifest").await, json!([]));
    let info = hub.get_json("/api/models/alice/tool").await;
    assert_eq!(info["tags"], json!(["license:mit"]));
    assert_eq!(info.get("description"), None);
}

#[tokio::test]
async fn the_index_follows_moves_settings_and_deletions() {
    let hub = TestRegistry::start().await;
    publish(&hub, "alice/walrus", "Feeds", "run", "card").await;
    let moving = json!({"fromRepo": "alice/walrus", "toRepo": "acme/seal", "type": "model"});
    let moved = hub
        .send_json(Method::POST, "/api/repos/move", &hub.alice, moving)
        .await;
    assert_eq!(moved.status(), 200);
    assert_eq!(
        order(&hub.get_json("/api/models?search=acme/seal").await),
        ["acme/seal"]
    );
    assert_eq!(hub.get_json("/api/models?search=alice").await, json!([]));
    let settings = json!({"description": "otters"});
    let path = "/api/models/acme/seal/settings";
    assert_eq!(
        hub.send_json(Method::PUT, path, &hub.alice, settings)
            .await
            .status(),
        200
    );
    assert_eq!(
        order(&hub.get_json("/api/models?search=otters").await),
        ["acme/seal"]
    );
    let body = json!({"name": "acme/seal"});
    let deleted = hub
        .send_json(Method::DELETE, "/api/repos/delete", &hub.alice, body)
        .await;
    assert_eq!(deleted.status(), 200);
    for word in ["seal", "otters", "feeds"] {
        assert_eq!(
            hub.get_json(&format!("/api/models?search={word}")).await,
            json!([])
        );
    }
}

#[tokio::test]
async fn pages_by_relevance_join_to_the_whole_and_hide_what_is_private() {
    let hub = registry().await;
    for index in 0..7 {
        publish(
            &hub,
            &format!("alice/more-{index}"),
            "walrus",
            "run",
            "card",
        )
        .await;
    }
    hub.create_with("alice/walrus-secret", json!({"private": true}))
        .await;
    for (token, expect) in [(None, 13), (Some(&hub.bob), 13), (Some(&hub.alice), 14)] {
        let mut path = "/api/models?search=walrus&limit=2".to_owned();
        let mut all: Vec<String> = Vec::new();
        loop {
            let request = hub.request(Method::GET, &path, token.map(String::as_str));
            let response = request.send().await.unwrap();
            let next = next_page(&hub, &response);
            let page: Value = response.json().await.unwrap();
            all.extend(order(&page).into_iter().map(str::to_owned));
            let Some(next) = next else { break };
            path = next;
        }
        assert_eq!(all.len(), expect, "{all:?}");
        assert_eq!(all[0], "acme/walrus");
        assert_eq!(
            all.contains(&"alice/walrus-secret".to_owned()),
            expect == 14
        );
        let whole = hub.request(
            Method::GET,
            "/api/models?search=walrus",
            token.map(String::as_str),
        );
        let whole: Value = whole.send().await.unwrap().json().await.unwrap();
        assert_eq!(order(&whole), all);
    }
}

#[tokio::test]
async fn a_listing_shows_what_the_tools_are() {
    let hub = registry().await;
    let card = hub.get_json("/api/models?search=delta&expand=tool").await;
    assert_eq!(card[0]["id"], "alice/delta");
    assert!(card[0].get("tool").is_none(), "{card}");

    let found = hub
        .get_json("/api/models?filter=tool-hub&search=walrus_weight&expand=tool,downloads")
        .await;
    let tool = &found[0]["tool"];
    let digest = tool["manifest"]["sha256"].as_str().unwrap();
    assert_eq!(digest.len(), 64);
    let expect = json!({
        "name": "gamma",
        "version": "0.1.0",
        "description": "Nothing",
        "license": null,
        "functions": ["walrus_weight"],
        "functionCount": 1,
        "manifest": {"sha256": digest},
    });
    assert_eq!(*tool, expect);
    let fields: Vec<&String> = found[0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["_id", "id", "downloads", "tool"]);
    let view = hub.get_json("/api/models/alice/gamma/tool").await;
    assert_eq!(view["head"]["manifest"]["sha256"], digest);
    let info = hub.get_json("/api/models/alice/gamma?expand=tool").await;
    assert_eq!(info["tool"], expect);
    for plain in [
        "/api/models/alice/gamma",
        "/api/models?search=gamma&full=true",
    ] {
        assert!(
            !hub.get_json(plain)
                .await
                .to_string()
                .contains("functionCount")
        );
    }
}

#[tokio::test]
async fn a_listing_of_tools_is_that_of_the_newest_commit_and_bounded() {
    let hub = TestRegistry::start().await;
    publish(&hub, "alice/counter", "Counts", "count", "card").await;
    let long = "long ".repeat(10_000);
    let mut manifest =
        format!("schema = 1\nname = \"counter\"\nversion = \"0.1.0\"\ndescription = \"{long}\"\n");
    for index in 0..1_000 {
        manifest += &format!("[functions.f{index}]\ndescription = \"Does it.\"\n");
    }
    let files = [("tool.toml", manifest.as_bytes())];
    hub.commit("alice/counter", "more", &files).await;
    let found = hub
        .get_json("/api/models?filter=tool-hub&expand=tool")
        .await;
    let tool = &found[0]["tool"];
    assert_eq!(tool["functionCount"], 1_000);
    assert_eq!(tool["functions"].as_array().unwrap().len(), 20);
    let description = tool["description"].as_str().unwrap();
    assert!(description.ends_with('…') && description.chars().count() == 301);
    assert!(found.to_string().len() < 4_096);

    let gone = header("no tool") + &deletion("deletedFile", "tool.toml");
    assert_eq!(hub.send_commit("alice/counter", gone).await.status(), 200);
    let found = hub.get_json("/api/models?search=counter&expand=tool").await;
    assert_eq!(found[0]["id"], "alice/counter");
    assert!(found[0].get("tool").is_none(), "{found}");
}

/// The ids on all pages of `limit` results.
pub(crate) async fn all_pages(hub: &TestRegistry, query: &str, limit: usize) -> Vec<String> {
    let mut path = format!("/api/models?{query}&limit={limit}");
    let mut all = Vec::new();
    loop {
        let response = hub.get(&path).await;
        let next = next_page(hub, &response);
        let page: Value = response.json().await.unwrap();
        assert!(page.as_array().unwrap().len() <= limit);
        all.extend(order(&page).into_iter().map(str::to_owned));
        let Some(next) = next else { return all };
        path = next;
    }
}

#[tokio::test]
async fn the_best_come_first_and_pages_join_to_the_whole() {
    let hub = TestRegistry::start().await;
    // From the worst to the best.
    publish(&hub, "alice/unwalrused", "Nothing", "run", "card").await;
    publish(&hub, "alice/prewalrus2", "Nothing", "run", "card").await;
    publish(&hub, "alice/a1", "Nothing", "run", "the walruses").await;
    publish(&hub, "alice/b1", "Nothing", "run", "a walrus").await;
    publish(&hub, "alice/b2", "Nothing", "run", "walrus walrus").await;
    publish(&hub, "alice/c1", "Nothing", "walrus_run", "card").await;
    publish(&hub, "alice/c2", "Nothing", "walrus_run", "card").await;
    publish(&hub, "alice/d2", "A long text with a walrus", "run", "card").await;
    publish(&hub, "alice/d1", "walrus", "run", "card").await;
    publish(&hub, "alice/walruses-1", "Nothing", "run", "card").await;
    publish(&hub, "alice/walruses-2", "Nothing", "run", "card").await;
    publish(&hub, "alice/e-walrus", "Nothing", "run", "card").await;
    publish(&hub, "alice/walrus-e", "Nothing", "run", "card").await;
    publish(&hub, "alice/walrus", "Nothing", "run", "card").await;
    publish(&hub, "acme/walrus", "Nothing", "run", "card").await;
    let expect = [
        "acme/walrus",
        "alice/walrus",
        "alice/walrus-e",
        "alice/e-walrus",
        "alice/walruses-2",
        "alice/walruses-1",
        "alice/d1",
        "alice/d2",
        "alice/c2",
        "alice/c1",
        "alice/b2",
        "alice/b1",
        "alice/a1",
        "alice/prewalrus2",
        "alice/unwalrused",
    ];
    for limit in [1, 2, 3, 5, 100] {
        let found = all_pages(&hub, "filter=tool-hub&search=walrus", limit).await;
        assert_eq!(found, expect, "in pages of {limit}");
    }
    // Sorted by a column, search finds the same.
    let mut sorted = all_pages(&hub, "search=walrus&sort=createdAt", 3).await;
    sorted.sort_unstable();
    let mut expect = expect.to_vec();
    expect.sort_unstable();
    assert_eq!(sorted, expect);
    // Of equally good matches, the one changed last comes first.
    hub.commit("alice/c1", "card", &[("README.md", b"text")])
        .await;
    let found = all_pages(&hub, "search=walrus", 100).await;
    assert_eq!(found[8..10], ["alice/c1", "alice/c2"]);
}

#[tokio::test]
async fn a_place_in_a_list_stays_when_others_publish() {
    let hub = registry().await;
    let whole = all_pages(&hub, "search=walrus", 100).await;
    let first = hub.get("/api/models?search=walrus&limit=3").await;
    let next = next_page(&hub, &first).unwrap();
    let first: Value = first.json().await.unwrap();
    publish(&hub, "alice/walrus-late", "walrus", "walrus", "walrus").await;
    let rest = hub.get_json(&next).await;
    let both: Vec<&str> = order(&first).into_iter().chain(order(&rest)).collect();
    assert_eq!(both, whole);
}

#[tokio::test]
async fn filters_narrow_a_search_by_words() {
    let hub = registry().await;
    for (query, expect) in [
        (
            "author=ALICE&search=walrus&filter=tool-hub",
            &[
                "alice/walrus-feeder",
                "alice/beta",
                "alice/gamma",
                "alice/alpha",
            ][..],
        ),
        ("author=acme&search=walrus", &["acme/walrus"]),
        ("author=acme&search=alru", &["acme/walrus"]),
        ("author=bob&search=walrus", &[]),
        ("filter=tool-hub&filter=other&search=walrus", &[]),
        (
            "search=wa",
            &[
                "alice/walrus-feeder",
                "acme/walrus",
                "alice/beta",
                "alice/gamma",
                "alice/alpha",
                "alice/delta",
            ],
        ),
        ("search=ph", &["alice/alpha"]),
    ] {
        for limit in [1, 10] {
            let found = all_pages(&hub, query, limit).await;
            assert_eq!(found, expect, "{query}");
        }
    }
}

//! Tests of the bounds on former names, on the versions of a move, and on a commit's yank records.

use reqwest::{Method, Response};
use serde_json::json;

use crate::log::{REPO, key, publish, yanked};
use crate::support::{TestRegistry, file, header, refusal};

const NAMES: [&str; 4] = [REPO, "alice/second", "alice/third", "alice/fourth"];

async fn rename(hub: &TestRegistry, from: &str, to: &str) -> Response {
    let names = json!({ "fromRepo": from, "toRepo": to });
    hub.send_json(Method::POST, "/api/repos/move", &hub.alice, names)
        .await
}

async fn start() -> TestRegistry {
    let hub = TestRegistry::start_with(|limits| {
        limits.former_names_max = 2;
        limits.moved_versions_max = 3;
        limits.commit_yank_records_max = 5;
    })
    .await;
    hub.create(REPO).await;
    hub
}

#[tokio::test]
async fn a_repository_has_few_former_names() {
    let hub = start().await;
    let [first, second, third, fourth] = NAMES;
    assert_eq!(rename(&hub, first, second).await.status(), 200);
    assert_eq!(rename(&hub, second, third).await.status(), 200);
    let is_full = async |from: &str, former: &str| {
        let (status, _, told) = refusal(rename(&hub, from, fourth).await).await;
        assert_eq!(status, 403, "{told}");
        let expect = format!("{from} has {former} former names");
        assert!(told.starts_with(&expect), "{told}");
        let there = hub.get(&format!("/api/models/{fourth}")).await;
        assert_eq!(there.status(), 404);
    };
    is_full(third, "2").await;
    // Back and forth it goes on, in any letters.
    assert_eq!(rename(&hub, third, first).await.status(), 200);
    assert_eq!(rename(&hub, first, "alice/TOOL").await.status(), 200);
    is_full("alice/TOOL", "2").await;
    // So it does for whoever has more names from before the bound.
    hub.run_sql(
        "INSERT INTO aliases (kind, owner_folded, name_folded, repository) \
         SELECT 'model', 'alice', 'older', id FROM repositories",
    )
    .await
    .unwrap();
    assert_eq!(rename(&hub, REPO, "alice/older").await.status(), 200);
    is_full("alice/older", "3").await;
}

async fn log_size(hub: &TestRegistry) -> u64 {
    let note = hub.get("/api/log/checkpoint").await.text().await.unwrap();
    key(hub).await.open(&note).unwrap().size()
}

#[tokio::test]
async fn what_is_moved_has_few_versions() {
    let hub = start().await;
    for minor in 0..3 {
        publish(&hub, REPO, &format!("1.{minor}.0")).await;
    }
    let [first, second, ..] = NAMES;
    assert_eq!(rename(&hub, first, second).await.status(), 200);
    assert_eq!(log_size(&hub).await, 6);
    publish(&hub, second, "1.3.0").await;
    let (status, _, told) = refusal(rename(&hub, second, "alice/third").await).await;
    assert_eq!(status, 403, "{told}");
    let expect = "alice/second has more than 3 versions that the log would get";
    assert!(told.starts_with(expect), "{told}");
    assert_eq!(log_size(&hub).await, 7);
    // The former name lacks but one of them.
    assert_eq!(rename(&hub, second, first).await.status(), 200);
    assert_eq!(log_size(&hub).await, 8);
}

#[tokio::test]
async fn a_commit_makes_few_records_of_yanks() {
    let hub = start().await;
    let versions = ["1.0.0", "1.1.0", "1.2.0"];
    for version in versions {
        publish(&hub, REPO, version).await;
    }
    let [_, moved, ..] = NAMES;
    assert_eq!(rename(&hub, REPO, moved).await.status(), 200);
    let size = async || log_size(&hub).await;
    assert_eq!(size().await, 6);
    let yank = async |versions: &[&str]| {
        let said = versions.iter().map(|version| yanked(version, "broken"));
        let said: String = said.collect();
        hub.send_commit(
            moved,
            header("yank") + &file("releases.toml", said.as_bytes()),
        )
        .await
    };
    // Each is recorded under both names.
    let (status, _, told) = refusal(yank(&versions).await).await;
    assert_eq!(status, 422, "{told}");
    assert!(told.contains("at most 5 records"), "{told}");
    assert_eq!(size().await, 6);
    assert_eq!(yank(&versions[..2]).await.status(), 200);
    assert_eq!(size().await, 10);
    assert_eq!(yank(&versions).await.status(), 200);
    assert_eq!(size().await, 12);

    // What is not published is not counted.
    let many: Vec<String> = (0..9).map(|minor| format!("2.{minor}.0")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(yank(&[&versions[..], &many].concat()).await.status(), 200);
    assert_eq!(size().await, 12);
}

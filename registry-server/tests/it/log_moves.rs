//! Tests of the log of repositories that are moved, or deleted and made anew: no yank is lost.

use reqwest::{Method, Response};
use serde_json::json;

use crate::log::{REPO, publish, say, yanked};
use crate::log_signers::records;
use crate::support::{TestRegistry, refusal};

const MOVED: &str = "alice/moved";

async fn rename(hub: &TestRegistry, from: &str, to: &str) -> Response {
    let names = json!({ "fromRepo": from, "toRepo": to, "type": "model" });
    hub.send_json(Method::POST, "/api/repos/move", &hub.alice, names)
        .await
}

/// Deletes a repository, and makes one of that name.
async fn make_anew(hub: &TestRegistry, id: &str) {
    let deletion = json!({ "name": id });
    let deleted = hub.send_json(Method::DELETE, "/api/repos/delete", &hub.alice, deletion);
    assert_eq!(deleted.await.status(), 200);
    hub.create(id).await;
}

/// Commits the manifest of `version`, then what is `said` of versions, and tags the first commit.
async fn send(hub: &TestRegistry, version: &str, said: &str) -> Response {
    let manifest = format!(
        "schema = 1\nname = \"stats\"\nversion = \"{version}\"\ndescription = \"Counts words.\"\n"
    );
    let files = [("tool.toml", manifest.as_bytes())];
    let commit = hub.commit(REPO, version, &files).await;
    say(hub, said).await;
    let path = format!("/api/models/{REPO}/tag/{commit}");
    let tag = json!({ "tag": format!("v{version}") });
    hub.send_json(Method::POST, &path, &hub.alice, tag).await
}

async fn moves_with_its_yanks(hub: &TestRegistry) {
    publish(hub, REPO, "1.0.0").await;
    publish(hub, REPO, "1.1.0").await;
    publish(hub, REPO, "1.2.0").await;
    say(
        hub,
        &(yanked("1.1.0", "malicious") + &yanked("1.2.0", "broken")),
    )
    .await;
    say(hub, &yanked("1.1.0", "malicious")).await;
    assert_eq!(rename(hub, REPO, MOVED).await.status(), 200);
    let stolen = |id: &str| [format!("{id} 1.1.0"), "1.1.0 malicious".to_owned()];
    for id in [REPO, MOVED] {
        assert_eq!(records(hub, id, "1.1.0").await, stolen(id));
    }
    assert_eq!(records(hub, MOVED, "1.2.0").await, ["alice/moved 1.2.0"]);

    // Later yanks, too, are heard of by whoever asks for the former name.
    publish(hub, MOVED, "1.3.0").await;
    let all = ["1.0.0", "1.1.0", "1.3.0"].map(|version| yanked(version, "malicious"));
    let files = [("releases.toml", all.concat())];
    let files = files
        .each_ref()
        .map(|(name, text)| (*name, text.as_bytes()));
    hub.commit(MOVED, "yank", &files).await;
    hub.commit(MOVED, "back", &[("releases.toml", b"")]).await;
    hub.commit(MOVED, "again", &files).await;
    let yanks = ["1.0.0 malicious", "1.0.0 back", "1.0.0 malicious"];
    for id in [REPO, MOVED] {
        let found = records(hub, id, "1.0.0").await;
        assert_eq!(found[0], format!("{id} 1.0.0"));
        assert_eq!(found[1..], yanks);
    }
    // This version was never to be had under the former name.
    assert_eq!(records(hub, REPO, "1.3.0").await, [""; 0]);
    assert_eq!(records(hub, MOVED, "1.3.0").await.len(), 4);

    let before = records(hub, REPO, "1.1.0").await;
    assert_eq!(rename(hub, MOVED, REPO).await.status(), 200);
    assert_eq!(records(hub, REPO, "1.1.0").await, before);
    let expect = ["alice/tool 1.3.0", "1.3.0 malicious"];
    assert_eq!(records(hub, REPO, "1.3.0").await, expect);
}

#[tokio::test]
async fn a_yank_is_told_under_every_name() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    moves_with_its_yanks(&hub).await;
}

#[tokio::test]
async fn a_private_repository_moves_with_its_yanks() {
    let hub = TestRegistry::start().await;
    hub.create_with(REPO, json!({ "private": true })).await;
    moves_with_its_yanks(&hub).await;
    let tile = hub.get("/api/log/tile/entries/000.p/3").await;
    let tile = tile.bytes().await.unwrap();
    let tile = String::from_utf8_lossy(&tile);
    assert!(tile.contains("hidden") && !tile.contains("tool"), "{tile}");
}

/// The yanks of a version, without the records of its publications: two of them in one second are
/// of one commit.
async fn yanks(hub: &TestRegistry) -> Vec<String> {
    let mut found = records(hub, REPO, "1.0.0").await;
    found.retain(|said| said != "alice/tool 1.0.0");
    found
}

#[tokio::test]
async fn what_is_restored_is_given_back() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    say(&hub, &yanked("1.0.0", "vulnerable")).await;
    make_anew(&hub, REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    assert_eq!(yanks(&hub).await, ["1.0.0 vulnerable", "1.0.0 back"]);

    // Nothing changes for a version that is restored with its yank.
    let said = yanked("1.0.0", "broken");
    say(&hub, &said).await;
    make_anew(&hub, REPO).await;
    assert_eq!(send(&hub, "1.0.0", &said).await.status(), 200);
    assert_eq!(yanks(&hub).await.len(), 3);
    // A yank that is there before its version is in the log, too.
    let said = said + &yanked("1.1.0", "broken");
    assert_eq!(send(&hub, "1.1.0", &said).await.status(), 200);
    let expect = ["alice/tool 1.1.0", "1.1.0 broken"];
    assert_eq!(records(&hub, REPO, "1.1.0").await, expect);
}

#[tokio::test]
async fn a_malicious_version_is_not_restored() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    say(&hub, &yanked("1.0.0", "malicious")).await;
    let milder = yanked("1.0.0", "broken");
    let expect = "version 1.0.0 of alice/tool was yanked as malicious";
    for said in ["", &milder] {
        make_anew(&hub, REPO).await;
        let (status, _, told) = refusal(send(&hub, "1.0.0", said).await).await;
        assert_eq!(status, 403);
        assert!(told.contains(expect), "{told}");
    }
    // Nor is one with the same files moved there.
    hub.create("alice/other").await;
    publish(&hub, "alice/other", "1.0.0").await;
    let gone = json!({ "name": REPO });
    let gone = hub.send_json(Method::DELETE, "/api/repos/delete", &hub.alice, gone);
    assert_eq!(gone.await.status(), 200);
    let (status, _, told) = refusal(rename(&hub, "alice/other", REPO).await).await;
    assert_eq!(status, 403);
    assert!(told.contains(expect), "{told}");
    assert_eq!(hub.get("/api/models/alice/other").await.status(), 200);

    // It is with its yank, which may be taken back openly.
    hub.create(REPO).await;
    let said = yanked("1.0.0", "malicious");
    assert_eq!(send(&hub, "1.0.0", &said).await.status(), 200);
    assert_eq!(yanks(&hub).await, ["1.0.0 malicious"]);
    say(&hub, "").await;
    assert_eq!(yanks(&hub).await, ["1.0.0 malicious", "1.0.0 back"]);
}

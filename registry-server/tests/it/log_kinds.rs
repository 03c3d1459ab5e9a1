//! Tests that the log is of models alone, and opens a hidden record for its own repository alone.

use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::log::{REPO, key, proved, publish, said, say, yanked};
use crate::log_signers::records;
use crate::scrub::unlock_log;
use crate::support::{TestRegistry, file, header};

/// Publishes a version in the repository [`REPO`] of a kind.
async fn publish_as(hub: &TestRegistry, kinds: &str, version: &str, description: &str) {
    let manifest = format!(
        "schema = 1\nname = \"stats\"\nversion = \"{version}\"\ndescription = \"{description}\"\n"
    );
    commit_as(hub, kinds, "tool.toml", &manifest).await;
    let path = format!("/api/{kinds}/{REPO}/tag/main");
    let tag = json!({ "tag": format!("v{version}") });
    let tagged = hub.send_json(Method::POST, &path, &hub.alice, tag).await;
    assert_eq!(tagged.status(), 200, "{}", tagged.text().await.unwrap());
}

async fn commit_as(hub: &TestRegistry, kinds: &str, name: &str, text: &str) {
    let body = header("x") + &file(name, text.as_bytes());
    let path = format!("/api/{kinds}/{REPO}/commit/main");
    let request = hub.request(Method::POST, &path, Some(&hub.alice));
    assert_eq!(request.body(body).send().await.unwrap().status(), 200);
}

async fn manage(hub: &TestRegistry, method: Method, path: &str, body: Value) {
    let answer = hub.send_json(method, path, &hub.alice, body).await;
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
}

async fn delete(hub: &TestRegistry) {
    manage(
        hub,
        Method::DELETE,
        "/api/repos/delete",
        json!({ "name": REPO }),
    )
    .await;
}

async fn set_private(hub: &TestRegistry, private: bool) {
    let path = format!("/api/models/{REPO}/settings");
    manage(hub, Method::PUT, &path, json!({ "private": private })).await;
}

/// The answer about version 1.0.0 that a stranger gets.
async fn stranger_sees(hub: &TestRegistry, kinds: &str) -> Value {
    let path = format!("/api/{kinds}/{REPO}/log?version=1.0.0");
    let answer: Response = hub.request(Method::GET, &path, None).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.json().await.unwrap()
}

/// The records of version 1.0.0 as a stranger is told them, proved to be in the log.
async fn told(hub: &TestRegistry, kinds: &str) -> Vec<String> {
    let answer = stranger_sees(hub, kinds).await;
    let (records, _) = proved(answer, &key(hub).await, None).await;
    records.iter().map(said).collect()
}

async fn size(hub: &TestRegistry) -> u64 {
    let note = hub.get("/api/log/checkpoint").await.text().await.unwrap();
    key(hub).await.open(&note).unwrap().size()
}

#[tokio::test]
async fn other_kinds_have_no_records() {
    let hub = TestRegistry::start().await;
    hub.create_with(REPO, json!({ "private": true })).await;
    publish(&hub, REPO, "1.0.0").await;
    say(&hub, &yanked("1.0.0", "broken")).await;
    let all = ["alice/tool 1.0.0", "1.0.0 broken"];
    for (kind, kinds) in [("dataset", "datasets"), ("space", "spaces")] {
        hub.create_with(REPO, json!({ "type": kind, "sdk": "static" }))
            .await;
        publish_as(&hub, kinds, "1.0.0", "Something else.").await;
        commit_as(&hub, kinds, "releases.toml", &yanked("1.0.0", "malicious")).await;
        assert_eq!(told(&hub, kinds).await, [""; 0], "{kinds}");
        assert_eq!(records(&hub, REPO, "1.0.0").await, all, "{kinds}");
        // They do not come into it by a move, either.
        let moved = json!({ "fromRepo": REPO, "toRepo": "alice/moved", "type": kind });
        manage(&hub, Method::POST, "/api/repos/move", moved).await;
        assert_eq!(size(&hub).await, 2, "{kinds}");
    }
}

#[tokio::test]
async fn a_hidden_record_is_opened_for_its_own_repository() {
    let hub = TestRegistry::start().await;
    hub.create_with(REPO, json!({ "private": true })).await;
    publish(&hub, REPO, "1.0.0").await;
    say(&hub, &yanked("1.0.0", "broken")).await;
    let before = records(&hub, REPO, "1.0.0").await;
    assert_eq!(before, ["alice/tool 1.0.0", "1.0.0 broken"]);

    // A public one in its place has a record of its own, and those of the other stay a secret.
    delete(&hub).await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    assert_eq!(told(&hub, "models").await, ["alice/tool 1.0.0"]);
    let answer = stranger_sees(&hub, "models").await;
    assert!(!answer.to_string().contains("opening"), "{answer}");
    say(&hub, &yanked("1.0.0", "vulnerable")).await;
    let now = ["alice/tool 1.0.0", "1.0.0 vulnerable"];
    assert_eq!(told(&hub, "models").await, now);

    // While it is private, its readers are those of the other.
    set_private(&hub, true).await;
    let both = [before, now.map(str::to_owned).to_vec()].concat();
    assert_eq!(records(&hub, REPO, "1.0.0").await, both);
}

/// A private repository that is made anew has the readers of the one before.
#[tokio::test]
async fn a_restored_private_repository_has_its_records() {
    let hub = TestRegistry::start().await;
    hub.create_with(REPO, json!({ "private": true })).await;
    publish(&hub, REPO, "1.0.0").await;
    say(&hub, &yanked("1.0.0", "broken")).await;
    delete(&hub).await;
    hub.create_with(REPO, json!({ "private": true })).await;
    publish(&hub, REPO, "1.0.0").await;
    let all = records(&hub, REPO, "1.0.0").await;
    let version = "alice/tool 1.0.0";
    assert_eq!(all, [version, "1.0.0 broken", version, "1.0.0 back"]);
    set_private(&hub, false).await;
    let own = [version, "1.0.0 back"];
    assert_eq!(told(&hub, "models").await, own);

    // The members of another owner, to whom it moves, are not among them.
    set_private(&hub, true).await;
    let names = json!({ "fromRepo": REPO, "toRepo": "acme/tool" });
    manage(&hub, Method::POST, "/api/repos/move", names).await;
    assert_eq!(records(&hub, REPO, "1.0.0").await, own);
    let moved = records(&hub, "acme/tool", "1.0.0").await;
    assert_eq!(moved, ["acme/tool 1.0.0"]);
}

/// Records from before their repository was noted.
#[tokio::test]
async fn records_without_an_origin_are_told_by_their_name() {
    let hub = TestRegistry::start().await;
    hub.create_with(REPO, json!({ "private": true })).await;
    publish(&hub, REPO, "1.0.0").await;
    unlock_log(&hub).await;
    hub.run_sql("UPDATE log_records SET origin = NULL")
        .await
        .unwrap();
    assert_eq!(records(&hub, REPO, "1.0.0").await, ["alice/tool 1.0.0"]);
    set_private(&hub, false).await;
    assert_eq!(told(&hub, "models").await, ["alice/tool 1.0.0"]);

    // The record may be that of a data set, which is private.
    let secret = json!({ "type": "dataset", "private": true });
    hub.create_with(REPO, secret).await;
    publish_as(&hub, "datasets", "1.0.0", "A secret.").await;
    assert_eq!(told(&hub, "models").await, [""; 0]);
    set_private(&hub, true).await;
    assert_eq!(records(&hub, REPO, "1.0.0").await, ["alice/tool 1.0.0"]);
}

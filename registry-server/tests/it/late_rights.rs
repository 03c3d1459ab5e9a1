//! Tests that what was allowed when a request began is asked again when it is done.

use std::time::Duration;

use futures::StreamExt as _;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tool_hub_registry_server::{MemberRole, TokenRole};

use crate::jobs;
use crate::log::{REPO, publish, yanked};
use crate::log_signers::records;
use crate::support::{TestRegistry, file, header, hex, refusal};

/// The time in which a request is let in, after which its body waits.
const LET_IN: Duration = Duration::from_millis(400);

/// A request with all of its body but the last byte, which comes after `meanwhile`.
pub(crate) async fn send_late(
    hub: &TestRegistry,
    (method, path): (Method, &str),
    token: &str,
    body: &str,
    meanwhile: impl Future<Output = ()>,
) -> Response {
    let (first, last) = body.split_at(body.len() - 1);
    let (first, last) = (first.to_owned(), last.to_owned());
    let (go_on, wait) = oneshot::channel::<()>();
    let first = futures::stream::once(async { Ok::<_, std::io::Error>(first) });
    let last = futures::stream::once(async {
        wait.await.unwrap();
        Ok(last)
    });
    let request = hub.request(method, path, Some(token));
    let body = reqwest::Body::wrap_stream(first.chain(last).boxed());
    let sent = tokio::spawn(request.body(body).send());
    tokio::time::sleep(LET_IN).await;
    meanwhile.await;
    go_on.send(()).unwrap();
    sent.await.unwrap().unwrap()
}

#[track_caller]
fn is_late(refused: &(u16, String, String), what: &str) {
    assert_eq!(refused.0, 403, "{what}: {refused:?}");
    let ended = "your right to change this repository ended while this request was under way";
    assert!(refused.2.starts_with(ended), "{what}: {refused:?}");
}

fn manifest(version: &str) -> String {
    format!(
        "schema = 1\nname = \"stats\"\nversion = \"{version}\"\ndescription = \"Counts words.\"\n"
    )
}

async fn head(hub: &TestRegistry, id: &str) -> Value {
    hub.get_json(&format!("/api/models/{id}/refs")).await
}

#[tokio::test]
async fn a_token_that_is_revoked_meanwhile_changes_nothing() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    let files = [("tool.toml", manifest("1.0.0"))];
    let files = files
        .each_ref()
        .map(|(name, text)| (*name, text.as_bytes()));
    hub.commit(REPO, "1.0.0", &files).await;
    let before = head(&hub, REPO).await;
    let commit = header("late") + &file("a", b"late");
    let tag = json!({ "tag": "v1.0.0" }).to_string();
    let api = format!("/api/models/{REPO}");
    let object = json!({ "oid": "0".repeat(64), "size": 1 });
    let batch = json!({ "operation": "upload", "objects": [object] }).to_string();
    for (method, path, body) in [
        (Method::POST, format!("{api}/commit/main"), commit.clone()),
        (
            Method::POST,
            format!("{api}/commit/main?create_pr=1"),
            commit,
        ),
        (Method::POST, format!("{api}/tag/main"), tag),
        (Method::POST, format!("{api}/branch/side"), "{}".to_owned()),
        (
            Method::POST,
            format!("{api}/super-squash/main"),
            "{}".to_owned(),
        ),
        (
            Method::POST,
            format!("{api}/discussions"),
            json!({ "title": "x" }).to_string(),
        ),
        (
            Method::PUT,
            format!("{api}/settings"),
            json!({ "private": true }).to_string(),
        ),
        (
            Method::POST,
            "/api/repos/move".to_owned(),
            json!({ "fromRepo": REPO, "toRepo": "alice/moved" }).to_string(),
        ),
        (
            Method::DELETE,
            "/api/repos/delete".to_owned(),
            json!({ "name": REPO }).to_string(),
        ),
        (
            Method::POST,
            "/api/repos/create".to_owned(),
            json!({ "name": "alice/new" }).to_string(),
        ),
        (
            Method::POST,
            format!("/{REPO}.git/info/lfs/objects/batch"),
            batch,
        ),
    ] {
        let token = hub
            .registry
            .create_token("alice", "late", TokenRole::Write, None);
        let token = token.await.unwrap();
        let revoke = async { hub.registry.revoke_token(&token.summary.id).await.unwrap() };
        let secret = token.secret.expose();
        let sent = send_late(&hub, (method, &path), secret, &body, revoke).await;
        is_late(&refusal(sent).await, &path);
    }
    assert_eq!(head(&hub, REPO).await, before);
    assert_eq!(hub.get("/api/models/alice/new").await.status(), 404);
}

/// Nor does an object come to a repository by the address that a token was given.
#[tokio::test]
async fn an_upload_ends_with_its_token() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    let token = hub
        .registry
        .create_token("alice", "late", TokenRole::Write, None);
    let token = token.await.unwrap();
    let (secret, bytes) = (token.secret.expose(), "an object");
    let object = json!({ "oid": hex(bytes.as_bytes()), "size": bytes.len() });
    let batch = json!({ "operation": "upload", "objects": [object] });
    let path = format!("/{REPO}.git/info/lfs/objects/batch");
    let answer = async || {
        let answer = hub.send_json(Method::POST, &path, &hub.alice, batch.clone());
        answer.await.json::<Value>().await.unwrap()["objects"][0].clone()
    };
    let asked = hub
        .send_json(Method::POST, &path, secret, batch.clone())
        .await;
    let asked: Value = asked.json().await.unwrap();
    let href = asked["objects"][0]["actions"]["upload"]["href"]
        .as_str()
        .unwrap();
    let href = href.strip_prefix(&hub.endpoint).unwrap();
    let revoke = async { hub.registry.revoke_token(&token.summary.id).await.unwrap() };
    let sent = send_late(&hub, (Method::PUT, href), &hub.alice, bytes, revoke).await;
    is_late(&refusal(sent).await, href);
    assert!(
        answer().await["actions"]["upload"].is_object(),
        "it has not arrived"
    );
}

#[tokio::test]
async fn a_role_that_is_lost_meanwhile_is_missed() {
    let hub = TestRegistry::start().await;
    let (registry, repo) = (&hub.registry, "late/tool");
    registry.add_organisation("late").await.unwrap();
    let member = async |user: &str, role| registry.add_member("late", user, role).await.unwrap();
    member("alice", MemberRole::Admin).await;
    hub.create(repo).await;
    let commit = header("late") + &file("tool.toml", manifest("1.0.0").as_bytes());
    let path = format!("/api/models/{repo}/commit/main");
    let send = async |token: &str, meanwhile: MemberRole| {
        member("bob", MemberRole::Write).await;
        let change = member("bob", meanwhile);
        send_late(&hub, (Method::POST, &path), token, &commit, change).await
    };
    let sent = send(&hub.bob, MemberRole::Read).await;
    is_late(&refusal(sent).await, "a commit");
    assert_eq!(send(&hub.bob, MemberRole::Admin).await.status(), 200);

    // Nor does a repository come to where its owner may not write any more.
    hub.create(REPO).await;
    let to = json!({ "fromRepo": REPO, "toRepo": "late/moved" }).to_string();
    let lost = member("alice", MemberRole::Read);
    let sent = send_late(
        &hub,
        (Method::POST, "/api/repos/move"),
        &hub.alice,
        &to,
        lost,
    )
    .await;
    assert_eq!(sent.status(), 403);
}

/// A version is logged as its repository is when the tag is made, not when the request began.
#[tokio::test]
async fn what_is_made_private_meanwhile_is_hidden_in_the_log() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    let set = async |private: bool| {
        let path = format!("/api/models/{REPO}/settings");
        let body = json!({ "private": private });
        let done = hub.send_json(Method::PUT, &path, &hub.alice, body).await;
        assert_eq!(done.status(), 200);
    };
    let files = [("tool.toml", manifest("1.0.0"))];
    let files = files
        .each_ref()
        .map(|(name, text)| (*name, text.as_bytes()));
    hub.commit(REPO, "1.0.0", &files).await;
    let tag = json!({ "tag": "v1.0.0" }).to_string();
    let path = format!("/api/models/{REPO}/tag/main");
    let hide = set(true);
    let sent = send_late(&hub, (Method::POST, &path), &hub.alice, &tag, hide).await;
    assert_eq!(sent.status(), 200);
    assert_eq!(records(&hub, REPO, "1.0.0").await, ["alice/tool 1.0.0"]);

    // So is its yank.
    set(false).await;
    let yank = header("yank") + &file("releases.toml", yanked("1.0.0", "broken").as_bytes());
    let path = format!("/api/models/{REPO}/commit/main");
    let sent = send_late(&hub, (Method::POST, &path), &hub.alice, &yank, set(true)).await;
    assert_eq!(sent.status(), 200);
    let both = ["alice/tool 1.0.0", "1.0.0 broken"];
    assert_eq!(records(&hub, REPO, "1.0.0").await, both);
    let bundle = hub.get("/api/log/tile/entries/000.p/2").await;
    let bundle = bundle.bytes().await.unwrap();
    let bundle = String::from_utf8_lossy(&bundle);
    assert!(!bundle.contains("tool"), "{bundle}");
}

#[tokio::test]
async fn what_is_moved_meanwhile_is_logged_under_its_new_name() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    let files = [("tool.toml", manifest("1.1.0"))];
    let files = files
        .each_ref()
        .map(|(name, text)| (*name, text.as_bytes()));
    hub.commit(REPO, "1.1.0", &files).await;
    let tag = json!({ "tag": "v1.1.0" }).to_string();
    let path = format!("/api/models/{REPO}/tag/main");
    let rename = async {
        let names = json!({ "fromRepo": REPO, "toRepo": "alice/moved" });
        let moved = hub.send_json(Method::POST, "/api/repos/move", &hub.alice, names);
        assert_eq!(moved.await.status(), 200);
    };
    let sent = send_late(&hub, (Method::POST, &path), &hub.alice, &tag, rename).await;
    assert_eq!(sent.status(), 200);
    let found = records(&hub, "alice/moved", "1.1.0").await;
    assert_eq!(found, ["alice/moved 1.1.0"]);
    assert_eq!(records(&hub, REPO, "1.1.0").await, [""; 0]);
}

#[tokio::test]
async fn a_publisher_that_is_removed_meanwhile_publishes_nothing() {
    let hub = TestRegistry::start_configured(jobs::trust).await;
    hub.create(REPO).await;
    let commit = header("late") + &file("tool.toml", manifest("1.0.0").as_bytes());
    let tag = json!({ "tag": "v1.0.0" }).to_string();
    let publishers = format!("/api/models/{REPO}/publishers");
    for (at, (path, body)) in [("commit/main", &commit), ("tag/main", &tag)]
        .iter()
        .enumerate()
    {
        jobs::allow(&hub, REPO).await;
        let token = jobs::token(&hub, REPO, &at.to_string()).await;
        let path = format!("/api/models/{REPO}/{path}");
        let remove = async {
            let listed = hub.get_json(&publishers).await;
            let id = listed["publishers"][0]["id"].as_str().unwrap();
            let gone = format!("{publishers}/{id}");
            let gone = hub.request(Method::DELETE, &gone, Some(&hub.alice));
            assert_eq!(gone.send().await.unwrap().status(), 200);
        };
        let sent = send_late(&hub, (Method::POST, &path), &token, body, remove).await;
        is_late(&refusal(sent).await, &path);
        // For the tag there has to be a version.
        hub.send_commit(REPO, commit.clone()).await;
    }
}

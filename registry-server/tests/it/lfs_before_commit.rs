//! Tests of git-lfs uploads before their commit: expiry, lost rights, quota, number, pointers.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tool_hub_registry_server::{MemberRole, Registry, TokenRole, serve};

use crate::lfs_requests::{BATCH, address, batch, commit, content, put, registry, upload};
use crate::support::{TestRegistry, file, header, hex as sha256, refusal, token};

#[tokio::test]
async fn an_upload_address_ends_with_its_time_and_its_token() {
    let hub = registry().await;
    let bytes = content(500);
    let object = batch(&hub, BATCH, &sha256(&bytes), 500, &["basic"]).await;
    let href = address(&hub, &object["actions"]["upload"]["href"]);
    hub.run_sql("UPDATE lfs_uploads SET expires_ms = 1")
        .await
        .unwrap();
    assert_eq!(refusal(put(&hub, &href, &bytes).await).await.0, 403);

    let hub = registry().await;
    let secret = token(&hub.registry, "alice", TokenRole::Write).await;
    let body = json!({"operation": "upload", "objects": [{"oid": sha256(&bytes), "size": 500}]});
    let answer: Value = hub
        .send_json(Method::POST, BATCH, &secret, body)
        .await
        .json()
        .await
        .unwrap();
    let href = address(&hub, &answer["objects"][0]["actions"]["upload"]["href"]);
    let tokens = hub.registry.list_tokens("alice").await.unwrap();
    hub.registry.revoke_token(&tokens[1].id).await.unwrap();
    assert_eq!(refusal(put(&hub, &href, &bytes).await).await.0, 403);
    assert_eq!(
        refusal(put(&hub, "/api/lfs/object?ticket=", &bytes).await)
            .await
            .0,
        403
    );
}

#[tokio::test]
async fn who_may_no_longer_write_cannot_end_an_upload() {
    let hub = registry().await;
    hub.create("acme/tool").await;
    hub.registry
        .add_member("acme", "bob", MemberRole::Write)
        .await
        .unwrap();
    let bytes = content(500);
    let body = json!({"operation": "upload", "objects": [{"oid": sha256(&bytes), "size": 500}]});
    let path = "/acme/tool.git/info/lfs/objects/batch";
    let response = hub.send_json(Method::POST, path, &hub.bob, body).await;
    let answer: Value = response.json().await.unwrap();
    let href = address(&hub, &answer["objects"][0]["actions"]["upload"]["href"]);
    hub.registry
        .add_member("acme", "bob", MemberRole::Read)
        .await
        .unwrap();
    assert_eq!(refusal(put(&hub, &href, &bytes).await).await.0, 403);
}

#[tokio::test]
async fn the_text_of_a_pointer_is_the_pointer_and_needs_its_object() {
    let hub = registry().await;
    let bytes = content(500);
    let oid = sha256(&bytes);
    let text = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 500\n");
    // Kept as a text, it would become another file when the object arrives, in versions too.
    let body = header("from git") + &file("big.bin", text.as_bytes());
    let (status, _, said) = refusal(hub.send_commit("alice/tool", body.clone()).await).await;
    assert_eq!(status, 422);
    assert!(
        said.contains("was not uploaded to this repository"),
        "{said}"
    );
    let new = json!({"name": "new", "files": [{"path": "big.bin", "content": STANDARD.encode(&text), "encoding": "base64"}]});
    let path = "/api/repos/create";
    let response = hub.send_json(Method::POST, path, &hub.alice, new).await;
    assert_eq!(refusal(response).await.0, 422);
    upload(&hub, &bytes).await;
    let other = text.replace("size 500", "size 501");
    let other = header("of another length") + &file("big.bin", other.as_bytes());
    assert_eq!(hub.send_commit("alice/tool", other).await.status(), 422);
    assert_eq!(hub.send_commit("alice/tool", body).await.status(), 200);
    let resolved = "/alice/tool/resolve/main/big.bin";
    assert_eq!(hub.get(resolved).await.bytes().await.unwrap(), bytes);
    // A file that a commit names is not one that waits for a commit.
    forget(&hub).await;
    assert_eq!(hub.get(resolved).await.bytes().await.unwrap(), bytes);
    hub.commit("alice/tool", "copy", &[("copy.bin", text.as_bytes())])
        .await;
    let copy = hub.get("/alice/tool/raw/main/copy.bin").await;
    assert_eq!(copy.text().await.unwrap(), text);
}

#[tokio::test]
async fn an_object_that_no_commit_names_is_forgotten() {
    let hub = registry().await;
    let used = async || hub.registry.storage_of("alice").await.unwrap().used_bytes;
    let before = used().await;
    let (named, left) = (content(500), content(700));
    let kept = upload(&hub, &named).await;
    assert_eq!(
        commit(&hub, "big.bin", &kept, Some(500)).await.status(),
        200
    );
    let lost = upload(&hub, &left).await;
    assert!(used().await >= before + 1_200);
    let collect = async || hub.registry.collect_garbage(Duration::ZERO).await.unwrap();
    assert_eq!(collect().await.removed_objects, 0);
    assert!(hub.object(&left).exists(), "it awaits its commit");
    forget(&hub).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(collect().await.removed_objects, 2);
    assert!(!hub.object(&left).exists() && hub.object(&named).exists());
    let asked = async |oid: &str, size| batch(&hub, BATCH, oid, size, &["basic"]).await;
    assert!(asked(&lost, 700).await["actions"]["upload"]["href"].is_string());
    assert_eq!(asked(&kept, 500).await.get("actions"), None);
    assert_eq!(commit(&hub, "lost.bin", &lost, None).await.status(), 422);
    assert!(used().await < before + 1_200);
    let file = hub.get("/alice/tool/resolve/main/big.bin").await;
    assert_eq!(file.bytes().await.unwrap(), named);
}

/// Serves the registry for a while with no patience for objects that wait for a commit.
async fn forget(hub: &TestRegistry) {
    let waiting = content(900);
    let oid = upload(hub, &waiting).await;
    let mut config = hub.config.clone();
    config.limits.lfs_object_lifetime = Duration::ZERO;
    config.directory = hub.directory.path().join("second");
    if hub.place.is_none() {
        config.directory = hub.config.directory.clone();
    }
    let impatient = Registry::open(config).await.unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let serving = tokio::spawn(serve(listener, impatient, std::future::pending()));
    for _ in 0..200 {
        // A batch would renew the object.
        let verify = "/alice/tool.git/info/lfs/objects/verify";
        let question = json!({"oid": oid, "size": 900});
        let answer = hub.send_json(Method::POST, verify, &hub.alice, question);
        if answer.await.status() == 404 {
            serving.abort();
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the object that waits was not forgotten");
}

/// The answer to an LFS batch request for these objects.
async fn announce(hub: &TestRegistry, objects: &[(String, usize)]) -> reqwest::Response {
    let objects = objects
        .iter()
        .map(|(oid, size)| json!({"oid": oid, "size": size}));
    let objects: Vec<Value> = objects.collect();
    let body = json!({"operation": "upload", "transfers": ["multipart"], "objects": objects});
    hub.send_json(Method::POST, BATCH, &hub.alice, body).await
}

#[tokio::test]
async fn announced_objects_and_their_parts_count() {
    let hub = registry().await;
    hub.registry.set_quota("alice", Some(10_000)).await.unwrap();
    let object = |text: &str| (sha256(text.as_bytes()), 4_000);
    let (one, two, three) = (object("one"), object("two"), object("three"));
    // Repeated announcements, as after an interrupted push, count once.
    for _ in 0..3 {
        let response = announce(&hub, &[one.clone(), two.clone()]).await;
        assert_eq!(response.status(), 200);
    }
    let response = announce(&hub, &[three]).await;
    assert_eq!(refusal(response).await.0, 403);
    let storage = hub.registry.storage_of("alice").await.unwrap();
    assert_eq!(storage.announced_bytes, 8_000);
    // An object that is uploaded repeatedly, each time with a new ticket, takes more room than was
    // announced.
    let (mut sent, mut refused) = (0, 0);
    for _ in 0..4 {
        let answer: Value = announce(&hub, std::slice::from_ref(&one))
            .await
            .json()
            .await
            .unwrap();
        let Some(header) = answer["objects"][0]["actions"]["upload"]["header"].as_object() else {
            break;
        };
        for number in 1..=4 {
            let href = address(&hub, &header[&format!("{number:05}")]);
            match put(&hub, &href, &content(1_000)).await.status().as_u16() {
                200 => sent += 1,
                403 => refused += 1,
                other => panic!("{other}"),
            }
        }
    }
    assert!(sent >= 4 && refused > 0, "{sent} sent, {refused} refused");
    assert!(sent * 1_000 + 4_000 <= 10_000, "{sent} parts are stored");
    assert_eq!(hub.kept("parts").len(), sent);
    // The parts are deleted with their repository.
    let body = json!({"name": "alice/tool"});
    let path = "/api/repos/delete";
    let response = hub.send_json(Method::DELETE, path, &hub.alice, body).await;
    assert_eq!(response.status(), 200);
    assert_eq!(hub.kept("parts").len(), 0);
}

#[tokio::test]
async fn announced_objects_are_bounded_in_number() {
    let hub = TestRegistry::start_with(|limits| {
        limits.lfs_batch_max = 20;
        limits.lfs_open_uploads_max = 50;
    })
    .await;
    hub.create("alice/tool").await;
    let objects = |batch: usize, count: usize| -> Vec<(String, usize)> {
        let digests = (0..count).map(|at| sha256(format!("{batch} {at}").as_bytes()));
        digests.map(|digest| (digest, 0)).collect()
    };
    assert_eq!(announce(&hub, &objects(0, 21)).await.status(), 400);
    for batch in 0..2 {
        assert_eq!(announce(&hub, &objects(batch, 20)).await.status(), 200);
    }
    let response = announce(&hub, &objects(2, 20)).await;
    assert_eq!(refusal(response).await.0, 429);
    assert_eq!(announce(&hub, &objects(3, 10)).await.status(), 200);
}

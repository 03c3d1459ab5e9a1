//! Tests of owners' storage quotas, also with many writers, refused commits and deletions.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestRegistry, deletion, file, header, refusal, statuses};

/// The bytes of `.gitattributes`, which every repository has.
async fn first_bytes(hub: &TestRegistry) -> u64 {
    hub.registry.storage_of("alice").await.unwrap().used_bytes
}

#[tokio::test]
async fn an_owner_keeps_no_more_than_the_quota() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let first = first_bytes(&hub).await;
    hub.registry
        .set_quota("alice", Some(first + 1_000))
        .await
        .unwrap();
    hub.commit("alice/tool", "fits", &[("a", &[1; 600])]).await;
    let body = header("too much") + &file("b", &[2; 401]);
    let (status, code, text) = refusal(hub.send_commit("alice/tool", body).await).await;
    assert_eq!((status, code.as_str()), (403, ""));
    assert!(
        text.starts_with(&format!(
            "Storage limit reached: the owner may keep {} bytes",
            first + 1_000
        )),
        "{text}"
    );
    // What is there already costs nothing, up to what fits the room; reading and deleting go on.
    hub.commit("alice/tool", "again", &[("c", &[2; 400])]).await;
    let body = header("x") + &file("d", b"1");
    assert_eq!(hub.send_commit("alice/tool", body).await.status(), 403);
    assert_eq!(hub.get("/alice/tool/resolve/main/a").await.status(), 200);
    let body = header("less") + &deletion("deletedFile", "a");
    assert_eq!(hub.send_commit("alice/tool", body).await.status(), 200);
    // The history keeps what a commit deletes.
    let storage = hub.registry.storage_of("ALICE").await.unwrap();
    assert_eq!(
        (storage.used_bytes, storage.quota_bytes),
        (first + 1_000, Some(first + 1_000))
    );
    let info = hub.get_json("/api/models/alice/tool").await;
    assert_eq!(info["usedStorage"], first + 1_000);
    // Others are not touched, and more room can be had.
    hub.create("acme/tool").await;
    hub.commit("acme/tool", "large", &[("a", &[1; 5_000])])
        .await;
    hub.registry.set_quota("alice", None).await.unwrap();
    hub.commit("alice/tool", "large", &[("a", &[1; 5_000])])
        .await;
}

#[tokio::test]
async fn everyone_has_the_registrys_quota() {
    let hub = TestRegistry::start_with(|limits| limits.owner_bytes_max = Some(10_000)).await;
    hub.create("alice/one").await;
    hub.create("alice/two").await;
    hub.commit("alice/one", "x", &[("a", &[1; 6_000])]).await;
    let body = header("x") + &file("a", &[1; 6_000]);
    assert_eq!(hub.send_commit("alice/two", body).await.status(), 403);
    // Neither the files of a new repository nor one that is moved in are a way around it.
    let content = "A".repeat(8_000);
    let body = json!({"name": "three", "files": [{"path": "a", "content": content, "encoding": "base64"}]});
    let created = hub
        .send_json(Method::POST, "/api/repos/create", &hub.alice, body)
        .await;
    assert_eq!(refusal(created).await.0, 403);
    assert_eq!(hub.get("/api/models/alice/three").await.status(), 404);
    hub.create("acme/full").await;
    hub.commit("acme/full", "x", &[("a", &[1; 6_000])]).await;
    let body = json!({"fromRepo": "acme/full", "toRepo": "alice/full", "type": "model"});
    let moved = hub
        .send_json(Method::POST, "/api/repos/move", &hub.alice, body)
        .await;
    assert_eq!(refusal(moved).await.0, 403);
    assert_eq!(
        hub.get_json("/api/models/acme/full").await["id"],
        "acme/full"
    );
}

#[tokio::test]
async fn many_writers_together_keep_to_the_quota() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let quota = first_bytes(&hub).await + 5_500;
    hub.registry.set_quota("alice", Some(quota)).await.unwrap();
    let commits = (0..16_u8).map(|at| {
        let body = header("x") + &file(&format!("f{at}"), &[at; 1_000]);
        hub.send_commit("alice/tool", body)
    });
    assert_eq!(statuses(commits).await, [(200, 5), (403, 11)].into());
    let tree: Value = hub.get_json("/api/models/alice/tool/tree/main").await;
    assert_eq!(tree.as_array().unwrap().len(), 6);
    assert!(first_bytes(&hub).await <= quota);
}

/// The header line of a commit on this parent.
fn header_on(parent: &str) -> String {
    let value = json!({"summary": "x", "description": "", "parentCommit": parent});
    format!("{}\n", json!({"key": "header", "value": value}))
}

/// The bytes of all stored objects and parts.
fn disk_bytes(hub: &TestRegistry) -> u64 {
    let files = ["sha256", "parts"].map(|below| hub.kept(below)).concat();
    files
        .iter()
        .map(|file| std::fs::metadata(file).map_or(0, |found| found.len()))
        .sum()
}

#[tokio::test]
async fn refused_commits_leave_nothing_behind() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.registry
        .set_quota("alice", Some(100_000))
        .await
        .unwrap();
    let before = disk_bytes(&hub);
    let large = vec![b'x'; 90_000];
    let nowhere = "0123456789012345678901234567890123456789";
    for at in 0..5_u8 {
        let mut content = large.clone();
        content[0] = at;
        for (body, expect) in [
            (header_on(nowhere) + &file("a", &content), 412),
            (header("x") + &file("tool.toml", &content), 422),
            (
                header("x") + &file("a", &content) + &deletion("deletedFile", "none"),
                404,
            ),
            (header("x") + &file("a", &content) + &file("a/b", b""), 422),
            (header("x") + &file("a", &content) + "nonsense\n", 400),
        ] {
            let response = hub.send_commit("alice/tool", body).await;
            assert_eq!(refusal(response).await.0, expect);
        }
        let content = String::from_utf8(content).unwrap();
        for body in [
            json!({"name": "no", "files": [{"path": "a", "content": content}, {"path": "a/b", "content": ""}]}),
            json!({"name": "no", "files": [{"path": "tool.toml", "content": content}]}),
            json!({"name": "tool", "files": [{"path": "a", "content": content}]}),
        ] {
            let path = "/api/repos/create";
            let response = hub.send_json(Method::POST, path, &hub.alice, body).await;
            assert!(response.status().is_client_error());
        }
    }
    assert_eq!(disk_bytes(&hub), before);
}

#[tokio::test]
async fn what_was_deleted_counts_until_it_is_collected() {
    let hub = TestRegistry::start().await;
    hub.create("alice/stays").await;
    hub.registry.set_quota("alice", Some(15_000)).await.unwrap();
    let delete = async |id: &str| {
        let body = json!({"name": id});
        let path = "/api/repos/delete";
        let response = hub.send_json(Method::DELETE, path, &hub.alice, body).await;
        assert_eq!(response.status(), 200);
    };
    let mut pushed = 0;
    for at in 0..10_u8 {
        let id = format!("alice/again-{at}");
        hub.create(&id).await;
        let body = header("x") + &file("a", &[at; 11_000]);
        match hub.send_commit(&id, body).await {
            response if response.status() == 200 => pushed += 1,
            response => {
                let (status, _, text) = refusal(response).await;
                assert_eq!(status, 403);
                assert!(text.contains("garbage collection"), "{text}");
            }
        }
        delete(&id).await;
    }
    // Deleting makes room at once, but only once: a third push would let the disk hold more than
    // twice the quota.
    assert_eq!(pushed, 2);
    assert!(disk_bytes(&hub) <= 30_000);
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    hub.registry
        .collect_garbage(std::time::Duration::ZERO)
        .await
        .unwrap();
    hub.commit("alice/stays", "x", &[("a", &[77; 11_000])])
        .await;
}

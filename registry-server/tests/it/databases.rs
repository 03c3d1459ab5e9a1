//! Tests of where SQLite and PostgreSQL could differ: order of names, zero bytes, many writers.
//! A run of the tests has one database; the answers that they expect are the same for both.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestRegistry, deletion, file, header};

#[tokio::test]
async fn names_are_in_the_order_of_their_bytes() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    for branch in ["b", "Z", "a-b", "ab", "a_b", "a.b", "ä"] {
        let path = format!("/api/models/alice/tool/branch/{branch}");
        let response = hub
            .send_json(Method::POST, &path, &hub.alice, json!({}))
            .await;
        assert_eq!(response.status(), 200, "{branch}");
    }
    let refs = hub.get_json("/api/models/alice/tool/refs").await;
    let branches: Vec<&str> = refs["branches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|branch| branch["name"].as_str().unwrap())
        .collect();
    assert_eq!(branches, ["Z", "a-b", "a.b", "a_b", "ab", "b", "main", "ä"]);
}

#[tokio::test]
async fn a_zero_byte_breaks_nothing() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let card = b"---\ntags: [\"a\\0b\", good]\n---\nzero \0 byte and wombats";
    hub.commit("alice/tool", "zero", &[("README.md", card)])
        .await;
    let found = hub.get_json("/api/models?search=wombats&filter=good").await;
    assert_eq!(found[0]["id"], "alice/tool");
    assert_eq!(found[0]["tags"], json!(["good"]));

    for path in [
        "/api/models?search=%00",
        "/api/models?author=a%00",
        "/api/models?filter=%00",
        "/api/models/alice/tool/tree/main/a%00b",
        "/api/models/alice/tool/revision/a%00b",
        "/alice/tool/resolve/main/a%00b",
        "/alice/tool%00/resolve/main/README.md",
    ] {
        let status = hub.get(path).await.status().as_u16();
        assert!(matches!(status, 200 | 400 | 404), "{path}: {status}");
    }
    for (method, path, body, statuses) in [
        (
            Method::PUT,
            "settings",
            json!({"description": "a\0b"}),
            [200, 400],
        ),
        (
            Method::POST,
            "tag/main",
            json!({"tag": "v1", "message": "a\0b"}),
            [200, 400],
        ),
        (
            Method::POST,
            "paths-info/main",
            json!({"paths": ["a\0b"], "expand": true}),
            [200, 400],
        ),
        (
            Method::POST,
            "preupload/main",
            json!({"files": [{"path": "a\0b"}]}),
            [200, 400],
        ),
    ] {
        let path = format!("/api/models/alice/tool/{path}");
        let response = hub.send_json(method, &path, &hub.alice, body).await;
        assert!(
            statuses.contains(&response.status().as_u16()),
            "{path}: {}",
            response.status()
        );
    }
}

#[tokio::test]
async fn writers_of_many_kinds_do_not_block_each_other() {
    let hub = TestRegistry::start().await;
    for name in ["one", "two", "three"] {
        hub.create(&format!("alice/{name}")).await;
    }
    let rounds = (0..24).map(|at| {
        let hub = &hub;
        async move {
            let id = format!("alice/{}", ["one", "two", "three"][at % 3]);
            let base = format!("/api/models/{id}");
            let post = async |path: String, body: Value| {
                let response = hub.send_json(Method::POST, &path, &hub.alice, body).await;
                response.status().as_u16()
            };
            let body = header("x") + &file(&format!("f/{at}"), b"x");
            let committed = hub.send_commit(&id, body).await.status().as_u16();
            let branched = post(format!("{base}/branch/b{at}"), json!({})).await;
            let tagged = post(
                format!("{base}/tag/b{at}"),
                json!({"tag": format!("t{at}")}),
            )
            .await;
            let body = header("x") + &deletion("deletedFile", &format!("f/{at}"));
            let removed = hub.send_commit(&id, body).await.status().as_u16();
            let path = format!("{base}/branch/b{at}");
            let request = hub.request(Method::DELETE, &path, Some(&hub.alice));
            let unbranched = request.send().await.unwrap().status().as_u16();
            [committed, branched, tagged, removed, unbranched]
        }
    });
    for statuses in futures::future::join_all(rounds).await {
        assert_eq!(statuses, [200; 5]);
    }
    for name in ["one", "two", "three"] {
        let refs = hub
            .get_json(&format!("/api/models/alice/{name}/refs"))
            .await;
        assert_eq!(refs["branches"].as_array().unwrap().len(), 1);
        assert_eq!(refs["tags"].as_array().unwrap().len(), 8);
        let commits = hub
            .get_json(&format!("/api/models/alice/{name}/commits/main"))
            .await;
        assert_eq!(commits.as_array().unwrap().len(), 17);
    }
}

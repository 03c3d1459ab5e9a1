//! Tests of pull requests: as revisions, their rights and numbers; and of squashing a branch.

use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::support::{TestRegistry, file, header, paths, refusal};

async fn send(hub: &TestRegistry, revision: &str, body: String) -> Response {
    let path = format!("/api/models/alice/tool/commit/{revision}");
    hub.request(Method::POST, &path, Some(&hub.alice))
        .body(body)
        .send()
        .await
        .unwrap()
}

async fn open(hub: &TestRegistry, body: String) -> Value {
    let response = send(hub, "main?create_pr=1", body).await;
    assert_eq!(response.status(), 200);
    response.json().await.unwrap()
}

#[tokio::test]
async fn a_pull_request_is_a_revision_of_its_own() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let main = hub.commit("alice/tool", "main", &[("a", b"a")]).await;
    let first = open(&hub, header("first") + &file("b", b"b")).await;
    let second = open(&hub, header("second") + &file("c", b"c")).await;
    let oid = first["commitOid"].as_str().unwrap();
    assert_eq!(
        first["pullRequestUrl"],
        format!("{}/alice/tool/discussions/1", hub.endpoint)
    );
    assert_eq!(
        first["commitUrl"],
        format!("{}/alice/tool/commit/{oid}", hub.endpoint)
    );
    assert_eq!(
        second["pullRequestUrl"],
        format!("{}/alice/tool/discussions/2", hub.endpoint)
    );

    // The branch did not move, and each pull request has its own files.
    assert_eq!(
        hub.get_json("/api/models/alice/tool").await["sha"],
        main.as_str()
    );
    for (revision, expect) in [
        ("main", &[".gitattributes", "a"][..]),
        ("refs%2Fpr%2F1", &[".gitattributes", "a", "b"]),
        ("refs/pr/2", &[".gitattributes", "a", "c"]),
    ] {
        let tree = hub
            .get_json(&format!("/api/models/alice/tool/tree/{revision}"))
            .await;
        assert_eq!(paths(&tree), expect, "{revision}");
    }
    assert_eq!(
        hub.get("/alice/tool/resolve/refs%2Fpr%2F1/b")
            .await
            .text()
            .await
            .unwrap(),
        "b"
    );
    let info = hub
        .get_json("/api/models/alice/tool/revision/refs%2Fpr%2F1")
        .await;
    assert_eq!(info["sha"], oid);
    let refs = hub
        .get_json("/api/models/alice/tool/refs?include_prs=1")
        .await;
    assert_eq!(
        refs["pullRequests"],
        json!([
            {"name": "refs/pr/1", "ref": "refs/pr/1", "targetCommit": oid},
            {"name": "refs/pr/2", "ref": "refs/pr/2", "targetCommit": second["commitOid"]},
        ])
    );
    assert_eq!(refs["branches"].as_array().unwrap().len(), 1);
    assert!(
        hub.get_json("/api/models/alice/tool/refs")
            .await
            .get("pullRequests")
            .is_none()
    );

    // A pull request takes further commits.
    let body = json!({"files": [{"path": "b", "size": 1, "sample": ""}]});
    let plan = hub
        .send_json(
            Method::POST,
            "/api/models/alice/tool/preupload/refs%2Fpr%2F1",
            &hub.alice,
            body,
        )
        .await;
    assert_eq!(
        plan.json::<Value>().await.unwrap()["files"][0]["oid"],
        "63d8dbd40c23542e740659a7168a0ce3138ea748"
    );
    let more = send(&hub, "refs%2Fpr%2F1", header("more") + &file("d", b"d")).await;
    assert_eq!(more.status(), 200);
    assert!(
        more.json::<Value>()
            .await
            .unwrap()
            .get("pullRequestUrl")
            .is_none()
    );
    let history = hub
        .get_json("/api/models/alice/tool/commits/refs%2Fpr%2F1")
        .await;
    let titles: Vec<&str> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|commit| commit["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["more", "first", "main", "initial commit"]);
}

#[tokio::test]
async fn the_parent_of_a_pull_request_is_its_base_and_no_condition() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let old = hub.commit("alice/tool", "one", &[("a", b"1")]).await;
    hub.commit("alice/tool", "two", &[("b", b"2")]).await;
    let head = json!({"key": "header", "value": {"summary": "x", "parentCommit": old}});
    open(&hub, format!("{head}\n{}", file("c", b"3"))).await;
    let tree = hub
        .get_json("/api/models/alice/tool/tree/refs%2Fpr%2F1")
        .await;
    assert_eq!(paths(&tree), [".gitattributes", "a", "c"]);
    let head = json!({"key": "header", "value": {"summary": "x", "parentCommit": "0123456789"}});
    let response = send(
        &hub,
        "main?create_pr=1",
        format!("{head}\n{}", file("c", b"3")),
    )
    .await;
    assert_eq!(refusal(response).await.1, "RevisionNotFound");
    // What was refused took no number.
    let next = open(&hub, header("y") + &file("e", b"5")).await;
    assert!(
        next["pullRequestUrl"]
            .as_str()
            .unwrap()
            .ends_with("/discussions/2"),
        "{next}"
    );
}

#[tokio::test]
async fn pull_requests_need_the_right_to_write_and_a_number() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let path = "/api/models/alice/tool/commit/main?create_pr=1";
    let body = header("x") + &file("b", b"b");
    let response = hub
        .request(Method::POST, path, Some(&hub.bob))
        .body(body.clone())
        .send()
        .await
        .unwrap();
    assert_eq!(refusal(response).await.0, 403);
    for (revision, expect) in [
        ("refs%2Fpr%2F1", 404),
        ("refs%2Fpr%2F01", 400),
        ("refs%2Fpr%2Fx", 400),
        ("refs%2Fconvert%2Fa", 400),
    ] {
        assert_eq!(
            refusal(send(&hub, revision, body.clone()).await).await.0,
            expect,
            "{revision}"
        );
    }
    // A branch cannot take the place of a pull request, nor delete one.
    open(&hub, body).await;
    for (method, path) in [
        (Method::POST, "branch/refs%2Fpr%2F7"),
        (Method::DELETE, "branch/refs%2Fpr%2F1"),
        (Method::DELETE, "tag/refs%2Fpr%2F1"),
    ] {
        let path = format!("/api/models/alice/tool/{path}");
        let response = hub
            .request(method, &path, Some(&hub.alice))
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 400, "{path}");
    }
    assert_eq!(
        hub.get("/api/models/alice/tool/revision/refs%2Fpr%2F1")
            .await
            .status(),
        200
    );
}

#[tokio::test]
async fn of_many_pull_requests_at_once_each_has_its_number() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let opening = (0..12).map(|at| open(&hub, header("x") + &file(&format!("f{at}"), b"x")));
    let mut numbers: Vec<u32> = futures::future::join_all(opening)
        .await
        .iter()
        .map(|answer| {
            answer["pullRequestUrl"]
                .as_str()
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=12).collect::<Vec<u32>>());
}

#[tokio::test]
async fn a_squashed_branch_has_its_files_and_one_commit() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let old = hub
        .commit("alice/tool", "one", &[("a", b"1"), ("d/b", b"2")])
        .await;
    hub.commit("alice/tool", "two", &[("a", b"3")]).await;
    let before = hub
        .get_json("/api/models/alice/tool/tree/main?recursive=true")
        .await;
    let body = json!({"message": "squashed"});
    let path = "/api/models/alice/tool/super-squash/main";
    let response = hub
        .send_json(Method::POST, path, &hub.alice, body.clone())
        .await;
    assert_eq!(response.status(), 200);
    assert_eq!(
        hub.get_json("/api/models/alice/tool/tree/main?recursive=true")
            .await,
        before
    );
    let response = hub.get("/api/models/alice/tool/commits/main").await;
    assert_eq!(response.headers()["x-total-count"], "1");
    let commits: Value = response.json().await.unwrap();
    assert_eq!(
        (commits[0]["title"].as_str(), &commits[0]["parents"]),
        (Some("squashed"), &json!([]))
    );
    let expanded = hub
        .get_json("/api/models/alice/tool/tree/main?recursive=true&expand=true")
        .await;
    for entry in expanded.as_array().unwrap() {
        assert_eq!(entry["lastCommit"]["id"], commits[0]["id"], "{entry}");
    }
    // The branch goes on from there, and what was there before can still be read by its id.
    hub.commit("alice/tool", "next", &[("e", b"5")]).await;
    assert_eq!(
        hub.get(&format!("/alice/tool/resolve/{old}/a"))
            .await
            .text()
            .await
            .unwrap(),
        "1"
    );
    for (branch, message, expect) in [("nothing", "x", 404), ("main", "two\nlines", 400)] {
        let path = format!("/api/models/alice/tool/super-squash/{branch}");
        let response = hub
            .send_json(Method::POST, &path, &hub.alice, json!({"message": message}))
            .await;
        assert_eq!(refusal(response).await.0, expect, "{branch}");
    }
}

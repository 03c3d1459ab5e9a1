//! Tests of discussions, of conflicts, and of pull requests that are opened before their commits.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestRegistry, deletion, file, header, paths, refusal};

const DISCUSSIONS: &str = "/api/models/alice/tool/discussions";

async fn open(hub: &TestRegistry, body: Value) -> i64 {
    let response = hub
        .send_json(Method::POST, DISCUSSIONS, &hub.alice, body)
        .await;
    assert_eq!(response.status(), 200);
    let answer: Value = response.json().await.unwrap();
    answer["num"].as_i64().unwrap()
}

async fn commit(hub: &TestRegistry, revision: &str, body: String) -> String {
    let path = format!("/api/models/alice/tool/commit/{revision}");
    let request = hub
        .request(Method::POST, &path, Some(&hub.alice))
        .body(body);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let answer: Value = response.json().await.unwrap();
    answer["commitOid"].as_str().unwrap().to_owned()
}

async fn details(hub: &TestRegistry, number: i64) -> Value {
    hub.get_json(&format!("{DISCUSSIONS}/{number}?diff=1"))
        .await
}

#[tokio::test]
async fn a_pull_request_is_opened_first_and_filled_later() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let main = hub.commit("alice/tool", "main", &[("a", b"a")]).await;
    let wish = json!({"title": " Add b ", "description": "because <b>", "pullRequest": true});
    assert_eq!(open(&hub, wish).await, 1);
    let empty = hub
        .get_json("/api/models/alice/tool/revision/refs%2Fpr%2F1")
        .await;
    assert_eq!(empty["sha"], main.as_str());
    let fresh = details(&hub, 1).await;
    assert_eq!(fresh["title"], "Add b");
    assert_eq!(fresh["status"], "draft");
    assert_eq!(fresh["author"]["name"], "alice");
    assert_eq!(fresh["isPullRequest"], true);
    assert_eq!(
        fresh["repo"],
        json!({"name": "alice/tool", "type": "model"})
    );
    assert_eq!(fresh["changes"]["base"], "refs/heads/main");
    assert_eq!(fresh["filesWithConflicts"], json!([]));
    let comment = &fresh["events"][0];
    assert_eq!(comment["type"], "comment");
    assert_eq!(comment["data"]["latest"]["raw"], "because <b>");
    assert_eq!(comment["data"]["latest"]["html"], "because &lt;b&gt;");
    assert_eq!(fresh["events"].as_array().unwrap().len(), 1);

    let first = commit(&hub, "refs%2Fpr%2F1", header("one") + &file("b", b"b")).await;
    let second = commit(&hub, "refs%2Fpr%2F1", header("two") + &file("c", b"c")).await;
    let filled = details(&hub, 1).await;
    let commits: Vec<(&str, &str)> = filled["events"].as_array().unwrap()[1..]
        .iter()
        .map(|event| {
            assert_eq!(event["type"], "commit");
            let data = &event["data"];
            (
                data["subject"].as_str().unwrap(),
                data["oid"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(commits, [("one", first.as_str()), ("two", second.as_str())]);
    let tree = hub
        .get_json("/api/models/alice/tool/tree/refs%2Fpr%2F1")
        .await;
    assert_eq!(paths(&tree), [".gitattributes", "a", "b", "c"]);
}

#[tokio::test]
async fn files_that_both_sides_changed_are_conflicts() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let files: [(&str, &[u8]); 4] = [
        ("alike", b"1"),
        ("both", b"1"),
        ("d/gone", b"1"),
        ("here", b"1"),
    ];
    hub.commit("alice/tool", "main", &files).await;
    let body = header("pr")
        + &file("alike", b"2")
        + &file("both", b"2")
        + &file("d/gone", b"2")
        + &file("here", b"2");
    commit(&hub, "main?create_pr=1", body).await;
    assert_eq!(details(&hub, 1).await["status"], "open");
    let body = header("main")
        + &file("alike", b"2")
        + &file("both", b"3")
        + &deletion("deletedFolder", "d/")
        + &file("there", b"3");
    commit(&hub, "main", body).await;
    let shown = details(&hub, 1).await;
    assert_eq!(shown["filesWithConflicts"], json!(["both", "d/gone"]));
    // What the branch did since is none of the pull request's commits.
    assert_eq!(shown["events"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn discussions_are_listed_newest_first_and_share_numbers_with_pull_requests() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "main", &[("a", b"a")]).await;
    for title in ["one", "two"] {
        open(&hub, json!({"title": title, "pullRequest": false})).await;
    }
    open(&hub, json!({"title": "three", "pullRequest": true})).await;
    commit(&hub, "main?create_pr=1", header("four") + &file("b", b"b")).await;
    for (query, expect) in [
        ("", &[4, 3, 2, 1][..]),
        ("?type=all&status=all", &[4, 3, 2, 1]),
        ("?type=pull_request", &[4, 3]),
        ("?type=discussion", &[2, 1]),
        ("?status=draft", &[3]),
        ("?status=closed", &[]),
        ("?author=Alice", &[4, 3, 2, 1]),
        ("?author=bob", &[]),
        ("?p=1", &[]),
    ] {
        let page = hub.get_json(&format!("{DISCUSSIONS}{query}")).await;
        let rows = page["discussions"].as_array().unwrap();
        let numbers: Vec<i64> = rows
            .iter()
            .map(|row| row["num"].as_i64().unwrap())
            .collect();
        assert_eq!(numbers, expect, "{query}");
        if query != "?p=1" {
            assert_eq!(
                (&page["count"], &page["start"]),
                (&json!(expect.len()), &json!(0))
            );
        } else {
            assert_eq!((&page["count"], &page["start"]), (&json!(4), &json!(50)));
        }
    }
    let talk = details(&hub, 1).await;
    assert_eq!(talk["isPullRequest"], false);
    assert_eq!(talk.get("changes"), None);
    for missing in ["5", "0", "-1", "x", "99999999999999999999"] {
        let response = hub.get(&format!("{DISCUSSIONS}/{missing}")).await;
        assert_eq!(refusal(response).await.0, 404, "{missing}");
    }
    let refs = hub
        .get_json("/api/models/alice/tool/refs?include_prs=1")
        .await;
    assert_eq!(refs["pullRequests"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_discussion_needs_a_title() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    for body in [
        json!({}),
        json!({"title": "  "}),
        json!({"title": "x".repeat(201)}),
        json!({"title": "two\nlines"}),
        json!({"title": "long", "description": "x".repeat(70_000)}),
    ] {
        let response = hub
            .send_json(Method::POST, DISCUSSIONS, &hub.alice, body)
            .await;
        assert_eq!(refusal(response).await.0, 400);
    }
}

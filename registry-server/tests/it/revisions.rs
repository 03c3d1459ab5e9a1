//! Tests of the ways to write a revision in a URL: slashes, escapes, full names, `HEAD`.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestRegistry, file, header, paths, refusal};

const TOOL: &str = "/api/models/alice/tool";

/// A registry whose branch `feature/one` has the file `d/b` more than `main`, as has its only pull
/// request.
async fn registry() -> TestRegistry {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "one", &[("a", b"a")]).await;
    let path = format!("{TOOL}/branch/feature%2Fone");
    let response = hub
        .send_json(Method::POST, &path, &hub.alice, json!({}))
        .await;
    assert_eq!(response.status(), 200);
    for revision in ["feature%2Fone", "main?create_pr=1"] {
        let body = header("two") + &file("d/b", b"b");
        assert_eq!(commit(&hub, revision, body).await, 200);
    }
    hub
}

async fn commit(hub: &TestRegistry, revision: &str, body: String) -> u16 {
    let path = format!("{TOOL}/commit/{revision}");
    let request = hub.request(Method::POST, &path, Some(&hub.alice));
    request.body(body).send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn slashes_in_a_revision_need_no_escape() {
    let hub = registry().await;
    for revision in [
        "feature%2Fone",
        "feature/one",
        "refs/heads/feature/one",
        "refs%2Fheads%2Ffeature%2Fone",
        "refs/pr/1",
        "refs%2Fpr%2F1",
    ] {
        let tree = hub.get_json(&format!("{TOOL}/tree/{revision}")).await;
        assert_eq!(paths(&tree), [".gitattributes", "a", "d"], "{revision}");
        let tree = hub.get_json(&format!("{TOOL}/tree/{revision}/d")).await;
        assert_eq!(paths(&tree), ["d/b"], "{revision}");
        let commits = hub.get_json(&format!("{TOOL}/commits/{revision}")).await;
        assert_eq!(commits[0]["title"], "two", "{revision}");
        let info = hub.get_json(&format!("{TOOL}/revision/{revision}")).await;
        assert_eq!(info["sha"], commits[0]["id"], "{revision}");
        let body = json!({"paths": ["d/b"]});
        let path = format!("{TOOL}/paths-info/{revision}");
        let response = hub.send_json(Method::POST, &path, &hub.alice, body).await;
        let entries: Value = response.json().await.unwrap();
        assert_eq!(paths(&entries), ["d/b"], "{revision}");
        for verb in ["resolve", "raw"] {
            let path = format!("/alice/tool/{verb}/{revision}/d/b");
            assert_eq!(hub.get(&path).await.text().await.unwrap(), "b", "{path}");
        }
        let path = format!("/alice/tool/resolve/{revision}/d/missing");
        assert_eq!(
            refusal(hub.get(&path).await).await.1,
            "EntryNotFound",
            "{path}"
        );
    }
}

#[tokio::test]
async fn what_follows_a_revision_is_not_passed_over() {
    let hub = registry().await;
    for path in [
        "commits/main/a",
        "revision/main/a",
        "commits/feature/two",
        "tree/feature/two",
    ] {
        let response = hub.get(&format!("{TOOL}/{path}")).await;
        let (status, code, _) = refusal(response).await;
        assert_eq!((status, code.as_str()), (404, "RevisionNotFound"), "{path}");
    }
    let body = json!({"paths": ["a"]});
    let path = format!("{TOOL}/paths-info/main/a");
    let response = hub.send_json(Method::POST, &path, &hub.alice, body).await;
    assert_eq!(refusal(response).await.1, "RevisionNotFound");
}

#[tokio::test]
async fn head_is_the_default_branch() {
    let hub = registry().await;
    let body = header("on head") + &file("c", b"c");
    assert_eq!(commit(&hub, "HEAD", body).await, 200);
    let info = hub.get_json(TOOL).await;
    for path in ["revision/HEAD", "revision/main", "revision/head"] {
        assert_eq!(
            hub.get_json(&format!("{TOOL}/{path}")).await["sha"],
            info["sha"]
        );
    }
    assert_eq!(
        hub.get("/alice/tool/resolve/HEAD/c")
            .await
            .text()
            .await
            .unwrap(),
        "c"
    );
    for revision in ["nothing", "refs%2Fpr%2F9", "0123456"] {
        assert_eq!(commit(&hub, revision, header("x")).await, 404, "{revision}");
    }
    for revision in ["refs%2Ftags%2Fv1", "refs%2Fpr%2F01", "a%20b"] {
        assert_eq!(commit(&hub, revision, header("x")).await, 400, "{revision}");
    }
}

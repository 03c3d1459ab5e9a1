//! Tests of listing trees, paths and commits, in pages, and of making tags and branches.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestRegistry, paths, refusal};

async fn registry() -> TestRegistry {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit(
        "alice/tool",
        "one",
        &[("a/x", b"x"), ("a/b/y", b"y"), ("z, comma", b"z")],
    )
    .await;
    hub.commit("alice/tool", "two", &[("a/b/y", b"changed")])
        .await;
    hub
}

/// Follows the `Link` headers and gives back the pages.
async fn pages(hub: &TestRegistry, path: &str) -> Vec<Value> {
    let mut next = Some(path.to_owned());
    let mut pages = Vec::new();
    while let Some(path) = next.take() {
        let response = hub.get(&path).await;
        assert_eq!(response.status(), 200, "{path}");
        if let Some(link) = response.headers().get("link") {
            let link = link.to_str().unwrap();
            let url = link
                .strip_prefix('<')
                .and_then(|rest| rest.strip_suffix(">; rel=\"next\""))
                .unwrap();
            assert!(!url.contains(','), "{url}");
            next = Some(
                url.strip_prefix(&hub.endpoint)
                    .expect("an absolute address")
                    .to_owned(),
            );
        }
        pages.push(response.json().await.unwrap());
    }
    pages
}

#[tokio::test]
async fn trees() {
    let hub = registry().await;
    let tree = hub.get_json("/api/models/alice/tool/tree/main").await;
    assert_eq!(paths(&tree), [".gitattributes", "a", "z, comma"]);
    assert_eq!(tree[1]["type"], "directory");
    let tree = hub
        .get_json("/api/models/alice/tool/tree/main?recursive=True")
        .await;
    assert_eq!(
        paths(&tree),
        [".gitattributes", "a", "a/b", "a/b/y", "a/x", "z, comma"]
    );
    assert_eq!(tree[3]["size"], 7);
    assert!(tree[3].get("lastCommit").is_none());
    for path in ["a/b", "a%2Fb", "a/b/"] {
        assert_eq!(
            paths(
                &hub.get_json(&format!("/api/models/alice/tool/tree/main/{path}"))
                    .await
            ),
            ["a/b/y"]
        );
    }
    for path in ["missing", "a/x", "a/b/y/z"] {
        let response = hub
            .get(&format!("/api/models/alice/tool/tree/main/{path}"))
            .await;
        let (status, code, _) = refusal(response).await;
        assert_eq!((status, code.as_str()), (404, "EntryNotFound"), "{path}");
    }
}

#[tokio::test]
async fn pages_of_a_tree_join_to_the_whole() {
    let hub = registry().await;
    let pages = pages(
        &hub,
        "/api/models/alice/tool/tree/main?recursive=true&limit=2&expand=true",
    )
    .await;
    assert_eq!(pages.len(), 3);
    let all: Vec<&str> = pages.iter().flat_map(paths).collect();
    assert_eq!(
        all,
        [".gitattributes", "a", "a/b", "a/b/y", "a/x", "z, comma"]
    );
}

#[tokio::test]
async fn expanded_entries_name_the_commit_that_changed_them() {
    let hub = registry().await;
    let tree = hub
        .get_json("/api/models/alice/tool/tree/main?recursive=true&expand=true")
        .await;
    let titles: Vec<&str> = tree
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["lastCommit"]["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        ["initial commit", "two", "two", "two", "one", "one"]
    );
    assert!(
        tree[0]["lastCommit"]["date"]
            .as_str()
            .unwrap()
            .ends_with(".000Z")
    );
    assert_eq!(
        tree[0]["securityFileStatus"],
        json!({"status": "unscanned", "avScan": null, "pickleImportScan": null})
    );
    // A commit on another branch is not part of this history.
    let body = json!({"startingPoint": "main"});
    hub.send_json(
        Method::POST,
        "/api/models/alice/tool/branch/side",
        &hub.alice,
        body,
    )
    .await;
    let body = crate::support::header("side") + &crate::support::file("a/x", b"side");
    hub.request(
        Method::POST,
        "/api/models/alice/tool/commit/side",
        Some(&hub.alice),
    )
    .body(body)
    .send()
    .await
    .unwrap();
    let on = async |branch: &str| {
        hub.get_json(&format!(
            "/api/models/alice/tool/tree/{branch}/a?expand=true"
        ))
        .await
    };
    assert_eq!(on("main").await[1]["lastCommit"]["title"], "one");
    assert_eq!(on("side").await[1]["lastCommit"]["title"], "side");
}

#[tokio::test]
async fn paths_info_takes_both_encodings() {
    let hub = registry().await;
    let path = "/api/models/alice/tool/paths-info/main";
    let body = json!({"paths": ["a/x", "a", "missing", "a/x/y", "a/b/"], "expand": true});
    let as_json: Value = hub
        .send_json(Method::POST, path, &hub.alice, body)
        .await
        .json()
        .await
        .unwrap();
    let form = [
        ("paths", "a/x"),
        ("paths", "a"),
        ("paths", "missing"),
        ("paths", "a/x/y"),
        ("paths", "a/b/"),
        ("expand", "True"),
    ];
    let form = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(form)
        .finish();
    let request = hub
        .request(Method::POST, path, Some(&hub.alice))
        .header("content-type", "application/x-www-form-urlencoded");
    let as_form: Value = request
        .body(form)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(as_json, as_form);
    assert_eq!(paths(&as_json), ["a/x", "a", "a/b"]);
    assert_eq!(as_json[0]["lastCommit"]["title"], "one");
    assert_eq!(
        as_json[0]["oid"],
        "c1b0730e0133447badcfd47fd144e254807b06e1"
    );
}

#[tokio::test]
async fn commits_are_paged_and_counted() {
    let hub = registry().await;
    let response = hub.get("/api/models/alice/tool/commits/main").await;
    assert_eq!(response.headers()["x-total-count"], "3");
    let commits: Value = response.json().await.unwrap();
    assert_eq!(commits.as_array().unwrap().len(), 3);
    assert_eq!(commits[0]["parents"], json!([commits[1]["id"]]));
    assert_eq!(commits[2]["parents"], json!([]));
    let pages = pages(
        &hub,
        "/api/models/alice/tool/commits/main?limit=2&expand[]=formatted",
    )
    .await;
    assert_eq!(pages.len(), 2);
    let titles: Vec<&str> = pages
        .iter()
        .flat_map(|page| page.as_array().unwrap())
        .map(|commit| commit["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["two", "one", "initial commit"]);
    assert_eq!(
        pages[0][0]["formatted"],
        json!({"title": "two", "message": ""})
    );
    let first = commits[2]["id"].as_str().unwrap();
    let response = hub
        .get(&format!("/api/models/alice/tool/commits/{first}"))
        .await;
    assert_eq!(response.headers()["x-total-count"], "1");
}

#[tokio::test]
async fn tags_and_branches() {
    let hub = registry().await;
    let base = "/api/models/alice/tool";
    let post = async |path: &str, body: Value| {
        hub.send_json(Method::POST, &format!("{base}/{path}"), &hub.alice, body)
            .await
    };
    let delete = async |path: &str| {
        hub.request(Method::DELETE, &format!("{base}/{path}"), Some(&hub.alice))
            .send()
            .await
            .unwrap()
    };
    let head = hub.get_json(base).await["sha"].as_str().unwrap().to_owned();

    assert_eq!(
        post("tag/main", json!({"tag": "v1", "message": "m"}))
            .await
            .status(),
        200
    );
    assert_eq!(
        refusal(post("tag/main", json!({"tag": "v1"})).await)
            .await
            .0,
        409
    );
    assert_eq!(
        refusal(post("tag/nothing", json!({"tag": "v2"})).await)
            .await
            .1,
        "RevisionNotFound"
    );
    assert_eq!(
        refusal(post("tag/main", json!({"tag": "a b"})).await)
            .await
            .0,
        400
    );
    assert_eq!(
        post("branch/feature%2Fone", json!({"startingPoint": "v1"}))
            .await
            .status(),
        200
    );
    let (status, _, text) = refusal(post("branch/feature%2Fone", json!({})).await).await;
    assert_eq!(
        (status, text.as_str()),
        (409, "Reference refs/heads/feature/one already exists")
    );
    assert_eq!(
        post("branch/feature%2Fone", json!({"overwrite": true}))
            .await
            .status(),
        200
    );
    assert_eq!(
        refusal(post("branch/main", json!({"overwrite": true})).await)
            .await
            .0,
        409
    );
    assert_eq!(
        post("branch/bare", json!({"emptyBranch": true}))
            .await
            .status(),
        200
    );
    assert_eq!(hub.get_json(&format!("{base}/tree/bare")).await, json!([]));
    assert_eq!(
        hub.get_json(&format!("{base}/refs?include_prs=1")).await["tags"],
        json!([{"name": "v1", "ref": "refs/tags/v1", "targetCommit": head}])
    );
    let refs = hub.get_json(&format!("{base}/refs")).await;
    let names: Vec<&str> = refs["branches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|branch| branch["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["bare", "feature/one", "main"]);

    assert_eq!(refusal(delete("branch/main").await).await.0, 403);
    assert_eq!(delete("branch/feature%2Fone").await.status(), 200);
    assert_eq!(
        refusal(delete("branch/feature%2Fone").await).await.1,
        "RevisionNotFound"
    );
    assert_eq!(delete("tag/v1").await.status(), 200);
    assert_eq!(refusal(delete("tag/v1").await).await.1, "RevisionNotFound");
}

#[tokio::test]
async fn short_pages_of_a_deep_tree_join_to_the_whole() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    // Names that sort before and after the slash of a directory.
    let names = [
        "a", "a-b", "a.txt", "a0", "b/a/c", "b/a-x", "b/a.y/z", "b/b", "b-/x", "c/d/e/f", "c/d/e-",
        "c0/x",
    ];
    let files: Vec<String> = names
        .iter()
        .flat_map(|name| [format!("x/{name}/y"), format!("x/{name}!")])
        .collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|it| (it.as_str(), &b"f"[..])).collect();
    hub.commit("alice/tool", "deep", &files).await;
    for (below, count) in [("", 46), ("/x", 44)] {
        let path = format!("/api/models/alice/tool/tree/main{below}?recursive=true");
        let whole = hub.get_json(&path).await;
        let whole = paths(&whole);
        assert!(whole.is_sorted());
        assert_eq!(whole.len(), count);
        for limit in [1, 2, 3, 7, count - 1, count] {
            let pages = pages(&hub, &format!("{path}&limit={limit}")).await;
            let joined: Vec<&str> = pages.iter().flat_map(paths).collect();
            assert_eq!(joined, whole, "{limit}");
        }
    }
}

#[tokio::test]
async fn the_levels_of_asked_paths_are_bounded() {
    let hub = TestRegistry::start_with(|limits| limits.path_levels_max = 100).await;
    hub.create("alice/tool").await;
    let ask = async |count: usize| {
        let body = json!({"paths": vec!["a/b/c/d/e"; count]});
        let path = "/api/models/alice/tool/paths-info/main";
        hub.send_json(Method::POST, path, &hub.alice, body).await
    };
    assert_eq!(ask(20).await.status(), 200);
    let (status, _, text) = refusal(ask(21).await).await;
    assert_eq!(status, 400);
    assert!(
        text.contains("105 components") && text.contains("path_levels_max = 100"),
        "{text}"
    );
}

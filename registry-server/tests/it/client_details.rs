//! Tests of details of the protocol that the public clients' own test suites rely on.
//!
//! `tests/conformance` runs the suites themselves.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestRegistry, ask, file, header, header_value, next_page, refusal};

#[tokio::test]
async fn an_id_without_an_owner_names_no_repository() {
    let hub = TestRegistry::start().await;
    for path in [
        "/api/models/tool/revision/main",
        "/api/datasets/tool/tree/main/a",
        "/tool/resolve/main/a.txt",
        "/spaces/tool/raw/main/a.txt",
    ] {
        let (status, code, _) = refusal(hub.get(path).await).await;
        assert_eq!((status, code.as_str()), (404, "RepoNotFound"), "{path}");
        let (status, code, _) = refusal(ask(&hub, Method::GET, path, &[]).await).await;
        assert_eq!((status, code.as_str()), (401, "RepoNotFound"), "{path}");
    }
    let (status, code, _) = refusal(hub.get("/nothing/at/this/address").await).await;
    assert_eq!((status, code.as_str()), (404, ""));
    let bad = ask(
        &hub,
        Method::GET,
        "/nothing/at/this/address",
        &[("authorization", "Bearer hf_wrong")],
    );
    assert_eq!(bad.await.status(), 401);
}

#[tokio::test]
async fn the_request_id_of_a_client_is_taken_over() {
    let hub = TestRegistry::start().await;
    let answered = async |headers: &[(&str, &str)]| {
        let response = ask(&hub, Method::GET, "/health", headers).await;
        header_value(&response, "x-request-id").to_owned()
    };
    assert_eq!(
        answered(&[("x-request-id", "custom-id")]).await,
        "custom-id"
    );
    let trace = "Root=1-67891233-abcdef012345678912345678";
    assert_eq!(answered(&[("x-amzn-trace-id", trace)]).await, trace);
    let both = [("x-amzn-trace-id", trace), ("x-request-id", "mine")];
    assert_eq!(answered(&both).await, "mine");
    let long = "a".repeat(129);
    for hostile in ["", "a b", "a\"b", "a\tstatus=200", "<script>", &long] {
        let id = answered(&[("x-request-id", hostile)]).await;
        assert_eq!(id.len(), 32, "{hostile:?} gave {id}");
        assert!(id.bytes().all(|b| b.is_ascii_hexdigit()), "{id}");
    }
}

#[tokio::test]
async fn a_tag_on_a_revision_that_is_missing_hears_so_whatever_its_name() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let tag = async |revision: &str| {
        let path = format!("/api/models/alice/tool/tag/{revision}");
        let body = json!({"tag": "invalid tag"});
        refusal(hub.send_json(Method::POST, &path, &hub.alice, body).await).await
    };
    let (status, code, _) = tag("foobar").await;
    assert_eq!((status, code.as_str()), (404, "RevisionNotFound"));
    assert_eq!(tag("main").await.0, 400);
}

#[tokio::test]
async fn a_pull_request_is_opened_against_a_branch() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let head = hub.commit("alice/tool", "a", &[("a", b"a")]).await;
    let open = async |revision: &str| {
        let path = format!("/api/models/alice/tool/commit/{revision}?create_pr=1");
        let body = header("b") + &file("b", b"b");
        let request = hub.request(Method::POST, &path, Some(&hub.alice));
        request.body(body).send().await.unwrap()
    };
    for revision in [&head, &head[..7], "missing", "refs%2Ftags%2Fv1"] {
        let (status, code, _) = refusal(open(revision).await).await;
        assert_eq!(
            (status, code.as_str()),
            (404, "RevisionNotFound"),
            "{revision}"
        );
    }
    assert_eq!(open("main").await.status(), 200);
    assert_eq!(open("refs%2Fpr%2F1").await.status(), 200);
}

#[tokio::test]
async fn the_history_of_a_pull_request_can_be_squashed() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "a", &[("a", b"a")]).await;
    let path = "/api/models/alice/tool/commit/main?create_pr=1";
    let opened = hub.request(Method::POST, path, Some(&hub.alice));
    let opened = opened.body(header("b") + &file("b", b"b")).send().await;
    assert_eq!(opened.unwrap().status(), 200);
    let squash = async |revision: &str| {
        let path = format!("/api/models/alice/tool/super-squash/{revision}");
        let body = json!({"message": "squashed"});
        hub.send_json(Method::POST, &path, &hub.alice, body).await
    };
    assert_eq!(squash("refs%2Fpr%2F1").await.status(), 200);
    let commits = hub.get_json("/api/models/alice/tool/commits/refs%2Fpr%2F1");
    let titles = commits.await;
    assert_eq!(
        (titles.as_array().unwrap().len(), &titles[0]["title"]),
        (1, &json!("squashed"))
    );
    let file = hub.get("/alice/tool/resolve/refs%2Fpr%2F1/b").await;
    assert_eq!(file.text().await.unwrap(), "b");
    let main = hub.get_json("/api/models/alice/tool/commits/main").await;
    assert_eq!(main[0]["title"], "a");
    assert_eq!(squash("refs%2Fpr%2F2").await.status(), 404);
    assert_eq!(squash("refs%2Ftags%2Fv1").await.status(), 400);
}

#[tokio::test]
async fn a_new_space_has_a_card() {
    let hub = TestRegistry::start().await;
    hub.create_with("alice/007", json!({"type": "space", "sdk": "static"}))
        .await;
    let card = hub.get("/spaces/alice/007/resolve/main/README.md").await;
    let card = card.text().await.unwrap();
    assert_eq!(card, "---\ntitle: \"007\"\nsdk: static\n---\n");
    let info = hub.get_json("/api/spaces/alice/007").await;
    assert_eq!(info["cardData"], json!({"title": "007", "sdk": "static"}));
    let own = json!({"type": "space", "sdk": "static", "files": [
        {"path": "README.md", "content": "bWluZQ==", "encoding": "base64"}]});
    hub.create_with("alice/own", own).await;
    let card = hub.get("/spaces/alice/own/resolve/main/README.md").await;
    assert_eq!(card.text().await.unwrap(), "mine");
    let body = json!({"name": "alice/bad", "type": "space", "sdk": "a\nprivate: false"});
    let refused = hub.send_json(Method::POST, "/api/repos/create", &hub.alice, body);
    assert_eq!(refusal(refused.await).await.0, 400);
}

#[tokio::test]
async fn a_card_without_metadata_is_warned_of_and_a_wrong_value_refused() {
    let hub = TestRegistry::start().await;
    let validate = async |content: &str| {
        let body = json!({"content": content, "repoType": "model"});
        let path = "/api/validate-yaml";
        let response = hub.send_json(Method::POST, path, &hub.alice, body).await;
        let status = response.status().as_u16();
        (status, response.json::<Value>().await.unwrap())
    };
    let (status, answer) = validate("A card without metadata").await;
    assert_eq!(status, 200);
    assert_eq!(
        answer["warnings"],
        json!([{"message": "the card has no metadata"}])
    );
    let (status, answer) = validate("\n---\nmodel-index: foo\n---\n").await;
    assert_eq!(status, 400);
    assert_eq!(
        answer["errors"],
        json!([{"message": "\"model-index\" must be a list of models with name and results"}])
    );
}

/// The paths among `paths` that preupload says to ignore.
async fn ignored(hub: &TestRegistry, paths: &[&str], git_ignore: Option<&str>) -> Vec<String> {
    let files: Vec<Value> = paths
        .iter()
        .map(|path| json!({"path": path, "size": 1, "sample": "YQ=="}))
        .collect();
    let mut body = json!({"files": files});
    if let Some(patterns) = git_ignore {
        body["gitIgnore"] = json!(patterns);
    }
    let path = "/api/models/alice/tool/preupload/main";
    let response = hub.send_json(Method::POST, path, &hub.alice, body).await;
    let answer: Value = response.json().await.unwrap();
    let files = answer["files"].as_array().unwrap().iter();
    files
        .filter(|file| file["shouldIgnore"] == true)
        .map(|file| file["path"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn preupload_leaves_out_what_a_gitignore_names() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let paths = ["a.txt", "nested/file.bin", "nested/kept.bin", "/nested/x"];
    assert!(ignored(&hub, &paths, None).await.is_empty());
    let patterns: (&str, &[u8]) = (".gitignore", b"nested/*\n");
    let kept: (&str, &[u8]) = ("nested/kept.bin", b"x");
    hub.commit("alice/tool", "ignore", &[patterns, kept]).await;
    assert_eq!(ignored(&hub, &paths, None).await, ["nested/file.bin"]);
    // The file of the commit itself goes before that of the revision.
    assert_eq!(ignored(&hub, &paths, Some("*.txt\n")).await, ["a.txt"]);
    assert!(ignored(&hub, &paths, Some("")).await.is_empty());
}

#[tokio::test]
async fn a_gitignore_that_is_too_long_is_refused() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let long = "a\n".repeat(8 << 10) + "b";
    let path = "/api/models/alice/tool/preupload/main";
    let ask = async |body: Value| {
        refusal(hub.send_json(Method::POST, path, &hub.alice, body).await).await
    };
    let expect = "the repository's .gitignore has more than 16384 bytes";
    let (status, _, text) = ask(json!({"files": [], "gitIgnore": long})).await;
    assert_eq!((status, text.as_str()), (422, expect));
    hub.commit("alice/tool", "ignore", &[(".gitignore", long.as_bytes())])
        .await;
    let (status, _, text) = ask(json!({"files": []})).await;
    assert_eq!((status, text.as_str()), (422, expect));
}

#[tokio::test]
async fn an_owners_repositories_are_listed_with_what_they_take() {
    let hub = TestRegistry::start().await;
    hub.create_with("acme/open", json!({"type": "dataset"}))
        .await;
    hub.create_with("acme/closed", json!({"private": true}))
        .await;
    hub.create("alice/own").await;
    hub.commit("acme/closed", "a", &[("a", &[0; 1_000])]).await;
    let list = async |path: &str, token: &str| {
        let mut rows = Vec::new();
        let mut next = Some(format!("{path}?limit=1"));
        while let Some(path) = next {
            let response = hub.request(Method::GET, &path, Some(token));
            let response = response.send().await.unwrap();
            assert_eq!(response.status(), 200, "{path}");
            next = next_page(&hub, &response);
            rows.extend(response.json::<Vec<Value>>().await.unwrap());
        }
        rows.sort_by_key(|row| row["id"].to_string());
        rows
    };
    let own = list("/api/settings/repositories", &hub.alice).await;
    assert_eq!(own.len(), 1);
    assert_eq!(
        (&own[0]["id"], &own[0]["type"]),
        (&json!("alice/own"), &json!("model"))
    );
    let path = "/api/organizations/ACME/settings/repositories";
    let all = list(path, &hub.carol).await;
    let ids = |rows: &[Value]| -> Vec<Value> { rows.iter().map(|row| row["id"].clone()).collect() };
    assert_eq!(ids(&all), ["acme/closed", "acme/open"]);
    assert_eq!(all[0]["visibility"], "private");
    let (closed, open) = (
        all[0]["storage"].as_i64().unwrap(),
        all[1]["storage"].as_i64().unwrap(),
    );
    // Besides the file, each repository has its initial one, like alice's model.
    assert_eq!(closed, own[0]["storage"].as_i64().unwrap() + 1_000);
    let share = all[0]["storagePercent"].as_f64().unwrap();
    let expect = closed as f64 * 100.0 / (closed + open) as f64;
    assert!((share - expect).abs() < 0.01, "{share} is not {expect}");
    // Whoever may not see the private one is not told of it by the other's share either.
    let seen = list(path, &hub.bob).await;
    assert_eq!(ids(&seen), ["acme/open"]);
    assert_eq!(seen[0]["storagePercent"], 100.0);
    assert_eq!(
        list("/api/settings/repositories", &hub.bob).await,
        Vec::<Value>::new()
    );
    for (path, token, status) in [
        (path, None, 401),
        ("/api/settings/repositories", None, 401),
        (
            "/api/organizations/alice/settings/repositories",
            Some(hub.alice.as_str()),
            404,
        ),
    ] {
        let response = hub.request(Method::GET, path, token).send().await.unwrap();
        assert_eq!(response.status(), status, "{path}");
    }
}

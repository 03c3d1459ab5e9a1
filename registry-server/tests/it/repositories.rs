//! Tests of creating, showing, changing, moving and deleting repositories, and of their cards.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestRegistry, paths, refusal};

#[tokio::test]
async fn a_new_repository_has_a_first_commit() {
    let hub = TestRegistry::start().await;
    let body =
        json!({"name": "tool", "organization": null, "type": "model", "visibility": "public"});
    let response = hub
        .send_json(Method::POST, "/api/repos/create", &hub.alice, body)
        .await;
    assert_eq!(response.status(), 200);
    let answer: Value = response.json().await.unwrap();
    assert_eq!(answer["url"], format!("{}/alice/tool", hub.endpoint));
    assert_eq!(answer["name"], "alice/tool");
    assert_eq!(answer["id"].as_str().unwrap().len(), 24);
    assert_eq!(
        paths(&hub.get_json("/api/models/alice/tool/tree/main").await),
        [".gitattributes"]
    );
    let commits = hub.get_json("/api/models/alice/tool/commits/main").await;
    assert_eq!(commits[0]["title"], "initial commit");
    assert_eq!(commits[0]["authors"][0]["user"], "alice");
}

#[tokio::test]
async fn an_id_that_is_taken_answers_with_the_address() {
    let hub = TestRegistry::start().await;
    hub.create("alice/Tool").await;
    let response = hub
        .send_json(
            Method::POST,
            "/api/repos/create",
            &hub.alice,
            json!({"name": "alice/tOOL"}),
        )
        .await;
    assert_eq!(response.status(), 409);
    let answer: Value = response.json().await.unwrap();
    assert_eq!(answer["url"], format!("{}/alice/tOOL", hub.endpoint));
}

#[tokio::test]
async fn names_outside_the_grammar_are_refused() {
    let hub = TestRegistry::start().await;
    for name in [
        "alice/a--b",
        "alice/..",
        "alice/.a",
        "alice/a.git",
        "alice/",
        "/a",
        "alice/a b",
        "alice/\u{430}",
        "alice/a/b",
    ] {
        let response = hub
            .send_json(
                Method::POST,
                "/api/repos/create",
                &hub.alice,
                json!({"name": name}),
            )
            .await;
        assert_eq!(refusal(response).await.0, 400, "{name}");
    }
}

#[tokio::test]
async fn kinds_are_separate_and_unknown_kinds_refused() {
    let hub = TestRegistry::start().await;
    for kind in ["model", "dataset", "space", "kernel"] {
        hub.create_with("alice/same", json!({"type": kind})).await;
        let info = hub.get_json(&format!("/api/{kind}s/alice/same")).await;
        assert_eq!(info["id"], "alice/same");
    }
    let response = hub
        .send_json(
            Method::POST,
            "/api/repos/create",
            &hub.alice,
            json!({"name": "x", "type": "frog"}),
        )
        .await;
    assert_eq!(refusal(response).await.0, 400);
}

#[tokio::test]
async fn info_has_the_fields_clients_need() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let oid = hub
        .commit(
            "alice/tool",
            "files",
            &[
                ("a/b.txt", b"12345"),
                ("README.md", b"---\nlicense: mit\n---\n"),
            ],
        )
        .await;
    let info = hub
        .get_json("/API/models/alice/tool".replace("API", "api").as_str())
        .await;
    assert!(info["_id"].is_string());
    assert_eq!(info["sha"], oid.as_str());
    assert_eq!(info["modelId"], "alice/tool");
    assert_eq!(info["private"], false);
    assert_eq!(info["downloads"], 0);
    assert_eq!(info["cardData"], json!({"license": "mit"}));
    assert_eq!(info["tags"], json!(["license:mit"]));
    assert!(info["lastModified"].as_str().unwrap().ends_with('Z'));
    assert_eq!(
        info["siblings"],
        json!([{"rfilename": ".gitattributes"}, {"rfilename": "README.md"}, {"rfilename": "a/b.txt"}])
    );
    let info = hub
        .get_json("/api/models/ALICE/Tool/revision/HEAD?blobs=True")
        .await;
    assert_eq!(
        info["siblings"][2],
        json!({"rfilename": "a/b.txt", "size": 5, "blobId": "bd41cba781d8349272bf3eb92568285b411c027c"})
    );
    let info = hub
        .get_json("/api/models/alice/tool?expand=sha&expand[]=likes")
        .await;
    let keys: Vec<&String> = info.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["_id", "id", "sha", "likes"]);
    let (status, _, text) = refusal(hub.get("/api/models/alice/tool?expand=frogs").await).await;
    assert_eq!(status, 400);
    assert!(text.starts_with("\"expand\" must be one of ["), "{text}");
    let (status, code, _) = refusal(hub.get("/api/models/alice/tool/revision/nothing").await).await;
    assert_eq!((status, code.as_str()), (404, "RevisionNotFound"));
}

#[tokio::test]
async fn a_moved_repository_answers_to_both_ids() {
    let hub = TestRegistry::start().await;
    hub.create("alice/old").await;
    hub.create("alice/other").await;
    hub.commit("alice/old", "file", &[("a.txt", b"a")]).await;
    let to = |to: &str| json!({"fromRepo": "alice/old", "toRepo": to, "type": "model"});
    let response = hub
        .send_json(
            Method::POST,
            "/api/repos/move",
            &hub.alice,
            to("alice/other"),
        )
        .await;
    assert_eq!(
        refusal(response).await,
        (
            409,
            String::new(),
            "A model repository called alice/other already exists".to_owned()
        )
    );
    let response = hub
        .send_json(Method::POST, "/api/repos/move", &hub.alice, to("bob/new"))
        .await;
    assert_eq!(refusal(response).await.0, 403);
    let response = hub
        .send_json(Method::POST, "/api/repos/move", &hub.alice, to("acme/new"))
        .await;
    assert_eq!(response.status(), 200);

    assert_eq!(
        hub.get_json("/api/models/alice/old").await["id"],
        "acme/new"
    );
    let response = hub.get("/alice/old/resolve/main/a.txt?download=true").await;
    assert_eq!(response.status(), 307);
    assert_eq!(
        response.headers()["location"],
        "/acme/new/resolve/main/a.txt?download=true"
    );
    assert_eq!(
        hub.get("/acme/new/resolve/main/a.txt")
            .await
            .text()
            .await
            .unwrap(),
        "a"
    );

    // A new repository takes the old id over.
    hub.create("alice/old").await;
    assert_eq!(
        hub.get_json("/api/models/alice/old").await["id"],
        "alice/old"
    );
    assert_eq!(hub.get("/alice/old/resolve/main/a.txt").await.status(), 404);
}

#[tokio::test]
async fn a_deleted_repository_is_gone() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit(
        "alice/tool",
        "file",
        &[("README.md", b"---\ntags: [x]\n---\n")],
    )
    .await;
    let body = json!({"name": "tool", "organization": "alice", "type": "model"});
    let response = hub
        .send_json(
            Method::DELETE,
            "/api/repos/delete",
            &hub.alice,
            body.clone(),
        )
        .await;
    assert_eq!(response.status(), 200);
    let response = hub
        .send_json(Method::DELETE, "/api/repos/delete", &hub.alice, body)
        .await;
    let (status, code, _) = refusal(response).await;
    assert_eq!((status, code.as_str()), (404, "RepoNotFound"));
    assert_eq!(hub.get_json("/api/models?filter=x").await, json!([]));
    hub.create("alice/tool").await;
    assert_eq!(
        hub.get_json("/api/models/alice/tool/commits/main")
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn settings_change_what_they_say_or_refuse() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let put = async |body: Value| {
        hub.send_json(
            Method::PUT,
            "/api/models/alice/tool/settings",
            &hub.alice,
            body,
        )
        .await
    };
    assert_eq!(put(json!({"private": true})).await.status(), 200);
    assert_eq!(
        hub.get_json("/api/models/alice/tool").await["private"],
        true
    );
    assert_eq!(put(json!({"visibility": "public"})).await.status(), 200);
    assert_eq!(
        hub.get_json("/api/models/alice/tool").await["private"],
        false
    );
    assert_eq!(
        put(json!({"gated": false, "description": "Finds Wombats"}))
            .await
            .status(),
        200
    );
    assert_eq!(
        hub.get_json("/api/models?search=wombats").await[0]["id"],
        "alice/tool"
    );
    assert_eq!(refusal(put(json!({"gated": "auto"})).await).await.0, 400);
    assert_eq!(
        refusal(put(json!({"visibility": "protected"})).await)
            .await
            .0,
        400
    );
}

#[tokio::test]
async fn cards_are_validated() {
    let hub = TestRegistry::start().await;
    let ask = async |content: &str| {
        let body = json!({"content": content, "repoType": "model"});
        hub.send_json(Method::POST, "/api/validate-yaml", &hub.alice, body)
            .await
    };
    let response = ask("---\nlicense: mit\n---\n# Hi").await;
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.json::<Value>().await.unwrap(),
        json!({"errors": [], "warnings": []})
    );
    let response = ask("---\nlicense: [\n---\n# Hi").await;
    assert_eq!(response.status(), 400);
    let answer: Value = response.json().await.unwrap();
    assert!(answer["errors"][0]["message"].is_string(), "{answer}");
}

//! Tests of repositories that hold tools: bad manifests, fixed versions, `tool` route, listings.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestRegistry, deletion, file, header, hex, refusal, token};
use tool_hub_registry_server::TokenRole;

fn manifest(version: &str) -> String {
    format!(
        "schema = 1\nname = \"text-stats\"\nversion = \"{version}\"\ndescription = \"Counts words.\"\nlicense = \"MIT\"\n\
         [functions.count_words]\ndescription = \"How many words a text has.\"\n\
         [capabilities]\nnetwork = [\"https://example.org\"]\n"
    )
}

/// With the claim that fits `component`.
fn finished(version: &str, component: &[u8]) -> String {
    let sha256 = hex(component);
    format!(
        "{}[component]\nfile = \"tool.wasm\"\nsha256 = \"{sha256}\"\nbytes = {}\n",
        manifest(version),
        component.len()
    )
}

async fn tag(hub: &TestRegistry, id: &str, revision: &str, tag: &str) -> reqwest::Response {
    let path = format!("/api/models/{id}/tag/{revision}");
    hub.send_json(Method::POST, &path, &hub.alice, json!({"tag": tag}))
        .await
}

async fn delete_tag(hub: &TestRegistry, id: &str, tag: &str) -> reqwest::Response {
    let path = format!("/api/models/{id}/tag/{tag}");
    hub.request(Method::DELETE, &path, Some(&hub.alice))
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_commit_with_a_bad_manifest_is_refused_with_the_place() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let before = hub.get_json("/api/models/alice/tool").await["sha"].clone();
    let bad = "schema = 1\nname = \"x\"\nversion = \"0.1.0\"\ndescripton = \"y\"\n";
    let response = hub
        .send_commit(
            "alice/tool",
            header("bad") + &file("tool.toml", bad.as_bytes()),
        )
        .await;
    assert_eq!(response.status(), 422);
    let body: Value = response.json().await.unwrap();
    assert_eq!(
        (
            &body["line"],
            &body["column"],
            &body["nearest"],
            &body["document"]
        ),
        (
            &json!(4),
            &json!(1),
            &json!("description"),
            &json!("tool.toml")
        )
    );
    let text = body["error"].as_str().unwrap();
    assert!(
        text.starts_with("tool.toml line 4, column 1: unknown field `descripton`"),
        "{text}"
    );
    assert!(text.ends_with("did you mean `description`?"), "{text}");
    assert_eq!(hub.get_json("/api/models/alice/tool").await["sha"], before);

    let long = vec![b'#'; (1 << 20) + 1];
    let binary = b"\xff\xfe".to_vec();
    for bytes in [long, binary] {
        let body = header("bad") + &file("tool.toml", &bytes);
        assert_eq!(
            refusal(hub.send_commit("alice/tool", body).await).await.0,
            422
        );
    }
    // Only the one at the root of the default branch is a manifest.
    hub.commit(
        "alice/tool",
        "deeper",
        &[("examples/tool.toml", bad.as_bytes())],
    )
    .await;
    hub.send_json(
        Method::POST,
        "/api/models/alice/tool/branch/side",
        &hub.alice,
        json!({}),
    )
    .await;
    let side = hub
        .request(
            Method::POST,
            "/api/models/alice/tool/commit/side",
            Some(&hub.alice),
        )
        .body(header("draft") + &file("tool.toml", bad.as_bytes()));
    assert_eq!(side.send().await.unwrap().status(), 200);
    // And a new repository may not begin with a bad one.
    use base64::Engine as _;
    let content = base64::engine::general_purpose::STANDARD.encode(bad);
    let wish = json!({"name": "born-bad", "files": [{"path": "tool.toml", "content": content, "encoding": "base64"}]});
    let response = hub
        .send_json(Method::POST, "/api/repos/create", &hub.alice, wish)
        .await;
    assert_eq!(refusal(response).await.0, 422);
    assert_eq!(hub.get("/api/models/alice/born-bad").await.status(), 404);
}

#[tokio::test]
async fn a_version_says_what_its_manifest_says_and_stays() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let first = hub.commit("alice/tool", "plain", &[("a", b"a")]).await;
    let second = hub
        .commit(
            "alice/tool",
            "tool",
            &[("tool.toml", manifest("0.1.0").as_bytes())],
        )
        .await;
    let (status, _, text) = refusal(tag(&hub, "alice/tool", "main", "v0.2.0").await).await;
    assert_eq!(status, 422);
    assert!(
        text.contains("says version 0.1.0") && text.contains("version = \"0.2.0\""),
        "{text}"
    );
    let (status, _, text) = refusal(tag(&hub, "alice/tool", &first, "v0.1.0").await).await;
    assert_eq!(status, 422);
    assert!(text.contains("has no tool.toml"), "{text}");
    assert_eq!(
        tag(&hub, "alice/tool", &second, "v0.1.0").await.status(),
        200
    );
    assert_eq!(
        tag(&hub, "alice/tool", &second, "v0.1.0").await.status(),
        409
    );

    let (status, _, text) = refusal(delete_tag(&hub, "alice/tool", "v0.1.0").await).await;
    assert_eq!(status, 403);
    assert!(text.contains("versions never change"), "{text}");
    // Neither a branch nor taking the manifest away gives a way round.
    let branch = hub
        .send_json(
            Method::POST,
            "/api/models/alice/tool/branch/v0.1.0",
            &hub.alice,
            json!({}),
        )
        .await;
    assert_eq!(refusal(branch).await.0, 403);
    let gone = hub
        .send_commit(
            "alice/tool",
            header("gone") + &deletion("deletedFile", "tool.toml"),
        )
        .await;
    assert_eq!(gone.status(), 200);
    assert_eq!(delete_tag(&hub, "alice/tool", "v0.1.0").await.status(), 403);
    let refs = hub.get_json("/api/models/alice/tool/refs").await;
    assert_eq!(refs["tags"][0]["targetCommit"], second.as_str());

    // Requirements would not tell it from 0.1.0.
    let built = manifest("0.1.0+1");
    hub.commit("alice/tool", "built", &[("tool.toml", built.as_bytes())])
        .await;
    let (status, _, text) = refusal(tag(&hub, "alice/tool", "main", "v0.1.0+1").await).await;
    assert_eq!(status, 422, "{text}");
    assert!(text.contains("v0.1.0+1 has build metadata"), "{text}");

    // Other tags are free, in tools and elsewhere.
    for name in ["v1.0", "latest"] {
        assert_eq!(tag(&hub, "alice/tool", "main", name).await.status(), 200);
        assert_eq!(delete_tag(&hub, "alice/tool", name).await.status(), 200);
    }
    hub.create("alice/plain").await;
    for name in ["v1.0", "v1.0.0"] {
        assert_eq!(tag(&hub, "alice/plain", "main", name).await.status(), 200);
        assert_eq!(delete_tag(&hub, "alice/plain", name).await.status(), 200);
        assert_eq!(tag(&hub, "alice/plain", "main", name).await.status(), 200);
    }
}

#[tokio::test]
async fn the_view_of_a_tool_has_all_a_client_needs() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let mut commits = Vec::new();
    for (version, component) in [("0.9.0", b"one"), ("0.10.0", b"two")] {
        let text = finished(version, component);
        let files: &[(&str, &[u8])] = &[("tool.toml", text.as_bytes()), ("tool.wasm", component)];
        commits.push(hub.commit("alice/tool", version, files).await);
        let made = tag(&hub, "alice/tool", "main", &format!("v{version}")).await;
        assert_eq!(made.status(), 200);
    }
    tag(&hub, "alice/tool", "main", "latest").await;
    let third = finished("0.11.0", b"claimed");
    let files: &[(&str, &[u8])] = &[("tool.toml", third.as_bytes()), ("tool.wasm", b"other")];
    let head = hub.commit("alice/tool", "unlike its claim", files).await;

    let view = hub.get_json("/api/models/alice/tool/tool").await;
    assert_eq!(
        (&view["id"], &view["private"]),
        (&json!("alice/tool"), &json!(false))
    );
    let versions = view["versions"].as_array().unwrap();
    let names: Vec<&str> = versions
        .iter()
        .map(|it| it["version"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["0.10.0", "0.9.0"], "newest first, by number");
    let newest = &versions[0];
    assert_eq!(newest["tag"], "v0.10.0");
    assert_eq!(newest["commit"], commits[1].as_str());
    let text = finished("0.10.0", b"two");
    assert_eq!(
        newest["manifest"],
        json!({"path": "tool.toml", "sha256": hex(text.as_bytes()), "size": text.len()})
    );
    assert_eq!(
        newest["component"],
        json!({"path": "tool.wasm", "sha256": hex(b"two"), "size": 3, "asClaimed": true})
    );
    assert_eq!(
        newest["functions"],
        json!([{"name": "count_words", "description": "How many words a text has."}])
    );
    assert_eq!(
        newest["capabilities"],
        json!({"network": ["https://example.org"]})
    );
    assert_eq!(view["head"]["commit"], head.as_str());
    assert_eq!(view["head"]["component"]["asClaimed"], false);
    assert_eq!(view["head"]["description"], "Counts words.");

    let response = hub.get("/api/models/alice/tool/tool?limit=1").await;
    let link = response.headers()["link"].to_str().unwrap().to_owned();
    let url = link.trim_start_matches('<').split('>').next().unwrap();
    let rest = hub.get_json(url.strip_prefix(&hub.endpoint).unwrap()).await;
    assert_eq!(rest["versions"].as_array().unwrap().len(), 1);
    assert_eq!(rest["versions"][0]["version"], "0.9.0");
}

#[tokio::test]
async fn the_view_is_for_readers_of_tools_only() {
    let hub = TestRegistry::start().await;
    hub.create("alice/plain").await;
    let (status, code, _) = refusal(hub.get("/api/models/alice/plain/tool").await).await;
    assert_eq!((status, code.as_str()), (404, "EntryNotFound"));
    hub.create_with("alice/closed", json!({"private": true}))
        .await;
    hub.commit(
        "alice/closed",
        "tool",
        &[("tool.toml", manifest("0.1.0").as_bytes())],
    )
    .await;
    let reader = token(&hub.registry, "alice", TokenRole::Read).await;
    for (token, expect) in [
        (None, (401, "RepoNotFound")),
        (Some(&hub.bob), (404, "RepoNotFound")),
    ] {
        let request = hub.request(
            Method::GET,
            "/api/models/alice/closed/tool",
            token.map(String::as_str),
        );
        let (status, code, _) = refusal(request.send().await.unwrap()).await;
        assert_eq!((status, code.as_str()), expect);
    }
    let request = hub.request(Method::GET, "/api/models/alice/closed/tool", Some(&reader));
    assert_eq!(request.send().await.unwrap().status(), 200);
}

/// A reference without a version means the highest release, and that is what listings show.
#[tokio::test]
async fn listings_show_the_highest_release_and_not_the_last_push() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let listed = async || {
        let found = hub
            .get_json("/api/models?filter=tool-hub&expand=tool,description")
            .await;
        let info = hub.get_json("/api/models/alice/tool?expand=tool").await;
        assert_eq!(info["tool"], found[0]["tool"]);
        assert_eq!(found[0]["description"], found[0]["tool"]["description"]);
        found[0]["tool"]["version"].as_str().unwrap().to_owned()
    };
    let commit = async |version: &str| {
        let manifest = manifest(version).replace("words.", &format!("words{version}."));
        let files = [("tool.toml", manifest.as_bytes())];
        hub.commit("alice/tool", version, &files).await
    };
    // Without a release, the default branch counts.
    commit("0.0.1").await;
    assert_eq!(listed().await, "0.0.1");
    for (version, before_tag, after_tag) in [
        ("0.1.0", "0.1.0", "0.1.0"),
        ("0.0.9", "0.1.0", "0.1.0"),
        ("0.10.0-rc.1", "0.1.0", "0.1.0"),
        ("0.10.0", "0.1.0", "0.10.0"),
        ("0.9.0", "0.10.0", "0.10.0"),
    ] {
        commit(version).await;
        assert_eq!(listed().await, before_tag, "{version} before its tag");
        let tagged = tag(&hub, "alice/tool", "main", &format!("v{version}")).await;
        assert_eq!(tagged.status(), 200);
        assert_eq!(listed().await, after_tag, "{version} after its tag");
    }
    // Words are looked for in what is shown.
    for (word, count) in [("words0.10.0", 1), ("words0.9.0", 0)] {
        let found = hub.get_json(&format!("/api/models?search={word}")).await;
        assert_eq!(found.as_array().unwrap().len(), count, "{word}");
    }
    // Whoever takes the manifest from the default branch takes the tool off the list.
    let gone = header("gone") + &deletion("deletedFile", "tool.toml");
    assert_eq!(hub.send_commit("alice/tool", gone).await.status(), 200);
    assert_eq!(hub.get_json("/api/models?filter=tool-hub").await, json!([]));
    let found = hub.get_json("/api/models?search=tool&expand=tool").await;
    assert_eq!(found[0].get("tool"), None);
}

//! A registry with something in every table, and what is compared of it and of its copies.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tool_hub_registry_server::{LogKey, MirrorSource, Registry, RegistryConfig};

use crate::jobs;
use crate::support::{TestRegistry, file, header, hex, serve_on_a_port};
use crate::witness::{Manner, Witness};

const IDS: [&str; 2] = ["alice/stats", "acme/notes"];

/// Puts something into every table but that of a mirror, in a registry that trusts the build
/// service of [`jobs`]. Returns a token of a job.
pub(crate) async fn fill(hub: &TestRegistry) -> String {
    let manifest = "schema = 1\nname = \"stats\"\nversion = \"0.1.0\"\ndescription = \"Counts wombats.\"\nlicense = \"MIT\"\n";
    let card = "---\ntags: [zoo]\n---\nFor wombats.\n";
    let binary: Vec<u8> = (0..700_000_u32).map(|at| (at * 7 % 251) as u8).collect();
    for id in IDS {
        hub.create(id).await;
        let files: [(&str, &[u8]); 4] = [
            ("README.md", card.as_bytes()),
            ("deep/er/ä b.bin", &binary),
            ("empty", b""),
            ("own", id.as_bytes()),
        ];
        hub.commit(
            id,
            "files\n\nand a message, with \"quotes\" and ünïcode",
            &files,
        )
        .await;
    }
    let commit = hub
        .commit(IDS[0], "a tool", &[("tool.toml", manifest.as_bytes())])
        .await;
    let post = async |path: &str, body: Value| {
        let response = hub.send_json(Method::POST, path, &hub.alice, body).await;
        assert_eq!(
            response.status(),
            200,
            "{path}: {}",
            response.text().await.unwrap()
        );
    };
    let tag = json!({"tag": "v0.1.0", "message": "the first"});
    post(&format!("/api/models/alice/stats/tag/{commit}"), tag).await;
    post("/api/models/acme/notes/branch/side", json!({})).await;
    hub.create("alice/before").await;
    let names = json!({"fromRepo": "alice/before", "toRepo": "alice/after", "type": "model"});
    post("/api/repos/move", names).await;
    hub.registry.set_quota("acme", Some(1 << 40)).await.unwrap();
    let discussion = json!({"title": "Wombats", "description": "More of them."});
    post("/api/models/alice/stats/discussions", discussion).await;

    // A private version, whose record of the log is hidden, and what is of jobs and of witnesses.
    hub.create_with("alice/secret", json!({"private": true}))
        .await;
    let secret = [("tool.toml", manifest.as_bytes())];
    hub.commit("alice/secret", "a tool", &secret).await;
    let tag = json!({"tag": "v0.1.0"});
    post("/api/models/alice/secret/tag/main", tag).await;
    let yank = "[yanked.\"0.1.0\"]\nseverity = \"broken\"\nreason = \"it miscounts\"\n";
    hub.commit(IDS[0], "yank", &[("releases.toml", yank.as_bytes())])
        .await;
    jobs::allow(hub, IDS[0]).await;
    let ended = jobs::token(hub, IDS[0], "ended").await;
    publish_as_job(hub, &ended, "0.2.0", 200).await;
    jobs::end(hub, &ended).await;
    let token = jobs::token(hub, IDS[0], "going on").await;
    be_cosigned(hub).await;
    token
}

/// Publishes a version with the token of a job.
async fn publish_as_job(hub: &TestRegistry, token: &str, version: &str, expect: u16) {
    let manifest = format!(
        "schema = 1\nname = \"stats\"\nversion = \"{version}\"\ndescription = \"Counts wombats.\"\n"
    );
    let body = header(version) + &file("tool.toml", manifest.as_bytes());
    let path = format!("/api/models/{}/commit/main", IDS[0]);
    let commit = hub.request(Method::POST, &path, Some(token)).body(body);
    assert_eq!(commit.send().await.unwrap().status(), expect, "{version}");
    if expect == 200 {
        let path = format!("/api/models/{}/tag/main", IDS[0]);
        let tag = json!({"tag": format!("v{version}")});
        let tagged = hub.send_json(Method::POST, &path, token, tag).await;
        assert_eq!(tagged.status(), 200, "{version}");
    }
}

/// Has a witness cosign all of the log.
pub(crate) async fn be_cosigned(hub: &TestRegistry) {
    let witness = Witness::start("witness.example/w", Manner::Honest);
    let log = hub.get("/api/log/key").await.text().await.unwrap();
    witness.know(&log);
    let log: LogKey = log.trim().parse().unwrap();
    let checkpoint = hub.get("/api/log/checkpoint").await.text().await.unwrap();
    let size = log.open(&checkpoint).unwrap().size();
    let (key, url) = (
        witness.key().parse().unwrap(),
        witness.url().parse().unwrap(),
    );
    hub.registry.add_witness(&key, &url).await.unwrap();
    let cosigned = async || hub.registry.list_witnesses().await.unwrap()[0].records;
    let mut waits = 0..600;
    while cosigned().await < size {
        waits.next().expect("the witness is asked");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Everything a client can see of some repositories: references, history, trees, and a digest of
/// every file.
pub(crate) async fn view(hub: &TestRegistry, ids: &[String]) -> Vec<Value> {
    let mut views = Vec::new();
    for id in ids {
        let api = format!("/api/models/{id}");
        let tree = hub
            .get_json(&format!("{api}/tree/main?recursive=true"))
            .await;
        let mut digests = Vec::new();
        for entry in tree.as_array().unwrap() {
            if entry["type"] == "directory" {
                continue;
            }
            let path = entry["path"].as_str().unwrap();
            let got = hub.get(&format!("/{id}/resolve/main/{path}")).await;
            assert_eq!(got.status(), 200, "{path}");
            digests.push(hex(&got.bytes().await.unwrap()));
        }
        let refs = hub.get_json(&format!("{api}/refs")).await;
        let history = hub.get_json(&format!("{api}/commits/main")).await;
        views.push(json!({"refs": refs, "history": history, "tree": tree, "digests": digests}));
    }
    views
}

/// Checks that a registry shows what another one does, to the same people.
pub(crate) async fn compare(hub: &TestRegistry, registry: &Registry) {
    assert!(registry.scrub().await.unwrap().is_sound());
    let other = hub.through(&serve_on_a_port(registry).await);
    let ids: Vec<String> = IDS.map(str::to_owned).to_vec();
    assert_eq!(view(&other, &ids).await, view(hub, &ids).await);
    for path in [
        "/api/models?search=wombats",
        "/api/models/alice/stats/tool",
        "/api/whoami-v2",
        "/api/models/alice/before",
        "/api/models/alice/stats/publishers",
        "/api/models/alice/stats/discussions",
    ] {
        assert_eq!(
            other.get_json(path).await,
            hub.get_json(path).await,
            "{path}"
        );
    }
    let log = format!("/api/models/{}/log?version=0.2.0", IDS[0]);
    let secret = "/api/models/alice/secret/log?version=0.1.0";
    for path in [log.as_str(), secret] {
        let (theirs, ours) = (other.get_json(path).await, hub.get_json(path).await);
        assert_eq!(theirs["key"], ours["key"], "{path}");
        assert_eq!(theirs["records"], ours["records"], "{path}");
        assert!(!ours["records"].as_array().unwrap().is_empty(), "{path}");
    }
    let (theirs, ours) = (registry, &hub.registry);
    assert_eq!(
        theirs.list_witnesses().await.unwrap(),
        ours.list_witnesses().await.unwrap()
    );
    assert_eq!(
        theirs.storage_of("acme").await.unwrap(),
        ours.storage_of("acme").await.unwrap()
    );
}

/// A mirror of a registry, in the place of `config`.
#[allow(dead_code, reason = "the tests of several servers use it")]
pub(crate) async fn mirror_of(hub: &TestRegistry, config: RegistryConfig) -> Registry {
    let mirror = Registry::open(config).await.unwrap();
    let source = MirrorSource::all(hub.endpoint.parse().unwrap());
    let report = mirror.mirror(&source).await.unwrap();
    assert!(
        report.records > Some(3) && report.missing.is_empty(),
        "{report:?}"
    );
    mirror
}

/// Checks that a restored registry goes on with the publishers of the other, and takes no identity
/// token twice.
pub(crate) async fn jobs_go_on(hub: &TestRegistry, registry: &Registry, token: &str) {
    let other = hub.through(&serve_on_a_port(registry).await);
    let (status, answer) = jobs::exchange(&other, IDS[0], &jobs::identity("ended")).await;
    assert_eq!(status, 403, "{answer}");
    let told = answer["error"].as_str().unwrap();
    assert!(told.contains("it was used before"), "{told}");
    publish_as_job(&other, token, "0.3.0", 200).await;
    jobs::end(&other, token).await;
    publish_as_job(&other, token, "0.4.0", 401).await;
    let new = jobs::token(&other, IDS[0], "new").await;
    publish_as_job(&other, &new, "0.4.0", 200).await;
    assert!(registry.scrub().await.unwrap().is_sound());
}

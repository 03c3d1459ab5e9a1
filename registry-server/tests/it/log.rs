//! Tests of the transparency log: what is in it, that it cannot be changed, and what strangers see.

use futures::future::join_all;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tool_hub_manifest::{Severity, Version};
use tool_hub_registry_server::Registry;
use tool_hub_transparency::{Checkpoint, LogKey, LogRecord, Proof, Tree, record_hash};

use crate::support::{TestRegistry, refusal};

pub(crate) const REPO: &str = "alice/tool";

pub(crate) async fn publish(hub: &TestRegistry, id: &str, version: &str) {
    let manifest = format!(
        "schema = 1\nname = \"stats\"\nversion = \"{version}\"\ndescription = \"Counts words.\"\n"
    );
    hub.commit(id, version, &[("tool.toml", manifest.as_bytes())])
        .await;
    let path = format!("/api/models/{id}/tag/main");
    let tag = json!({ "tag": format!("v{version}") });
    let tagged = hub.send_json(Method::POST, &path, &hub.alice, tag).await;
    assert_eq!(tagged.status(), 200, "{}", tagged.text().await.unwrap());
}

pub(crate) async fn say(hub: &TestRegistry, releases: &str) {
    hub.commit(REPO, "say", &[("releases.toml", releases.as_bytes())])
        .await;
}

pub(crate) fn yanked(version: &str, severity: &str) -> String {
    format!("[yanked.\"{version}\"]\nseverity = \"{severity}\"\nreason = \"it fails\"\n")
}

async fn text(hub: &TestRegistry, path: &str) -> String {
    let response = hub.get(path).await;
    assert_eq!(response.status(), 200, "{path}");
    response.text().await.unwrap()
}

pub(crate) async fn key(hub: &TestRegistry) -> LogKey {
    text(hub, "/api/log/key").await.trim().parse().unwrap()
}

async fn checkpoint(hub: &TestRegistry) -> Checkpoint {
    let note = text(hub, "/api/log/checkpoint").await;
    key(hub).await.open(&note).unwrap()
}

/// The records of a version, whose proofs were checked, and the checkpoint that they are for. It
/// has everything that `older` has.
pub(crate) async fn proved(
    answer: Value,
    key: &LogKey,
    older: Option<&Checkpoint>,
) -> (Vec<LogRecord>, Checkpoint) {
    let checkpoint = key.open(answer["checkpoint"].as_str().unwrap()).unwrap();
    if let Some(older) = older {
        let consistency: Proof = serde_json::from_value(answer["consistency"].clone()).unwrap();
        checkpoint.check_extends(older, &consistency).unwrap();
    }
    let mut records = Vec::new();
    for proved in answer["records"].as_array().unwrap() {
        let bytes = proved["record"].as_str().unwrap().as_bytes();
        let proof: Proof = serde_json::from_value(proved["proof"].clone()).unwrap();
        let index = proved["index"].as_u64().unwrap();
        checkpoint.check_record(index, bytes, &proof).unwrap();
        assert!(checkpoint.check_record(index, b"another", &proof).is_err());
        let record = LogRecord::from_bytes(bytes).unwrap();
        records.push(record.opened(proved["opening"].as_str()).unwrap());
    }
    (records, checkpoint)
}

pub(crate) fn said(record: &LogRecord) -> String {
    match record {
        LogRecord::Version { repo, version, .. } => format!("{repo} {version}"),
        LogRecord::Yank {
            version, severity, ..
        } => format!("{version} {severity}"),
        LogRecord::Unyank { version, .. } => format!("{version} back"),
        LogRecord::Signer {
            version, signer, ..
        } => match signer {
            Some(signer) => format!("{version} by {signer}"),
            None => format!("{version} by nobody"),
        },
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn every_version_and_every_yank_is_in_it() {
    let hub = TestRegistry::start().await;
    let key = key(&hub).await;
    let empty = checkpoint(&hub).await;
    assert_eq!(empty.size(), 0);
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    publish(&hub, REPO, "1.1.0").await;
    let early = checkpoint(&hub).await;
    assert_eq!(early.size(), 2);
    say(&hub, &yanked("1.1.0", "broken")).await;
    // The same once more, another severity, a version that there is not, and back.
    say(&hub, &format!("# A remark.\n{}", yanked("1.1.0", "broken"))).await;
    say(&hub, &yanked("1.1.0", "malicious")).await;
    say(&hub, &yanked("9.0.0", "broken")).await;

    let path = |version: &str, older: u64| {
        format!("/api/models/{REPO}/log?version={version}&older={older}")
    };
    let answer = hub.get_json(&path("1.1.0", 2)).await;
    let (records, late) = proved(answer, &key, Some(&early)).await;
    let all: Vec<String> = records.iter().map(said).collect();
    assert_eq!(
        all,
        [
            "alice/tool 1.1.0",
            "1.1.0 broken",
            "1.1.0 malicious",
            "1.1.0 back"
        ]
    );
    assert_eq!(late.size(), 5);
    let LogRecord::Version { commit, at, .. } = &records[0] else {
        panic!("{records:?}");
    };
    let refs = hub.get_json(&format!("/api/models/{REPO}/refs")).await;
    let tags = refs["tags"].as_array().unwrap();
    let tag = tags.iter().find(|tag| tag["name"] == "v1.1.0").unwrap();
    assert_eq!(tag["targetCommit"], commit.as_str());
    assert!(at.unix_timestamp().unsigned_abs().abs_diff(late.seconds()) < 60);
    let answer = hub.get_json(&path("1.0.0", 0)).await;
    let (records, _) = proved(answer, &key, None).await;
    assert_eq!(
        records.iter().map(said).collect::<Vec<_>>(),
        ["alice/tool 1.0.0"]
    );

    // Whoever has seen a larger one sees that this one is smaller.
    let smaller = hub.get_json(&path("1.1.0", 6)).await;
    assert_eq!(smaller["consistency"], json!([]));
    assert_eq!(smaller["key"], key.to_string());
    let (status, ..) = refusal(hub.get(&path("one", 0)).await).await;
    assert_eq!(status, 400);
}

/// A version may be yanked and given back many times: what was said last is in the answer.
#[tokio::test]
async fn of_many_records_the_first_and_the_newest_are_shown() {
    let hub = TestRegistry::start().await;
    let key = key(&hub).await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.1.0").await;
    for _ in 0..60 {
        say(&hub, &yanked("1.1.0", "broken")).await;
        say(&hub, "").await;
    }
    say(&hub, &yanked("1.1.0", "malicious")).await;
    let path = format!("/api/models/{REPO}/log?version=1.1.0&older=1");
    let (records, checkpoint) = proved(hub.get_json(&path).await, &key, None).await;
    assert_eq!((records.len(), checkpoint.size()), (100, 122));
    let all: Vec<String> = records.iter().map(said).collect();
    assert_eq!(all[..2], ["alice/tool 1.1.0", "1.1.0 broken"]);
    assert_eq!(all[98..], ["1.1.0 back", "1.1.0 malicious"]);
}

async fn bytes(response: Response) -> Vec<u8> {
    assert_eq!(response.status(), 200);
    assert!(
        response.headers()["cache-control"]
            .to_str()
            .unwrap()
            .contains("immutable")
    );
    response.bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn all_of_it_is_to_be_had_as_files() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    for minor in 0..5 {
        publish(&hub, REPO, &format!("1.{minor}.0")).await;
    }
    let bundle = bytes(hub.get("/api/log/tile/entries/000.p/5").await).await;
    let (mut tree, mut rest) = (Tree::default(), bundle.as_slice());
    let mut hashes = Vec::new();
    while let Some((length, more)) = rest.split_first_chunk::<2>() {
        let (record, more) = more.split_at(u16::from_be_bytes(*length).into());
        tree.append(record);
        hashes.extend(record_hash(record).0);
        rest = more;
    }
    assert_eq!(
        bytes(hub.get("/api/log/tile/0/000.p/5").await).await,
        hashes
    );
    let signed = checkpoint(&hub).await;
    assert_eq!((signed.size(), tree.size()), (5, 5));
    let (first, proof) = (
        &bundle[2..2 + usize::from(bundle[1])],
        tree.inclusion_proof(5, 0),
    );
    signed.check_record(0, first, &proof).unwrap();
    for path in [
        "0/000.p/6",
        "0/000",
        "1/000.p/1",
        "entries/001.p/1",
        "0/../../x",
        "9/000",
    ] {
        let (status, ..) = refusal(hub.get(&format!("/api/log/tile/{path}")).await).await;
        assert_eq!(status, 404, "{path}");
    }
}

/// A cache before the registry asks it for what changes, and keeps what does not.
#[tokio::test]
async fn caches_keep_no_earlier_state() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    let version = format!("/api/models/{REPO}/log?version=1.0.0");
    for path in ["/api/log/key", "/api/log/checkpoint", &version] {
        let answer = hub.get(path).await;
        assert_eq!(answer.headers()["cache-control"], "no-cache", "{path}");
    }
    for tile in ["0/000.p/1", "entries/000.p/1"] {
        bytes(hub.get(&format!("/api/log/tile/{tile}")).await).await;
    }
    let early = hub.get("/api/log/tile/entries/000.p/2").await;
    assert_eq!(early.status(), 404);
    assert!(!early.headers().contains_key("cache-control"));
}

#[tokio::test]
async fn private_repositories_are_hidden() {
    let hub = TestRegistry::start().await;
    hub.create_with("alice/secret", json!({ "private": true }))
        .await;
    publish(&hub, "alice/secret", "1.0.0").await;
    let bundle = bytes(hub.get("/api/log/tile/entries/000.p/1").await).await;
    let bundle = String::from_utf8_lossy(&bundle);
    assert!(
        bundle.contains("hidden") && !bundle.contains("secret"),
        "{bundle}"
    );
    let path = "/api/models/alice/secret/log?version=1.0.0";
    let mine = hub
        .request(Method::GET, path, Some(&hub.alice))
        .send()
        .await
        .unwrap();
    let (records, _) = proved(mine.json().await.unwrap(), &key(&hub).await, None).await;
    assert_eq!(said(&records[0]), "alice/secret 1.0.0");
    let theirs = hub
        .request(Method::GET, path, Some(&hub.bob))
        .send()
        .await
        .unwrap();
    assert_eq!(theirs.status(), 404);
}

#[tokio::test]
async fn nothing_in_it_is_changed() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    for statement in [
        "DELETE FROM log_records",
        "UPDATE log_records SET record = 'x'",
        "DELETE FROM log_hashes",
        "UPDATE log_hashes SET hash = 'x'",
    ] {
        let error = hub.run_sql(statement).await.unwrap_err();
        assert!(error.contains("what is in the log"), "{error}");
    }
    let (key_before, before) = (key(&hub).await, checkpoint(&hub).await);
    let scratch = tempfile::tempdir().unwrap();
    let backup = scratch.path().join("backup");
    hub.registry.backup(&backup).await.unwrap();
    let other = hub.restored_from(&backup).await;
    assert_eq!(key(&other).await, key_before);
    publish(&other, REPO, "1.1.0").await;
    let path = format!("/api/models/{REPO}/log?version=1.1.0&older=1");
    let (records, _) = proved(other.get_json(&path).await, &key_before, Some(&before)).await;
    assert_eq!(said(&records[0]), "alice/tool 1.1.0");

    // A backup from before there was a log: what was published then comes first.
    for table in ["log_records", "log_hashes", "log_key"] {
        crate::backup::without_table(&backup, table);
    }
    let config = hub.elsewhere("older");
    Registry::restore(&backup, config.clone()).await.unwrap();
    let older = Registry::open(config).await.unwrap();
    let other = hub.through(&crate::support::serve_on_a_port(&older).await);
    let key_now = key(&other).await;
    assert_ne!(key_now, key_before);
    let path = format!("/api/models/{REPO}/log?version=1.0.0");
    let (records, _) = proved(other.get_json(&path).await, &key_now, None).await;
    assert_eq!(said(&records[0]), "alice/tool 1.0.0");
}

#[tokio::test]
async fn many_publish_at_a_time() {
    let hub = TestRegistry::start().await;
    let repos: Vec<String> = (0..8).map(|n| format!("alice/tool-{n}")).collect();
    for repo in &repos {
        hub.create(repo).await;
    }
    join_all(repos.iter().map(|repo| publish(&hub, repo, "1.0.0"))).await;
    assert_eq!(checkpoint(&hub).await.size(), 8);
    let key = key(&hub).await;
    for repo in &repos {
        let path = format!("/api/models/{repo}/log?version=1.0.0");
        let (records, _) = proved(hub.get_json(&path).await, &key, None).await;
        assert_eq!(said(&records[0]), format!("{repo} 1.0.0"));
    }
}

#[tokio::test]
async fn what_nobody_could_read_is_not_taken() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0").await;
    let wrong = crate::support::header("wrong")
        + &crate::support::file("releases.toml", b"[yanked.\"1.0.0\"]\nseverity = \"bad\"\n");
    let (status, _, told) = refusal(hub.send_commit(REPO, wrong).await).await;
    assert_eq!(status, 422);
    assert!(told.contains("releases.toml line 2, column 12"), "{told}");
    let long = format!("# {}\n", "x".repeat(128 << 10));
    let long =
        crate::support::header("long") + &crate::support::file("releases.toml", long.as_bytes());
    let (status, _, told) = refusal(hub.send_commit(REPO, long).await).await;
    assert_eq!(status, 422);
    assert!(told.contains("bytes, at most 131072 are read"), "{told}");
    let severity = Severity::Broken;
    say(
        &hub,
        &yanked(&Version::new(1, 0, 0).to_string(), severity.as_str()),
    )
    .await;
    assert_eq!(checkpoint(&hub).await.size(), 2);
}

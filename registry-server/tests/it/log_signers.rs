//! Tests of the records of signers: one for each version by another signer than the version before.

use reqwest::Method;
use serde_json::{Value, json};
use tool_hub_manifest::{ComponentClaim, Manifest, Package, Verified};
use tool_hub_signing::{KeyKind, PackageFiles, PrivateKey, sign};

use crate::log::{REPO, key, proved, said};
use crate::support::{TestRegistry, deletion, file, header};

const CARD: &[u8] = b"# Stats";
const SIGNER_FILES: [&str; 2] = ["model.sig", "signer.pem"];

type PackageFile = (&'static str, Vec<u8>);

fn new_key() -> (PrivateKey, String) {
    let key = PrivateKey::generate(KeyKind::P256).unwrap();
    let fingerprint = key.public().fingerprint().to_string();
    (key, fingerprint)
}

/// The files of a version, signed with `key` if there is one.
fn files(version: &str, key: Option<&PrivateKey>) -> Vec<PackageFile> {
    let component = b"\0asm".to_vec();
    let mut manifest = Manifest::new("stats".parse().unwrap(), version.parse().unwrap());
    manifest.component = Some(ComponentClaim::of(&component));
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component: component.clone(),
        interpreter: None,
        sbom: None,
    };
    let package = Verified::check(package).unwrap();
    let mut files = vec![
        ("README.md", CARD.to_vec()),
        ("tool.toml", package.manifest_bytes().to_vec()),
        ("tool.wasm", component),
    ];
    if let Some(key) = key {
        let public = key.public().to_pem().into_bytes();
        let covered = PackageFiles {
            package: &package,
            card: Some(CARD),
            signer: Some(&public),
            rotation: None,
            attestations: None,
        };
        let bundle = sign(&covered, key).unwrap();
        files.extend([("model.sig", bundle), ("signer.pem", public)]);
    }
    files
}

async fn owner_sees(hub: &TestRegistry, path: &str) -> Value {
    let request = hub.request(Method::GET, path, Some(&hub.alice));
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.json().await.unwrap()
}

async fn commit(hub: &TestRegistry, id: &str, files: &[PackageFile]) {
    let mut body = header("A version");
    for (name, content) in files {
        body += &file(name, content);
    }
    let listed = owner_sees(hub, &format!("/api/models/{id}/tree/main")).await;
    let there = |name: &str| {
        let listed = listed.as_array().unwrap();
        listed.iter().any(|file| file["path"] == name)
    };
    let gone = |name: &&str| files.iter().all(|(kept, _)| kept != name) && there(name);
    for name in SIGNER_FILES.iter().filter(|name| gone(name)) {
        body += &deletion("deletedFile", name);
    }
    let response = hub.send_commit(id, body).await;
    assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
}

async fn tag(hub: &TestRegistry, id: &str, version: &str) {
    let path = format!("/api/models/{id}/tag/main");
    let tag = json!({ "tag": format!("v{version}") });
    let tagged = hub.send_json(Method::POST, &path, &hub.alice, tag).await;
    assert_eq!(tagged.status(), 200, "{}", tagged.text().await.unwrap());
}

async fn publish(hub: &TestRegistry, id: &str, version: &str, key: Option<&PrivateKey>) {
    commit(hub, id, &files(version, key)).await;
    tag(hub, id, version).await;
}

/// The records of a version, proved to be in the log, as its owner sees them.
pub(crate) async fn records(hub: &TestRegistry, id: &str, version: &str) -> Vec<String> {
    let path = format!("/api/models/{id}/log?version={version}");
    let answer = owner_sees(hub, &path).await;
    let (records, _) = proved(answer, &key(hub).await, None).await;
    records.iter().map(said).collect()
}

#[tokio::test]
async fn every_change_is_recorded() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    let ((ada, adas), (eve, eves)) = (new_key(), new_key());
    for (version, key, signer) in [
        ("1.0.0", None, None),
        ("1.1.0", Some(&ada), Some(adas.as_str())),
        ("1.2.0", Some(&ada), None),
        ("1.3.0", Some(&eve), Some(&eves)),
        ("1.4.0", None, Some("nobody")),
        ("1.5.0", None, None),
        ("1.6.0", Some(&ada), Some(&adas)),
    ] {
        publish(&hub, REPO, version, key).await;
        let mut expect = vec![format!("alice/tool {version}")];
        expect.extend(signer.map(|signer| format!("{version} by {signer}")));
        assert_eq!(records(&hub, REPO, version).await, expect);
    }
    // Who signs is told of that repository alone.
    hub.create("alice/other").await;
    publish(&hub, "alice/other", "1.0.0", None).await;
    assert_eq!(records(&hub, "alice/other", "1.0.0").await.len(), 1);
    let answer = hub
        .get_json(&format!("/api/models/{REPO}/log?version=1.1.0"))
        .await;
    let [version, signer] = [0, 1].map(|at| answer["records"][at]["index"].as_u64().unwrap());
    assert_eq!(version + 1, signer);
}

/// Each version whose signature does not verify has a record of its own, which names nobody.
#[tokio::test]
async fn a_wrong_signature_names_nobody() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    let ((ada, adas), (eve, _)) = (new_key(), new_key());
    publish(&hub, REPO, "1.0.0", Some(&ada)).await;
    assert_eq!(
        records(&hub, REPO, "1.0.0").await[1],
        format!("1.0.0 by {adas}")
    );

    let taken = files("1.0.0", Some(&ada));
    let stolen = |name: &str| taken.iter().find(|(it, _)| *it == name).unwrap().1.clone();
    let long = vec![b' '; (64 << 10) + 1];
    let wrong: [(&str, Vec<PackageFile>); 5] = [
        (
            "1.1.0",
            vec![
                ("model.sig", stolen("model.sig")),
                ("signer.pem", stolen("signer.pem")),
            ],
        ),
        ("1.2.0", vec![("model.sig", b"{}".to_vec())]),
        (
            "1.3.0",
            vec![("model.sig", long.clone()), ("signer.pem", long)],
        ),
        ("1.4.0", vec![("README.md", b"# Another".to_vec())]),
        ("1.5.0", vec![("signer.pem", stolen("signer.pem"))]),
    ];
    for (version, changed) in wrong {
        let is_signed = matches!(version, "1.4.0" | "1.5.0");
        let mut files = files(version, is_signed.then_some(&eve));
        files.retain(|(name, _)| changed.iter().all(|(other, _)| name != other));
        files.extend(changed);
        commit(&hub, REPO, &files).await;
        tag(&hub, REPO, version).await;
        let expect = [
            format!("alice/tool {version}"),
            format!("{version} by somebody unknown"),
        ];
        assert_eq!(records(&hub, REPO, version).await, expect);
    }
    publish(&hub, REPO, "1.6.0", Some(&ada)).await;
    assert_eq!(
        records(&hub, REPO, "1.6.0").await[1],
        format!("1.6.0 by {adas}")
    );
}

#[tokio::test]
async fn a_private_repository_shows_no_signer() {
    let hub = TestRegistry::start().await;
    let (id, (ada, adas)) = ("alice/secret", new_key());
    hub.create_with(id, json!({ "private": true })).await;
    publish(&hub, id, "1.0.0", Some(&ada)).await;
    publish(&hub, id, "1.1.0", Some(&ada)).await;
    publish(&hub, id, "1.2.0", None).await;
    let bundle = hub.get("/api/log/tile/entries/000.p/5").await;
    let bundle = bundle.bytes().await.unwrap();
    let bundle = String::from_utf8_lossy(&bundle);
    assert_eq!(bundle.matches("hidden").count(), 5);
    assert!(
        !bundle.contains("signer") && !bundle.contains("SHA256:"),
        "{bundle}"
    );
    let expect = ["alice/secret 1.0.0".to_owned(), format!("1.0.0 by {adas}")];
    assert_eq!(records(&hub, id, "1.0.0").await, expect);
    assert_eq!(records(&hub, id, "1.1.0").await.len(), 1);
    assert_eq!(records(&hub, id, "1.2.0").await[1], "1.2.0 by nobody");
}

/// The signers go along with a repository that moves, and stay with its former name.
#[tokio::test]
async fn a_repository_is_moved() {
    let hub = TestRegistry::start().await;
    let ((ada, adas), (eve, eves)) = (new_key(), new_key());
    hub.create(REPO).await;
    publish(&hub, REPO, "1.0.0", None).await;
    publish(&hub, REPO, "1.1.0", Some(&ada)).await;
    publish(&hub, REPO, "1.2.0", Some(&ada)).await;
    let names = json!({ "fromRepo": REPO, "toRepo": "alice/moved", "type": "model" });
    let moved = hub.send_json(Method::POST, "/api/repos/move", &hub.alice, names);
    assert_eq!(moved.await.status(), 200);
    let by_ada = format!("1.1.0 by {adas}");
    let moved = "alice/moved";
    assert_eq!(records(&hub, moved, "1.0.0").await, ["alice/moved 1.0.0"]);
    let expect = ["alice/moved 1.1.0", &by_ada];
    assert_eq!(records(&hub, moved, "1.1.0").await, expect);
    assert_eq!(records(&hub, moved, "1.2.0").await, ["alice/moved 1.2.0"]);
    publish(&hub, moved, "1.3.0", Some(&ada)).await;
    assert_eq!(records(&hub, moved, "1.3.0").await, ["alice/moved 1.3.0"]);

    // Somebody takes the name once that is free: whoever watches it sees who signs there.
    let deletion = json!({ "name": moved });
    let deleted = hub.send_json(Method::DELETE, "/api/repos/delete", &hub.alice, deletion);
    assert_eq!(deleted.await.status(), 200);
    hub.create(REPO).await;
    publish(&hub, REPO, "2.0.0", Some(&eve)).await;
    assert_eq!(
        records(&hub, REPO, "2.0.0").await[1],
        format!("2.0.0 by {eves}")
    );
}

#[tokio::test]
async fn a_backup_knows_who_signed() {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    let ((ada, _), (eve, eves)) = (new_key(), new_key());
    publish(&hub, REPO, "1.0.0", Some(&ada)).await;
    let scratch = tempfile::tempdir().unwrap();
    let backup = scratch.path().join("backup");
    hub.registry.backup(&backup).await.unwrap();
    let other = hub.restored_from(&backup).await;
    publish(&other, REPO, "1.1.0", Some(&ada)).await;
    publish(&other, REPO, "1.2.0", Some(&eve)).await;
    assert_eq!(records(&other, REPO, "1.1.0").await, ["alice/tool 1.1.0"]);
    assert_eq!(
        records(&other, REPO, "1.2.0").await[1],
        format!("1.2.0 by {eves}")
    );
}

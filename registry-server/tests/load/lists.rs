//! Requests with the longest lists allowed, and a test that probes are answered meanwhile.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::support::{file, header, hex, statuses};
use crate::target::Target;

/// Files of a commit, as many as there may be.
const FILES: usize = 25_000;
/// Longest answer to a probe while lists are worked on.
const PROBE_MAX: Duration = Duration::from_secs(1);

/// A new repository with very many files.
pub(crate) async fn create(target: &Target, name: &str, files: usize) -> Response {
    let files = (0..files)
        .map(|at| json!({"path": format!("d{}/f{at}", at % 100), "content": "QQ==", "encoding": "base64"}));
    let files: Vec<Value> = files.collect();
    let body = json!({"name": name, "files": files}).to_string();
    post(target, "/api/repos/create", body).await
}

/// A repository like [`create`]'s with a name that no other has.
pub(crate) async fn create_another(target: &Target, number: usize) -> Response {
    create(target, &format!("alice/big-{number}"), FILES).await
}

pub(crate) async fn commit(target: &Target, branch: &str) -> Response {
    let lines = (0..FILES).map(|at| file(&format!("d{}/f{at}", at % 100), b""));
    let body = header("long") + &lines.collect::<String>();
    let path = format!("/api/models/alice/tool/commit/{branch}");
    post(target, &path, body).await
}

pub(crate) async fn preupload(target: &Target) -> Response {
    let sample = STANDARD.encode([b'x'; 400]);
    let files = (0..FILES)
        .map(|at| json!({"path": format!("d{}/f{at}", at % 100), "size": 9, "sample": sample}));
    let files: Vec<Value> = files.collect();
    let body = json!({"files": files}).to_string();
    post(target, "/api/models/alice/big/preupload/main", body).await
}

pub(crate) async fn paths_info(target: &Target) -> Response {
    let paths: Vec<String> = (0..10_000)
        .map(|at| format!("d{}/f{at}", at % 100))
        .collect();
    let body = json!({"paths": paths}).to_string();
    post(target, "/api/models/alice/big/paths-info/main", body).await
}

/// The files of a repository with very many, for somebody with a token.
pub(crate) async fn listing(target: &Target) -> Response {
    let path = "/api/models/alice/big?blobs=true";
    let request = target
        .hub
        .request(Method::GET, path, Some(&target.hub.alice));
    request.send().await.unwrap()
}

/// At most 64 KiB without a token, which ask for the longest possible answer.
pub(crate) async fn paths_info_of_a_stranger(target: &Target) -> Response {
    let body = json!({"paths": vec!["d0"; 9_900], "expand": true}).to_string();
    let path = "/api/models/alice/big/paths-info/main";
    let request = target.hub.request(Method::POST, path, None).body(body);
    request.send().await.unwrap()
}

pub(crate) async fn lfs_batch(target: &Target, number: usize) -> Response {
    let objects = (0..1_000)
        .map(|at| json!({"oid": hex(format!("{number} {at}").as_bytes()), "size": 400 << 20}));
    let objects: Vec<Value> = objects.collect();
    let body = json!({"operation": "upload", "transfers": ["multipart"], "objects": objects});
    post(
        target,
        "/alice/tool.git/info/lfs/objects/batch",
        body.to_string(),
    )
    .await
}

async fn post(target: &Target, path: &str, body: String) -> Response {
    let request = target
        .hub
        .request(Method::POST, path, Some(&target.hub.alice));
    request.body(body).send().await.unwrap()
}

/// Checks that readiness probes are answered quickly while two repositories with as many files as
/// allowed are created.
pub(crate) async fn probes_are_answered_meanwhile() {
    let target = Target::start().await;
    let probes = target.probe();
    let start = Instant::now();
    let names = ["alice/one", "alice/two"];
    let made = statuses(names.map(|name| create(&target, name, FILES))).await;
    let took = start.elapsed();
    let seen = probes.end().await;
    println!("two creations of {FILES} files: {took:?}; {seen:?}");
    assert_eq!(made, [(200, 2)].into());
    assert!(seen.slowest < PROBE_MAX && seen.failed == 0, "{seen:?}");
}

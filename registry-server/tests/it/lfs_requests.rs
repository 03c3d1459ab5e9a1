//! Requests of git-lfs for tests: announce and send a file, and commit it.

use reqwest::{Method, Response};
use serde_json::{Value, json};
use tool_hub_registry_server::RegistryConfig;

use crate::support::{TestRegistry, header, hex as sha256};

/// The path at which uploads to `alice/tool` are announced.
pub(crate) const BATCH: &str = "/alice/tool.git/info/lfs/objects/batch";

/// A registry where files of 100 bytes go over LFS, in parts of 1,000.
pub(crate) async fn registry() -> TestRegistry {
    let configure = |config: &mut RegistryConfig| {
        config.lfs_from_bytes = Some(100);
        config.limits.lfs_part_bytes = 1_000;
        config.limits.file_bytes_max = 10_000;
    };
    let hub = TestRegistry::start_configured(configure).await;
    hub.create("alice/tool").await;
    hub
}

/// Bytes that are no text.
pub(crate) fn content(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 % 251) as u8).collect()
}

/// Announces an upload. Returns what the registry says of it.
pub(crate) async fn batch(
    hub: &TestRegistry,
    path: &str,
    oid: &str,
    size: usize,
    transfers: &[&str],
) -> Value {
    let body = json!({
        "operation": "upload", "transfers": transfers, "hash_algo": "sha_256", "ref": {"name": "main"},
        "objects": [{"oid": oid, "size": size}],
    });
    let response = hub.send_json(Method::POST, path, &hub.alice, body).await;
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.headers()["content-type"],
        "application/vnd.git-lfs+json"
    );
    let answer: Value = response.json().await.unwrap();
    assert_eq!(answer["transfer"], "basic");
    assert_eq!(
        (&answer["objects"][0]["oid"], &answer["objects"][0]["size"]),
        (&json!(oid), &json!(size))
    );
    answer["objects"][0].clone()
}

/// The address of an upload, below the endpoint.
pub(crate) fn address(hub: &TestRegistry, href: &Value) -> String {
    href.as_str()
        .unwrap()
        .strip_prefix(&hub.endpoint)
        .unwrap()
        .to_owned()
}

/// Sends bytes without a token, as LFS clients do.
pub(crate) async fn put(hub: &TestRegistry, path: &str, body: &[u8]) -> Response {
    hub.request(Method::PUT, path, None)
        .body(body.to_vec())
        .send()
        .await
        .unwrap()
}

/// Commits a file that was sent over LFS.
pub(crate) async fn commit(
    hub: &TestRegistry,
    path: &str,
    oid: &str,
    size: Option<usize>,
) -> Response {
    let mut value = json!({"path": path, "algo": "sha256", "oid": oid});
    if let Some(size) = size {
        value["size"] = json!(size);
    }
    let line = json!({"key": "lfsFile", "value": value});
    hub.send_commit("alice/tool", format!("{}{line}\n", header("lfs")))
        .await
}

/// Announces and sends `bytes`. Returns their digest.
pub(crate) async fn upload(hub: &TestRegistry, bytes: &[u8]) -> String {
    let oid = sha256(bytes);
    let object = batch(hub, BATCH, &oid, bytes.len(), &["basic"]).await;
    let href = address(hub, &object["actions"]["upload"]["href"]);
    assert_eq!(put(hub, &href, bytes).await.status(), 200);
    oid
}

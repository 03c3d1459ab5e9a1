//! Tests of one git-lfs upload whose parts go to two servers, also when one is killed.

use libtest_mimic::Trial;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::replica::Pair;
use crate::support::{TestRegistry, header};
use crate::test;

const BATCH: &str = "/alice/tool.git/info/lfs/objects/batch";

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        test(
            "lfs::the_parts_of_one_upload_go_to_both",
            the_parts_of_one_upload_go_to_both,
        ),
        test(
            "lfs::an_upload_outlives_its_server",
            an_upload_outlives_its_server,
        ),
    ]
}

fn content(length: usize) -> Vec<u8> {
    (0..length as u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect()
}

fn sha256(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

async fn upload(hub: &TestRegistry, oid: &str, size: usize) -> Value {
    let body = json!({"operation": "upload", "transfers": ["basic", "multipart"], "objects": [{"oid": oid, "size": size}]});
    let response = hub.send_json(Method::POST, BATCH, &hub.alice, body).await;
    assert_eq!(response.status(), 200);
    let answer: Value = response.json().await.unwrap();
    answer["objects"][0]["actions"]["upload"].clone()
}

/// An address that one server gave, at another one.
fn at(hub: &TestRegistry, href: &Value) -> String {
    let url = reqwest::Url::parse(href.as_str().unwrap()).unwrap();
    let path = url.path().to_owned();
    assert!(!hub.endpoint.ends_with('/'));
    format!("{path}?{}", url.query().unwrap())
}

async fn put(hub: &TestRegistry, href: &Value, body: Vec<u8>) -> Response {
    let request = hub.request(Method::PUT, &at(hub, href), None);
    request.body(body).send().await.unwrap()
}

async fn commit(hub: &TestRegistry, oid: &str) {
    let line =
        json!({"key": "lfsFile", "value": {"path": "big.bin", "algo": "sha256", "oid": oid}});
    let body = format!("{}{line}\n", header("lfs"));
    let response = hub.send_commit("alice/tool", body).await;
    assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
}

async fn download(hub: &TestRegistry) -> Vec<u8> {
    // The bucket gives the bytes, so the token stays behind.
    let address = format!("{}/alice/tool/resolve/main/big.bin", hub.endpoint);
    let response = reqwest::get(address).await.unwrap();
    assert_eq!(response.status(), 200);
    response.bytes().await.unwrap().to_vec()
}

async fn the_parts_of_one_upload_go_to_both() {
    let pair = Pair::start().await;
    pair.a.create("alice/tool").await;
    let bytes = content(17_000_000);
    let oid = sha256(&bytes);
    let upload = upload(&pair.a, &oid, bytes.len()).await;
    let part_bytes: usize = upload["header"]["chunk_size"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let sent = bytes.chunks(part_bytes).enumerate().map(|(index, part)| {
        let (server, href) = (
            pair.turn(index + 1),
            &upload["header"][format!("{:05}", index + 1)],
        );
        async move {
            let response = put(server, href, part.to_vec()).await;
            assert_eq!(response.status(), 200, "part {}", index + 1);
            let etag = response.headers()["etag"].to_str().unwrap().to_owned();
            json!({"partNumber": index + 1, "etag": etag})
        }
    });
    let parts = futures::future::join_all(sent).await;
    assert!(parts.len() >= 3, "{} parts", parts.len());
    assert_eq!(pair.hub.kept("parts").len(), parts.len());
    let complete = pair
        .b
        .request(Method::POST, &at(&pair.b, &upload["href"]), None);
    let body = json!({"oid": oid, "parts": parts});
    let response = complete.json(&body).send().await.unwrap();
    assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
    assert_eq!(pair.hub.kept("parts").len(), 0);
    commit(&pair.a, &oid).await;
    for hub in [&pair.a, &pair.b] {
        assert!(download(hub).await == bytes);
    }
}

async fn an_upload_outlives_its_server() {
    let mut pair = Pair::start().await;
    pair.a.create("alice/tool").await;
    let bytes = content(6_000_000);
    let oid = sha256(&bytes);
    let upload = upload(&pair.a, &oid, bytes.len()).await;
    let first = put(
        &pair.a,
        &upload["header"]["00001"],
        bytes[..5 << 20].to_vec(),
    )
    .await;
    assert_eq!(first.status(), 200);
    pair.replicas[0].kill();
    let second = put(
        &pair.b,
        &upload["header"]["00002"],
        bytes[5 << 20..].to_vec(),
    )
    .await;
    assert_eq!(second.status(), 200);
    let complete = pair
        .b
        .request(Method::POST, &at(&pair.b, &upload["href"]), None);
    let response = complete
        .json(&json!({"oid": oid, "parts": []}))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
    commit(&pair.b, &oid).await;
    assert!(download(&pair.b).await == bytes);
}

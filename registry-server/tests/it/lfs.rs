//! Tests of large files over git-lfs: uploads, also in parts, pointers, quota and attributes.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::lfs_requests::{BATCH, address, batch, commit, content, put, registry, upload};
use crate::support::{TestRegistry, header, hex as sha256, refusal};

#[tokio::test]
async fn large_files_are_planned_sent_verified_and_committed() {
    let hub = registry().await;
    let bytes = content(500);
    let oid = sha256(&bytes);
    let files = json!({"files": [{"path": "big.bin", "size": 500, "sample": ""}, {"path": "small", "size": 99, "sample": ""}, {"path": "none", "size": 0, "sample": ""}]});
    let plan = async || {
        let response = hub
            .send_json(
                Method::POST,
                "/api/models/alice/tool/preupload/main",
                &hub.alice,
                files.clone(),
            )
            .await;
        response.json::<Value>().await.unwrap()["files"].clone()
    };
    let modes: Vec<Value> = plan()
        .await
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["uploadMode"].clone())
        .collect();
    assert_eq!(modes, ["lfs", "regular", "regular"]);

    let object = batch(&hub, BATCH, &oid, 500, &["basic", "multipart", "xet"]).await;
    assert_eq!(object["authenticated"], true);
    assert!(object["actions"]["upload"].get("header").is_none());
    let verify = address(&hub, &object["actions"]["verify"]["href"]);
    let question = json!({"oid": oid, "size": 500});
    assert_eq!(
        hub.send_json(Method::POST, &verify, &hub.alice, question.clone())
            .await
            .status(),
        404
    );
    let href = address(&hub, &object["actions"]["upload"]["href"]);
    assert_eq!(put(&hub, &href, &bytes).await.status(), 200);
    assert_eq!(
        hub.send_json(Method::POST, &verify, &hub.alice, question)
            .await
            .status(),
        200
    );
    let wrong = json!({"oid": oid, "size": 501});
    assert_eq!(
        hub.send_json(Method::POST, &verify, &hub.alice, wrong)
            .await
            .status(),
        422
    );
    // What is there is not sent again.
    assert_eq!(
        batch(&hub, BATCH, &oid, 500, &["basic"])
            .await
            .get("actions"),
        None
    );

    assert_eq!(commit(&hub, "big.bin", &oid, Some(500)).await.status(), 200);
    // Python copies a file by naming its object without the size.
    assert_eq!(commit(&hub, "copy.bin", &oid, None).await.status(), 200);
    assert_eq!(plan().await[0]["oid"], oid.as_str());
}

#[tokio::test]
async fn an_lfs_file_is_a_pointer_in_git_and_a_file_elsewhere() {
    let hub = registry().await;
    let bytes = content(500);
    let oid = upload(&hub, &bytes).await;
    assert_eq!(commit(&hub, "big.bin", &oid, Some(500)).await.status(), 200);
    let text = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 500\n");
    let lfs = json!({"oid": oid, "sha256": oid, "size": 500, "pointerSize": text.len()});

    let tree = hub.get_json("/api/models/alice/tool/tree/main").await;
    let entry = tree
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["path"] == "big.bin")
        .unwrap();
    assert_eq!((&entry["size"], &entry["lfs"]), (&json!(500), &lfs));
    assert_eq!(tree[0]["path"], ".gitattributes");
    assert_eq!(tree[0].get("lfs"), None);
    let info = hub.get_json("/api/models/alice/tool?blobs=true").await;
    assert_eq!(
        info["siblings"][1],
        json!({"rfilename": "big.bin", "size": 500, "blobId": entry["oid"], "lfs": lfs})
    );

    let raw = hub.get("/alice/tool/raw/main/big.bin").await;
    assert_eq!(
        raw.headers()["etag"],
        format!("\"{}\"", entry["oid"].as_str().unwrap())
    );
    assert_eq!(raw.text().await.unwrap(), text);
    // The JavaScript client begins with the first byte.
    let first = hub
        .request(Method::GET, "/alice/tool/raw/main/big.bin", None)
        .header("range", "bytes=0-0");
    let first = first.send().await.unwrap();
    assert_eq!(
        first.headers()["content-range"],
        format!("bytes 0-0/{}", text.len())
    );
    assert_eq!(first.text().await.unwrap(), "v");
    for method in [Method::HEAD, Method::GET] {
        let file = hub
            .request(method.clone(), "/alice/tool/resolve/main/big.bin", None)
            .send()
            .await
            .unwrap();
        for name in ["etag", "x-linked-etag"] {
            assert_eq!(file.headers()[name], format!("\"{oid}\""), "{name}");
        }
        assert_eq!(file.headers()["x-linked-size"], "500");
        let expect: &[u8] = if method == Method::GET { &bytes } else { b"" };
        assert_eq!(file.bytes().await.unwrap(), expect);
    }
    let part = hub
        .request(Method::GET, "/alice/tool/resolve/main/big.bin", None)
        .header("range", "bytes=10-19");
    let part = part.send().await.unwrap();
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.bytes().await.unwrap(), bytes[10..20]);
}

#[tokio::test]
async fn a_large_object_comes_in_parts_in_any_order() {
    let hub = registry().await;
    let bytes = content(2_500);
    let oid = sha256(&bytes);
    let object = batch(&hub, BATCH, &oid, bytes.len(), &["basic", "multipart"]).await;
    let upload = &object["actions"]["upload"];
    let header = upload["header"].as_object().unwrap();
    assert_eq!(
        header.keys().collect::<Vec<_>>(),
        ["chunk_size", "00001", "00002", "00003"]
    );
    assert_eq!(header["chunk_size"], "1000");
    let complete = address(&hub, &upload["href"]);
    let finish = async |parts: Value| {
        let body = json!({"oid": oid, "parts": parts});
        hub.request(Method::POST, &complete, None)
            .json(&body)
            .send()
            .await
            .unwrap()
    };

    let mut parts = Vec::new();
    for number in [3, 1] {
        parts.push(put_part(&hub, header, number, &bytes).await);
    }
    let (status, _, text) = refusal(finish(json!(parts)).await).await;
    assert_eq!((status, text.as_str()), (422, "part 2 has not arrived"));
    // Too short, too long, and no part of this upload.
    let second = address(&hub, &header["00002"]);
    assert_eq!(put(&hub, &second, &bytes[..999]).await.status(), 422);
    assert_eq!(put(&hub, &second, &bytes[..1_001]).await.status(), 413);
    assert_eq!(
        put(
            &hub,
            &second.replace("number=2", "number=4"),
            &bytes[..1_000]
        )
        .await
        .status(),
        400
    );
    parts.push(put_part(&hub, header, 2, &bytes).await);
    assert_eq!(hub.kept("parts").len(), 3);
    let wrong = json!([{"partNumber": 1, "etag": "\"other\""}]);
    assert_eq!(refusal(finish(wrong).await).await.0, 422);
    assert_eq!(finish(json!(parts)).await.status(), 200);
    assert_eq!(
        commit(&hub, "big.bin", &oid, Some(bytes.len()))
            .await
            .status(),
        200
    );
    assert_eq!(
        hub.get("/alice/tool/resolve/main/big.bin")
            .await
            .bytes()
            .await
            .unwrap(),
        bytes
    );
    let files = hub.kept("parts");
    assert!(files.is_empty(), "parts were left: {files:?}");
    // A client that lost the answer asks again.
    assert_eq!(finish(json!([])).await.status(), 200);
}

async fn put_part(
    hub: &TestRegistry,
    header: &serde_json::Map<String, Value>,
    number: usize,
    bytes: &[u8],
) -> Value {
    let end = (number * 1_000).min(bytes.len());
    let path = address(hub, &header[&format!("{number:05}")]);
    let response = put(hub, &path, &bytes[(number - 1) * 1_000..end]).await;
    assert_eq!(response.status(), 200);
    json!({"partNumber": number, "etag": response.headers()["etag"].to_str().unwrap()})
}

#[tokio::test]
async fn an_object_that_is_not_the_announced_one_is_refused() {
    let hub = registry().await;
    let bytes = content(500);
    let oid = sha256(&bytes);
    let object = batch(&hub, BATCH, &oid, 500, &["basic"]).await;
    let href = address(&hub, &object["actions"]["upload"]["href"]);
    let mut flipped = bytes.clone();
    flipped[250] ^= 1;
    for (body, expect) in [
        (&flipped[..], 422),
        (&bytes[..499], 422),
        (&content(501)[..], 413),
    ] {
        assert_eq!(refusal(put(&hub, &href, body).await).await.0, expect);
    }
    let (status, _, text) = refusal(commit(&hub, "big.bin", &oid, Some(500)).await).await;
    assert_eq!(status, 422);
    assert!(
        text.contains("was not uploaded to this repository"),
        "{text}"
    );
    for (oid, size) in [("00", 5), (&oid.to_uppercase(), 500), (&oid, 10_001)] {
        let object = batch(&hub, BATCH, oid, size, &["basic"]).await;
        assert_eq!(object["error"]["code"], 422, "{object}");
        assert_eq!(object.get("actions"), None);
    }
    for body in [
        json!({"operation": "download", "objects": []}),
        json!({"operation": "upload", "hash_algo": "md5", "objects": []}),
    ] {
        assert_eq!(
            refusal(hub.send_json(Method::POST, BATCH, &hub.alice, body).await)
                .await
                .0,
            400
        );
    }
}

#[tokio::test]
async fn to_know_a_hash_gives_nothing() {
    let hub = registry().await;
    let secret = content(500);
    hub.create_with("acme/closed", json!({"private": true}))
        .await;
    let path = "/acme/closed.git/info/lfs/objects/batch";
    let oid = sha256(&secret);
    let object = batch(&hub, path, &oid, 500, &["basic"]).await;
    let href = address(&hub, &object["actions"]["upload"]["href"]);
    assert_eq!(put(&hub, &href, &secret).await.status(), 200);
    // Another repository must be given the bytes before it has them, and the answer does not say
    // that somebody has them.
    let asked = batch(&hub, BATCH, &oid, 500, &["basic"]).await;
    assert!(asked["actions"]["upload"]["href"].is_string());
    assert_eq!(commit(&hub, "stolen", &oid, Some(500)).await.status(), 422);
}

#[tokio::test]
async fn objects_count_against_the_quota() {
    let hub = registry().await;
    let used = hub.registry.storage_of("alice").await.unwrap().used_bytes;
    hub.registry
        .set_quota("alice", Some(used + 600))
        .await
        .unwrap();
    upload(&hub, &content(500)).await;
    let body =
        json!({"operation": "upload", "objects": [{"oid": sha256(&content(200)), "size": 200}]});
    assert_eq!(
        refusal(hub.send_json(Method::POST, BATCH, &hub.alice, body).await)
            .await
            .0,
        403
    );
}

/// The upload mode that the registry assigns to each of these files.
async fn modes(hub: &TestRegistry, id: &str, question: Value) -> Vec<String> {
    let path = format!("/api/models/{id}/preupload/main");
    let response = hub
        .send_json(Method::POST, &path, &hub.alice, question)
        .await;
    assert_eq!(response.status(), 200);
    let answer: Value = response.json().await.unwrap();
    let files = answer["files"].as_array().unwrap().iter();
    files
        .map(|file| file["uploadMode"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn attributes_say_what_is_sent_over_lfs() {
    let hub = TestRegistry::start_configured(|config| config.lfs_by_attributes = true).await;
    hub.create("alice/tool").await;
    let files = json!([
        {"path": "a.bin", "size": 5}, {"path": "d/m.safetensors", "size": 5}, {"path": "empty.zip", "size": 0},
        {"path": "tool.wasm", "size": 500}, {"path": "a.txt", "size": 5}, {"path": "pic.png", "size": 5},
    ]);
    let ask = async |more: Value| {
        let mut question = json!({"files": files});
        question
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        modes(&hub, "alice/tool", question).await
    };
    let standard = ["lfs", "lfs", "regular", "regular", "regular", "regular"];
    assert_eq!(ask(json!({})).await, standard);
    // The attributes in the commit take precedence over the stored ones.
    let coming = json!({"gitAttributes": "*.txt filter=lfs\n"});
    let expect = ["regular", "regular", "regular", "regular", "lfs", "regular"];
    assert_eq!(ask(coming).await, expect);
    let stored = b"*.png filter=lfs diff=lfs merge=lfs -text\n*.bin binary\n";
    let files_of: [(&str, &[u8]); 1] = [(".gitattributes", stored)];
    hub.commit("alice/tool", "attributes", &files_of).await;
    let expect = ["regular", "regular", "regular", "regular", "regular", "lfs"];
    assert_eq!(ask(json!({})).await, expect);
    // Without stored attributes, the standard ones are used again.
    let gone = header("gone") + &crate::support::deletion("deletedFile", ".gitattributes");
    assert_eq!(hub.send_commit("alice/tool", gone).await.status(), 200);
    assert_eq!(ask(json!({})).await, standard);
}

#[tokio::test]
async fn an_operator_may_do_without_lfs() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let question = json!({"files": [{"path": "a.bin", "size": 5}]});
    assert_eq!(modes(&hub, "alice/tool", question).await, ["regular"]);
}

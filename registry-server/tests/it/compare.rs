//! Tests of differences between revisions, as raw lines and as JSON.

use futures::TryStreamExt as _;
use hf_hub::HFClient;
use serde_json::{Value, json};

use crate::support::{TestRegistry, deletion, file, header, refusal};

const NONE: &str = "0000000000000000000000000000000000000000";
/// The ids git gives to blobs that hold the letter and nothing else.
const A: &str = "2e65efe2a145dda7ee51d1741299f848e5bf752e";
const B: &str = "63d8dbd40c23542e740659a7168a0ce3138ea748";

async fn history() -> TestRegistry {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let files: [(&str, &[u8]); 4] = [
        ("a", b"a"),
        ("d/kept", b"a"),
        ("d/x y", b"a"),
        ("turned", b"a"),
    ];
    hub.commit("alice/tool", "one", &files).await;
    let body = header("two")
        + &file("a", b"b")
        + &deletion("deletedFile", "d/x y")
        + &deletion("deletedFile", "turned")
        + &file("turned/into", b"\0")
        + &file("ä", b"a");
    assert_eq!(hub.send_commit("alice/tool", body).await.status(), 200);
    hub
}

async fn raw(hub: &TestRegistry, spec: &str) -> String {
    let path = format!("/api/models/alice/tool/compare/{spec}?raw=true");
    let response = hub.get(&path).await;
    assert_eq!(response.status(), 200, "{spec}");
    response.text().await.unwrap()
}

#[tokio::test]
async fn a_commit_is_compared_with_its_parent() {
    let hub = history().await;
    let zero = "f76dd238ade08917e6712764a16a22005a50573d";
    let expect = format!(
        "T 1\t:100644 100644 {A}... {B}... M\ta\n\
         T 1\t:100644 000000 {A}... {NONE}... D\td/x y\n\
         T 1\t:100644 000000 {A}... {NONE}... D\tturned\n\
         B 1\t:000000 100644 {NONE}... {zero}... A\tturned/into\n\
         T 1\t:000000 100644 {NONE}... {A}... A\tä\n"
    );
    assert_eq!(raw(&hub, "main").await, expect);
    let commits = hub.get_json("/api/models/alice/tool/commits/main").await;
    let ids: Vec<&str> = commits
        .as_array()
        .unwrap()
        .iter()
        .map(|commit| commit["id"].as_str().unwrap())
        .collect();
    let spec = format!("{}..{}", &ids[1][..7], ids[0]);
    assert_eq!(raw(&hub, &spec).await, expect);
    // The other way round what was added is gone.
    let back = raw(&hub, &format!("{}..{}", ids[0], ids[1])).await;
    assert!(
        back.contains(&format!("T 1\t:100644 100644 {B}... {A}... M\ta\n")),
        "{back}"
    );
    assert!(back.contains("D\tä\n"), "{back}");
    assert_eq!(raw(&hub, "main..main").await, "");
    // The first commit brought everything that is in it.
    let first = raw(&hub, ids[2]).await;
    assert!(
        first.contains("A\t.gitattributes\n") && first.lines().count() == 1,
        "{first}"
    );
}

#[tokio::test]
async fn the_rust_client_takes_the_lines_apart() {
    let hub = history().await;
    let client = HFClient::builder()
        .endpoint(&hub.endpoint)
        .cache_dir(hub.directory.path().join("cache"))
        .token(&hub.alice)
        .build()
        .unwrap();
    let tool = client.model("alice", "tool");
    let differences = tool.get_raw_diff_stream().compare("main").send();
    let differences: Vec<_> = differences.await.unwrap().try_collect().await.unwrap();
    let seen: Vec<(&str, bool, &str)> = differences
        .iter()
        .map(|one| {
            (
                one.file_path.as_str(),
                one.is_binary,
                one.new_blob_id.as_str(),
            )
        })
        .collect();
    let zero = "f76dd238ade08917e6712764a16a22005a50573d";
    assert_eq!(
        seen,
        [
            ("a", false, B),
            ("d/x y", false, NONE),
            ("turned", false, NONE),
            ("turned/into", true, zero),
            ("ä", false, A),
        ]
    );
    assert!(differences.iter().all(|one| one.new_file_size == 1));
}

#[tokio::test]
async fn differences_as_json() {
    let hub = history().await;
    let shown: Value = hub.get_json("/api/models/alice/tool/compare/main").await;
    assert_eq!(shown.as_array().unwrap().len(), 5);
    assert_eq!(
        shown[0],
        json!({"path": "a", "status": "modified", "old": {"oid": A, "size": 1}, "new": {"oid": B, "size": 1}})
    );
    assert_eq!(
        shown[4],
        json!({"path": "ä", "status": "added", "new": {"oid": A, "size": 1}})
    );
    for spec in ["nothing", "main..nothing", "nothing..main", "main...main"] {
        let response = hub
            .get(&format!("/api/models/alice/tool/compare/{spec}"))
            .await;
        let (status, code, _) = refusal(response).await;
        assert_eq!((status, code.as_str()), (404, "RevisionNotFound"), "{spec}");
    }
}

//! Tests of commits and preupload: files of all lengths, deletions, many writers, refusals.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestRegistry, deletion, file, header, paths, refusal, statuses};

#[tokio::test]
async fn files_of_all_lengths_come_back_as_they_were() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    // Around the border between memory and temporary file, and well over it.
    let contents: Vec<Vec<u8>> = [0, 1, 2, 3, 262_143, 262_144, 262_145, 3_000_001]
        .iter()
        .map(|length| (0..*length).map(|at: usize| (at * 7 % 251) as u8).collect())
        .collect();
    let names: Vec<String> = (0..contents.len())
        .map(|at| format!("d/{at}.bin"))
        .collect();
    let files: Vec<(&str, &[u8])> = names
        .iter()
        .zip(&contents)
        .map(|(name, content)| (name.as_str(), content.as_slice()))
        .collect();
    hub.commit("alice/tool", "all lengths", &files).await;
    for (name, content) in files {
        let response = hub.get(&format!("/alice/tool/resolve/main/{name}")).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.bytes().await.unwrap(), content, "{name}");
    }
    assert_eq!(
        std::fs::read_dir(hub.incoming()).unwrap().count(),
        0,
        "temporary files were left"
    );
}

#[tokio::test]
async fn a_commit_answers_with_its_id_and_address() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let body = header("one") + file("a.txt", b"a").trim_end();
    let response = hub.send_commit("alice/tool", body).await;
    assert_eq!(response.status(), 200);
    let answer: Value = response.json().await.unwrap();
    let oid = answer["commitOid"].as_str().unwrap();
    assert_eq!(answer["success"], true);
    assert_eq!(
        answer["commitUrl"],
        format!("{}/alice/tool/commit/{oid}", hub.endpoint)
    );
}

#[tokio::test]
async fn deletions_take_files_and_directories() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit(
        "alice/tool",
        "files",
        &[
            ("a/1", b"1"),
            ("a/2", b"2"),
            ("b/1", b"1"),
            ("b/c/2", b"2"),
            ("d", b"d"),
        ],
    )
    .await;
    let body = header("less")
        + &deletion("deletedFile", "a/1")
        + &deletion("deletedFolder", "b/")
        + &deletion("deletedFile", "d");
    assert_eq!(hub.send_commit("alice/tool", body).await.status(), 200);
    let tree = hub
        .get_json("/api/models/alice/tool/tree/main?recursive=true")
        .await;
    assert_eq!(paths(&tree), [".gitattributes", "a", "a/2"]);
    // A directory without files does not exist.
    assert_eq!(
        hub.send_commit("alice/tool", header("none") + &deletion("deletedFile", "a"))
            .await
            .status(),
        200
    );
    assert_eq!(
        paths(&hub.get_json("/api/models/alice/tool/tree/main").await),
        [".gitattributes"]
    );
}

#[tokio::test]
async fn a_stale_parent_is_refused() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let first = hub.commit("alice/tool", "one", &[("a", b"1")]).await;
    let with_parent = |parent: &str| {
        let header = json!({"key": "header", "value": {"summary": "x", "parentCommit": parent}});
        format!("{header}\n{}", file("b", b"2"))
    };
    assert_eq!(
        hub.send_commit("alice/tool", with_parent(&first[..7]))
            .await
            .status(),
        200
    );
    for parent in [first.as_str(), "0123456789", "nonsense"] {
        let (status, _, text) =
            refusal(hub.send_commit("alice/tool", with_parent(parent)).await).await;
        assert_eq!(status, 412);
        assert_eq!(
            text,
            "The branch was updated since you opened this page. Please refresh and try again."
        );
    }
}

#[tokio::test]
async fn of_many_writers_with_one_parent_exactly_one_wins() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let parent = hub.commit("alice/tool", "parent", &[("a", b"1")]).await;
    let attempts = (0..32).map(|writer: u32| {
        let header = json!({"key": "header", "value": {"summary": format!("writer {writer}"), "parentCommit": parent}});
        let body = format!("{header}\n{}", file(&format!("w/{writer}"), &writer.to_le_bytes()));
        hub.send_commit("alice/tool", body)
    });
    assert_eq!(statuses(attempts).await, [(200, 1), (412, 31)].into());
    assert_eq!(
        hub.get_json("/api/models/alice/tool/tree/main/w")
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn of_many_writers_without_a_parent_none_is_lost() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let commits = (0..16).map(|writer: u32| {
        let body = header(&format!("writer {writer}"))
            + &file(&format!("w/{writer}"), &writer.to_le_bytes());
        hub.send_commit("alice/tool", body)
    });
    for response in futures::future::join_all(commits).await {
        assert_eq!(response.status(), 200);
    }
    assert_eq!(
        hub.get_json("/api/models/alice/tool/tree/main/w")
            .await
            .as_array()
            .unwrap()
            .len(),
        16
    );
    assert_eq!(
        hub.get_json("/api/models/alice/tool/commits/main")
            .await
            .as_array()
            .unwrap()
            .len(),
        17
    );
}

#[tokio::test]
async fn preupload_says_regular_and_names_what_is_there() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "one", &[("a.txt", b"12345")])
        .await;
    let body = json!({"files": [
        {"path": "a.txt", "size": 5, "sample": "MTIzNDU="},
        {"path": "big.bin", "size": 9_000_000_000_u64, "sample": ""},
    ], "gitAttributes": ""});
    let response = hub
        .send_json(
            Method::POST,
            "/api/models/alice/tool/preupload/main",
            &hub.alice,
            body,
        )
        .await;
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.json::<Value>().await.unwrap(),
        json!({"files": [
            {"path": "a.txt", "uploadMode": "regular", "shouldIgnore": false, "oid": "bd41cba781d8349272bf3eb92568285b411c027c"},
            {"path": "big.bin", "uploadMode": "regular", "shouldIgnore": false},
        ]})
    );
}

#[tokio::test]
async fn bad_commits_leave_nothing_behind() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let head = hub.commit("alice/tool", "one", &[("dir/a", b"a")]).await;
    let good = || header("x");
    let cases: Vec<(String, u16)> = vec![
        (String::new(), 400),
        (file("b", b"b"), 400),
        (good() + &good(), 400),
        (good() + "not json\n", 400),
        (
            good() + "{\"key\":\"frog\",\"value\":{\"path\":\"b\"}}\n",
            400,
        ),
        (
            good()
                + "{\"key\":\"file\",\"value\":{\"content\":\"****\",\"path\":\"b\",\"encoding\":\"base64\"}}\n",
            400,
        ),
        (
            good()
                + "{\"key\":\"file\",\"value\":{\"content\":\"b\",\"path\":\"b\",\"encoding\":\"utf-8\"}}\n",
            400,
        ),
        (
            good() + "{\"key\":\"file\",\"value\":{\"path\":\"b\",\"encoding\":\"base64\"}}\n",
            400,
        ),
        (
            good() + "{\"key\":\"file\",\"value\":{\"content\":\"YQ==",
            400,
        ),
        (
            good()
                + "{\"key\":\"deletedFile\",\"value\":{\"content\":\"YQ==\",\"path\":\"dir/a\"}}\n",
            400,
        ),
        (
            good()
                + "{\"key\":\"lfsFile\",\"value\":{\"path\":\"b\",\"algo\":\"sha256\",\"oid\":\"00\",\"size\":1}}\n",
            422,
        ),
        (good() + &deletion("deletedFile", "missing"), 404),
        (
            good() + &file("b", b"b") + &deletion("deletedFile", "dir/missing"),
            404,
        ),
        (good() + &file("dir", b"b"), 422),
        (good() + &file("dir/a/b", b"b"), 422),
        (good() + &file("../x", b"b"), 422),
        (good() + &file("..\\x", b"b"), 422),
        (good() + &file("/x", b"b"), 422),
        (good() + &file("a/../x", b"b"), 422),
        (good() + &file(".git/config", b"b"), 422),
        (good() + &file("x\u{0}y", b"b"), 422),
        (good() + &file("", b"b"), 422),
        (
            format!("{}\n", json!({"key": "header", "value": {"summary": ""}})),
            400,
        ),
    ];
    for (body, expect) in cases {
        let (status, _, text) = refusal(hub.send_commit("alice/tool", body.clone()).await).await;
        assert_eq!(status, expect, "{body:?}: {text}");
    }
    assert_eq!(
        hub.get_json("/api/models/alice/tool").await["sha"],
        head.as_str()
    );
    let (status, code, _) = refusal(
        hub.request(
            Method::POST,
            "/api/models/alice/tool/commit/nothing",
            Some(&hub.alice),
        )
        .body(header("x") + &file("b", b"b"))
        .send()
        .await
        .unwrap(),
    )
    .await;
    assert_eq!((status, code.as_str()), (404, "RevisionNotFound"));
}

//! Tests of HEAD and GET of files: headers, ranges, known versions, and what is missing.

use reqwest::Method;

use crate::support::{TestRegistry, ask, header_value, refusal};

const CONTENT: &[u8] = b"0123456789";
const OID: &str = "ad471007bd7f5983d273b9584e5629230150fd54";

async fn registry() -> (TestRegistry, String) {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let oid = hub
        .commit(
            "alice/tool",
            "files",
            &[("a/digits.txt", CONTENT), ("empty", b"")],
        )
        .await;
    (hub, oid)
}

#[tokio::test]
async fn head_and_get_carry_what_clients_read() {
    let (hub, commit) = registry().await;
    for (method, path) in [
        (Method::HEAD, "/alice/tool/resolve/main/a/digits.txt"),
        (Method::GET, "/alice/tool/resolve/main/a/digits.txt"),
        (Method::GET, "/ALICE/Tool/resolve/main/a%2Fdigits.txt"),
        (Method::GET, "/alice/tool/raw/HEAD/a/digits.txt"),
        (
            Method::GET,
            "/alice/tool/resolve/refs%2Fheads%2Fmain/a/digits.txt",
        ),
        (
            Method::GET,
            "/alice/tool/resolve/refs/heads/main/a/digits.txt",
        ),
    ] {
        let response = ask(&hub, method.clone(), path, &[]).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(header_value(&response, "etag"), format!("\"{OID}\""));
        assert_eq!(
            header_value(&response, "x-linked-etag"),
            format!("\"{OID}\"")
        );
        assert_eq!(header_value(&response, "x-linked-size"), "10");
        assert_eq!(header_value(&response, "content-length"), "10");
        assert_eq!(header_value(&response, "accept-ranges"), "bytes");
        assert_eq!(header_value(&response, "x-repo-commit"), commit);
        assert_eq!(header_value(&response, "x-content-type-options"), "nosniff");
        let body = response.bytes().await.unwrap();
        assert_eq!(body, if method == Method::HEAD { b"" } else { CONTENT });
    }
}

#[tokio::test]
async fn ranges() {
    let (hub, _) = registry().await;
    let path = "/alice/tool/resolve/main/a/digits.txt";
    for (range, status, content_range, body) in [
        ("bytes=0-0", 206, Some("bytes 0-0/10"), "0"),
        ("bytes=3-5", 206, Some("bytes 3-5/10"), "345"),
        ("bytes=7-", 206, Some("bytes 7-9/10"), "789"),
        ("bytes=-2", 206, Some("bytes 8-9/10"), "89"),
        ("bytes=5-99", 206, Some("bytes 5-9/10"), "56789"),
        ("bytes=0-1,4-5", 200, None, "0123456789"),
        ("lines=0-1", 200, None, "0123456789"),
    ] {
        let response = ask(&hub, Method::GET, path, &[("range", range)]).await;
        assert_eq!(response.status(), status, "{range}");
        assert_eq!(
            response
                .headers()
                .get("content-range")
                .map(|value| value.to_str().unwrap()),
            content_range,
            "{range}"
        );
        assert_eq!(
            header_value(&response, "content-length"),
            body.len().to_string(),
            "{range}"
        );
        assert_eq!(response.text().await.unwrap(), body, "{range}");
    }
    let response = ask(&hub, Method::GET, path, &[("range", "bytes=10-")]).await;
    assert_eq!(header_value(&response, "content-range"), "bytes */10");
    assert_eq!(refusal(response).await.0, 416);
    // The JavaScript client asks for the first byte of files that have none.
    let response = ask(
        &hub,
        Method::GET,
        "/alice/tool/resolve/main/empty",
        &[("range", "bytes=0-0")],
    )
    .await;
    assert_eq!(
        (
            response.status().as_u16(),
            header_value(&response, "content-range")
        ),
        (200, "bytes */0")
    );
    assert_eq!(response.bytes().await.unwrap(), b"".as_slice());
}

#[tokio::test]
async fn a_range_of_another_version_gets_the_whole_file() {
    let (hub, _) = registry().await;
    let path = "/alice/tool/resolve/main/a/digits.txt";
    let same = format!("\"{OID}\"");
    let response = ask(
        &hub,
        Method::GET,
        path,
        &[("range", "bytes=1-2"), ("if-range", &same)],
    )
    .await;
    assert_eq!(response.status(), 206);
    let response = ask(
        &hub,
        Method::GET,
        path,
        &[("range", "bytes=1-2"), ("if-range", "\"other\"")],
    )
    .await;
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn a_known_version_is_not_sent_again() {
    let (hub, commit) = registry().await;
    for known in [
        format!("\"{OID}\""),
        format!("W/\"{OID}\""),
        format!("\"x\", \"{OID}\""),
        "*".to_owned(),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let response = ask(
                &hub,
                method,
                "/alice/tool/resolve/main/a/digits.txt",
                &[("if-none-match", &known)],
            )
            .await;
            assert_eq!(response.status(), 304, "{known}");
            assert_eq!(header_value(&response, "x-repo-commit"), commit);
            assert_eq!(header_value(&response, "etag"), format!("\"{OID}\""));
        }
    }
    let response = ask(
        &hub,
        Method::GET,
        "/alice/tool/resolve/main/a/digits.txt",
        &[("if-none-match", "\"x\"")],
    )
    .await;
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn what_is_missing_says_which_part() {
    let (hub, commit) = registry().await;
    for (path, code, with_commit) in [
        ("/alice/tool/resolve/main/missing", "EntryNotFound", true),
        ("/alice/tool/resolve/main/a", "EntryNotFound", true),
        (
            "/alice/tool/resolve/main/a/digits.txt/x",
            "EntryNotFound",
            true,
        ),
        (
            "/alice/tool/resolve/main/..%2F..%2Fetc%2Fpasswd",
            "EntryNotFound",
            true,
        ),
        (
            "/alice/tool/resolve/nothing/a/digits.txt",
            "RevisionNotFound",
            false,
        ),
    ] {
        let head = ask(&hub, Method::HEAD, path, &[]).await;
        assert_eq!(
            (head.status().as_u16(), header_value(&head, "x-error-code")),
            (404, code),
            "{path}"
        );
        let response = ask(&hub, Method::GET, path, &[]).await;
        let known = response
            .headers()
            .get("x-repo-commit")
            .map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(
            known.as_deref(),
            with_commit.then_some(commit.as_str()),
            "{path}"
        );
        assert_eq!(refusal(response).await.1, code, "{path}");
    }
}

#[tokio::test]
async fn old_revisions_go_on_serving_old_bytes() {
    let (hub, commit) = registry().await;
    hub.commit("alice/tool", "change", &[("a/digits.txt", b"changed")])
        .await;
    for revision in [&commit[..], &commit[..5]] {
        assert_eq!(
            hub.get(&format!("/alice/tool/resolve/{revision}/a/digits.txt"))
                .await
                .bytes()
                .await
                .unwrap(),
            CONTENT
        );
    }
    assert_eq!(
        hub.get("/alice/tool/resolve/main/a/digits.txt")
            .await
            .text()
            .await
            .unwrap(),
        "changed"
    );
}

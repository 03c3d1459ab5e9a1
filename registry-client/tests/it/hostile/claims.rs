//! Tests of a registry's false claims about files: etags, commit ids, names, sizes, broken JSON.

use axum::body::Body;
use axum::response::Response;
use serde_json::json;

use super::{COMPONENT, DOWNLOAD, LISTING, REFS, at, check, component_with, listed, pull_with};
use crate::registry::{ok, refusal};
use crate::support::package;

#[tokio::test]
async fn etags_are_nobody_s_file_name() {
    for header in ["etag", "x-linked-etag"] {
        pull_with(at(DOWNLOAD, move || component_with(header, "../../x")))
            .await
            .unwrap();
        let long = "x".repeat(1 << 20);
        check(
            "Broken",
            at(DOWNLOAD, move || component_with(header, &long)),
        )
        .await;
    }
    check("Refused", at(DOWNLOAD, || refusal(304, "", ""))).await;
}

#[tokio::test]
async fn commit_ids_that_are_none() {
    for told in ["../..", "main", "", &"A".repeat(40), &"a".repeat(40)] {
        let told = told.to_owned();
        check(
            "Nonsense",
            at(DOWNLOAD, move || component_with("x-repo-commit", &told)),
        )
        .await;
    }
    for told in ["../..", "refs/heads/x", "c0ffee"] {
        let tag = json!({"name": "v9.0.0", "targetCommit": told});
        check(
            "Nonsense",
            at(REFS, move || ok(json!({"branches": [], "tags": [tag]}))),
        )
        .await;
    }
}

#[tokio::test]
async fn names_that_were_not_asked_for() {
    for name in [
        "../../.bashrc",
        "/etc/passwd",
        "C:\\x",
        "tool.toml\0",
        "TOOL.WASM",
        "dir/tool.wasm",
        ".git/config",
        "\u{1b}[2J",
    ] {
        let error = check(
            "Nonsense",
            at(LISTING, move || ok(json!([listed(name, 1)]))),
        )
        .await;
        assert!(!error.to_string().contains(char::is_control), "{error:?}");
    }
}

#[tokio::test]
async fn sizes_are_bounded_before_anything_is_asked_for() {
    let honest = package("0.1.0", COMPONENT).manifest.len() as u64;
    for (file, sizes, expect) in [
        ("/tool.toml", [2 << 20, honest], "TooLarge"),
        ("/tool.toml", [u64::MAX, honest], "TooLarge"),
        ("/tool.wasm", [honest, u64::MAX], "NotVerified"),
    ] {
        let [manifest, component] = sizes;
        let listing = at(LISTING, move || {
            ok(json!([
                listed("tool.toml", manifest),
                listed("tool.wasm", component),
            ]))
        });
        check(expect, move |seen| {
            assert!(!seen.path.ends_with(file), "it was asked for");
            listing(seen)
        })
        .await;
    }
}

#[tokio::test]
async fn answers_that_are_no_answers() {
    for question in [REFS, LISTING] {
        for body in ["", "<html>", "7", "{\"tags\": 7}", "{\"tags\":[{}]}"] {
            check(
                "Nonsense",
                at(question, move || Response::new(Body::from(body))),
            )
            .await;
        }
        let deep = "[".repeat(1 << 20);
        check(
            "Nonsense",
            at(question, move || Response::new(Body::from(deep.clone()))),
        )
        .await;
    }
}

//! Tests that long files are redirected to the bucket and all else comes from the registry.

use libtest_mimic::Trial;
use reqwest::{Method, Response};
use serde_json::json;
use tool_hub_registry_server::Downloads;

use crate::replica::Pair;
use crate::support::{ask, header_value};
use crate::test;

const LONG: &str = "/alice/tool/resolve/main/long.bin";
const LONG_BYTES: usize = 11_000_000;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        test(
            "downloads::long_files_come_from_the_bucket",
            long_files_come_from_the_bucket,
        ),
        test(
            "downloads::what_the_bucket_cannot_answer_stays",
            what_the_bucket_cannot_answer_stays,
        ),
        test(
            "downloads::a_signed_address_is_for_one_file",
            a_signed_address_is_for_one_file,
        ),
        test(
            "downloads::a_private_file_is_not_redirected_for_strangers",
            strangers_get_no_address,
        ),
        test(
            "downloads::through_the_registry_where_asked",
            through_the_registry_where_asked,
        ),
    ]
}

/// Two parts and a bit: the upload goes to the bucket in parts.
fn long() -> Vec<u8> {
    (0..LONG_BYTES as u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect()
}

async fn pair(downloads: Downloads) -> Pair {
    let pair = Pair::start_with(downloads).await;
    pair.a.create("alice/tool").await;
    let files = [("long.bin", &long()[..]), ("short.txt", b"short")];
    pair.a.commit("alice/tool", "files", &files).await;
    pair
}

/// The address a client is sent to, after a look at what comes with it.
#[track_caller]
fn sent_to(pair: &Pair, response: &Response) -> String {
    assert_eq!(response.status(), 302);
    assert_eq!(header_value(response, "cache-control"), "no-store");
    assert_eq!(
        header_value(response, "x-linked-size"),
        LONG_BYTES.to_string()
    );
    assert_eq!(header_value(response, "x-repo-commit").len(), 40);
    assert_eq!(header_value(response, "content-length"), "0");
    let location = header_value(response, "location").to_owned();
    let place = pair.hub.place.as_ref().unwrap();
    assert!(location.starts_with(&place.endpoint), "{location}");
    location
}

async fn long_files_come_from_the_bucket() {
    let pair = pair(Downloads::Redirect).await;
    let long = long();
    for verb in ["resolve", "raw"] {
        let path = LONG.replace("resolve", verb);
        let response = ask(&pair.b, Method::GET, &path, &[]).await;
        // No token goes along.
        let found = reqwest::get(sent_to(&pair, &response)).await.unwrap();
        assert_eq!(found.status(), 200);
        assert_eq!(
            header_value(&found, "content-length"),
            LONG_BYTES.to_string()
        );
        assert!(found.bytes().await.unwrap() == long);
    }
    let range = ("range", "bytes=5000000-9999999");
    let response = ask(&pair.b, Method::GET, LONG, &[range]).await;
    let request = reqwest::Client::new().get(sent_to(&pair, &response));
    let found = request.header(range.0, range.1).send().await.unwrap();
    assert_eq!(found.status(), 206);
    assert_eq!(
        header_value(&found, "content-range"),
        format!("bytes 5000000-9999999/{LONG_BYTES}")
    );
    assert!(found.bytes().await.unwrap() == long[5_000_000..10_000_000]);
}

async fn what_the_bucket_cannot_answer_stays() {
    let pair = pair(Downloads::Redirect).await;
    let head = ask(&pair.b, Method::HEAD, LONG, &[]).await;
    assert_eq!(head.status(), 200);
    assert_eq!(
        header_value(&head, "content-length"),
        LONG_BYTES.to_string()
    );
    let etag = header_value(&head, "etag").to_owned();
    for (method, path, headers, status, length) in [
        (
            Method::HEAD,
            LONG,
            &[("range", "bytes=0-4999999")][..],
            206,
            Some(0),
        ),
        (
            Method::GET,
            "/alice/tool/resolve/main/short.txt",
            &[],
            200,
            Some(5),
        ),
        (Method::GET, LONG, &[("range", "bytes=0-0")], 206, Some(1)),
        (Method::GET, LONG, &[("if-none-match", &etag)], 304, None),
        (
            Method::GET,
            LONG,
            &[("range", "bytes=99999999-")],
            416,
            None,
        ),
        (
            Method::GET,
            LONG,
            &[("range", "bytes=0-1,5-6")],
            200,
            Some(LONG_BYTES),
        ),
        (
            Method::GET,
            LONG,
            &[("range", "bytes=2000000-"), ("if-range", &etag)],
            206,
            Some(LONG_BYTES - 2_000_000),
        ),
        (
            Method::GET,
            LONG,
            &[("range", "bytes=2000000-"), ("if-range", "\"old\"")],
            200,
            Some(LONG_BYTES),
        ),
        (
            Method::GET,
            "/alice/tool/resolve/main/missing",
            &[],
            404,
            None,
        ),
    ] {
        let response = ask(&pair.b, method, path, headers).await;
        assert_eq!(response.status(), status, "{path} {headers:?}");
        if let Some(length) = length {
            assert_eq!(
                header_value(&response, "etag").len(),
                42,
                "{path} {headers:?}"
            );
            assert_eq!(
                response.bytes().await.unwrap().len(),
                length,
                "{path} {headers:?}"
            );
        }
    }
}

async fn a_signed_address_is_for_one_file() {
    let pair = pair(Downloads::Redirect).await;
    let other: Vec<u8> = long().into_iter().rev().collect();
    pair.a
        .commit("alice/tool", "other", &[("other.bin", &other)])
        .await;
    let address = async |path: &str| sent_to(&pair, &ask(&pair.b, Method::GET, path, &[]).await);
    let (first, second) = (
        address(LONG).await,
        address(&LONG.replace("long", "other")).await,
    );
    let forged = {
        let (key, _) = second.split_once('?').unwrap();
        let (_, signature) = first.split_once('?').unwrap();
        format!("{key}?{signature}")
    };
    assert_eq!(reqwest::get(&forged).await.unwrap().status(), 403);
    let bare = second.split('?').next().unwrap();
    assert_eq!(reqwest::get(bare).await.unwrap().status(), 403);
    let client = reqwest::Client::new();
    let put = client.put(&first).body("changed").send().await.unwrap();
    assert_eq!(put.status(), 403);
    assert_eq!(client.get(&first).send().await.unwrap().status(), 200);
}

async fn strangers_get_no_address() {
    let pair = pair(Downloads::Redirect).await;
    let path = "/api/models/alice/tool/settings";
    let body = json!({"private": true});
    let response = pair
        .a
        .send_json(Method::PUT, path, &pair.a.alice, body)
        .await;
    assert_eq!(response.status(), 200);
    for token in [None, Some(pair.b.bob.as_str())] {
        let response = pair
            .b
            .request(Method::GET, LONG, token)
            .send()
            .await
            .unwrap();
        assert!(
            matches!(response.status().as_u16(), 401 | 404),
            "{}",
            response.status()
        );
        assert!(response.headers().get("location").is_none());
    }
    sent_to(&pair, &pair.b.get(LONG).await);
}

async fn through_the_registry_where_asked() {
    let pair = pair(Downloads::Proxy).await;
    let whole = ask(&pair.b, Method::GET, LONG, &[]).await;
    assert_eq!(whole.status(), 200);
    assert!(whole.bytes().await.unwrap() == long());
    let part = ask(&pair.b, Method::GET, LONG, &[("range", "bytes=-2000000")]).await;
    assert_eq!(part.status(), 206);
    assert!(part.bytes().await.unwrap() == long()[LONG_BYTES - 2_000_000..]);
}

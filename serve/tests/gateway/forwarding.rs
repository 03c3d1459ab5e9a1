//! Tests of requests passed on to the endpoint: keys, headers, paths, refusals, the audit log.

use std::io;
use std::sync::{Arc, Mutex};

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use tool_hub_serve::{Audit, AuditedCall, AuditedRequest};

use crate::PATIENCE;
use crate::support::{Reply, Served, question};

/// What a client shows to this server only.
const OWN: [&str; 10] = [
    "anthropic-api-key",
    "api-key",
    "cookie",
    "forwarded",
    "openai-organization",
    "openai-project",
    "x-api-key",
    "x-forwarded-for",
    "x-goog-api-key",
    "x-hop",
];
const JSON: &[(&str, &str)] = &[("content-type", "application/json")];

#[tokio::test(flavor = "multi_thread")]
async fn what_clients_need_of_the_api_goes_through() {
    let models = r#"{"object":"list","data":[]}"#;
    let served = Served::start([
        Reply::Other(
            200,
            &[
                ("content-type", "application/json"),
                ("x-request-id", "1"),
                ("set-cookie", "a=b"),
            ],
            models.into(),
        ),
        Reply::Other(418, JSON, "{}".into()),
        Reply::Other(200, JSON, "{}".into()),
        Reply::Other(304, &[("etag", "a")], String::new()),
    ])
    .await;
    let get = |path: &str| {
        let request = served.client.get(format!("{}{path}", served.url));
        request.bearer_auth(served.token.expose())
    };
    let response = get("/v1/models?limit=3").send().await.unwrap();
    assert_eq!(response.headers()["x-request-id"], "1");
    assert!(!response.headers().contains_key("set-cookie"));
    assert_eq!(response.text().await.unwrap(), models);
    let request = served.post("/v1/embeddings", &json!({"input": "a"}));
    let response = request
        .header("openai-beta", "assistants=v2")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::IM_A_TEAPOT);
    let model = get("/v1/models/org/a-1").send().await.unwrap();
    assert!(model.status().is_success());
    let unchanged = get("/v1/models").send().await.unwrap();
    assert_eq!(unchanged.status(), StatusCode::NOT_MODIFIED);
    let asked = served.asked();
    let paths: Vec<&str> = asked.iter().map(|asked| &*asked.path).collect();
    assert_eq!(
        paths,
        [
            "/v1/models?limit=3",
            "/v1/embeddings",
            "/v1/models/org/a-1",
            "/v1/models"
        ]
    );
    assert_eq!(asked[1].body, json!({"input": "a"}));
    assert_eq!(asked[1].headers["openai-beta"], "assistants=v2");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_endpoint_sees_its_own_key_and_never_a_client_s_token() {
    for key in [None, Some("sk-canary")] {
        let reply = || {
            Reply::Whole(
                json!({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}),
            )
        };
        let served = Served::start_with(1, [reply(), reply()], |gateway| match key {
            Some(key) => gateway.with_key(key.parse().unwrap()),
            None => gateway,
        })
        .await;
        for path in ["/v1/chat/completions?api-version=1", "/v1/embeddings"] {
            let mut request = served.post(path, &question(&json!({})));
            for name in OWN {
                request = request.header(name, "a");
            }
            request = request.header("connection", "x-hop");
            request.send().await.unwrap();
        }
        let asked = served.asked();
        assert_eq!(asked[0].path, "/v1/chat/completions?api-version=1");
        for asked in asked {
            let shown = asked.headers.get("authorization");
            let expect = key.map(|key| format!("Bearer {key}"));
            assert_eq!(
                shown.map(|shown| shown.to_str().unwrap()),
                expect.as_deref()
            );
            for name in OWN {
                assert!(!asked.headers.contains_key(name), "{name}");
            }
            let all = format!("{:?}", asked.headers);
            assert!(!all.contains(served.token.expose()), "{all}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_of_the_endpoint_are_handed_on() {
    let too_many =
        r#"{"error":{"message":"slow down","type":"rate_limit","param":null,"code":"x"}}"#;
    let served = Served::start([]).await;
    for (reply, status, says) in [
        (Reply::Other(429, JSON, too_many.into()), 429, "slow down"),
        (
            Reply::Other(
                307,
                &[("location", "http://127.0.0.1:1/v1/chat/completions")],
                String::new(),
            ),
            502,
            "it redirects",
        ),
        (Reply::Other(200, JSON, "no".into()), 502, "not valid JSON"),
        (Reply::Whole(json!({"choices": []})), 502, "no message"),
    ] {
        served.then([reply]);
        let refused = served
            .post("/v1/chat/completions", &question(&json!({})))
            .send()
            .await
            .unwrap();
        assert_eq!(refused.status().as_u16(), status);
        assert!(!refused.headers().contains_key("location"));
        let error = refused.json::<Value>().await.unwrap()["error"].take();
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_is_refused() {
    let served = Served::start([]).await;
    let long = format!("\"{}\"", "x".repeat(21 << 20));
    for (body, status) in [("{", 400), ("[]", 400), (&*long, 413)] {
        let alone = reqwest::Client::new().post(format!("{}/v1/chat/completions", served.url));
        let request = alone
            .bearer_auth(served.token.expose())
            .body(body.to_owned());
        let refused = request.send().await.unwrap();
        assert_eq!(refused.status().as_u16(), status);
        let kind = match status {
            413 => "application/problem+json",
            _ => "application/json",
        };
        assert_eq!(refused.headers()["content-type"], kind);
    }
    let anonymous = served.client.get(format!("{}/v1/models", served.url));
    assert_eq!(
        anonymous.send().await.unwrap().status(),
        StatusCode::UNAUTHORIZED
    );
    assert!(served.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_leads_out_of_the_endpoint() {
    let served = Served::start([]).await;
    let address = served.url.trim_start_matches("http://");
    for path in [
        "/v1/../admin",
        "/v1/%2e%2e/admin",
        "/v1/a/../../admin",
        "/v1/a%2f..%2f../admin",
        "/v1/%252e%252e/admin",
    ] {
        // Clients would take the dots out before they ask.
        let mut raw = TcpStream::connect(address).await.unwrap();
        let token = served.token.expose();
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
        );
        raw.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        raw.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
    }
    assert!(served.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_length_is_told_of_a_body_that_is_not_sent() {
    let served = Served::start([]).await;
    for method in [reqwest::Method::GET, reqwest::Method::HEAD] {
        // What stays of the first request would be taken for the beginning of the second.
        for _ in 0..2 {
            served.then([Reply::Other(200, JSON, "{}".into())]);
            let request = served
                .client
                .request(method.clone(), format!("{}/v1/models", served.url))
                .bearer_auth(served.token.expose())
                .timeout(PATIENCE)
                .body("GET /v1/files HTTP/1.1\r\n\r\n");
            assert_eq!(request.send().await.unwrap().status(), StatusCode::OK);
        }
        for asked in served.asked() {
            assert_eq!(asked.path, "/v1/models");
            assert!(!asked.headers.contains_key("content-length"), "{method}");
        }
    }
}

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Audit for Notes {
    fn ready(&self) -> io::Result<()> {
        Ok(())
    }

    fn note(&self, call: &AuditedCall<'_>) {
        panic!("nothing is called: {call:?}");
    }

    fn note_request(&self, request: &AuditedRequest<'_>) {
        let AuditedRequest {
            caller,
            method,
            path,
            outcome,
            ..
        } = request;
        let status = request.status.unwrap_or_default();
        let note = format!("{caller} {method} {path} {outcome} {status}");
        self.0.lock().unwrap().push(note);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rest_of_the_endpoint_s_api_is_refused_and_noted() {
    let notes = Arc::new(Notes::default());
    let replies = [Reply::Other(200, JSON, "{}".into())];
    let served = Served::start_audited(notes.clone(), replies).await;
    let mut expect = Vec::new();
    for (method, path) in [
        ("DELETE", "/v1/files/file-abc"),
        ("POST", "/v1/fine_tuning/jobs"),
        ("GET", "/v1/organization/admin_api_keys"),
        ("POST", "/v1/organization/admin_api_keys"),
        ("PUT", "/v1/chat/completions"),
        ("PATCH", "/v1/models/a"),
        // A mistyped path of this server's own: its arguments must not reach the endpoint.
        ("POST", "/v1/tools/probe/call"),
    ] {
        let url = format!("{}{path}?key=sk-canary", served.url);
        let request = served.client.request(method.parse().unwrap(), url);
        let request = request.bearer_auth(served.token.expose()).body("{}");
        let refused = request.send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::NOT_FOUND, "{method} {path}");
        let error = refused.json::<Value>().await.unwrap()["error"].take();
        assert_eq!(error["type"], "invalid_request_error");
        assert_eq!(error["code"], "route_refused");
        let told = format!("`{method} {path}` is not available through this server");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(&told), "{message}");
        expect.push(format!("test {method} {path} refused 404"));
    }
    let models = served.client.get(format!("{}/v1/models", served.url));
    let models = models.bearer_auth(served.token.expose());
    assert!(models.send().await.unwrap().status().is_success());
    expect.push("test GET /v1/models answered 200".to_owned());
    assert_eq!(*notes.0.lock().unwrap(), expect);
    let asked = served.asked();
    assert_eq!(asked.len(), 1, "{:?}", asked[0].path);
}

//! Tests of plain HTTP: lists, calls, problems, events, clients that leave, the OpenAPI document.

use std::time::{Duration, Instant};

use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use tool_hub_serve::{Catalogue, Offer, Toolset};

use crate::http_server::Served;
use crate::support::offers;
use crate::{PATIENCE, check, text};

impl Served {
    fn get(&self, path: &str) -> RequestBuilder {
        let request = self.client.get(self.rest(path));
        request.bearer_auth(self.token.expose()).timeout(PATIENCE)
    }

    fn post(&self, function: &str, arguments: &Value) -> RequestBuilder {
        let url = self.rest(&format!("/tools/guest__{function}"));
        let request = self.client.post(url).json(arguments);
        request.bearer_auth(self.token.expose()).timeout(PATIENCE)
    }

    async fn outcome(&self, function: &str, arguments: &Value) -> Value {
        let response = self.post(function, arguments).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        response.json().await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_listed_and_described() {
    let served = Served::start(1).await;
    let list = served.get("/tools").send().await.unwrap();
    assert_eq!(list.status(), StatusCode::OK);
    let tag = list.headers()["etag"].clone();
    let list: Value = list.json().await.unwrap();
    let tools = list["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 8);
    let add = &tools[0];
    assert_eq!(add["name"], "guest__add");
    assert_eq!(add["input_schema"]["required"], json!(["a", "b"]));
    let result = &add["output_schema"]["properties"]["result"];
    assert_eq!(result["type"], "integer");
    let one: Value = served
        .get("/tools/guest__bounds")
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    check(
        &one,
        &json!({
            "name": "guest__bounds",
            "title": "Bounds",
            "description": "Gives both bounds back.",
            "annotations": {"read_only": true, "idempotent": true},
        }),
    );
    assert_eq!(one, tools[6]);
    for path in ["/tools", "/openapi.json", "/tools/guest__bounds"] {
        let whole = served.get(path).send().await.unwrap();
        let own = whole.headers()["etag"].clone();
        assert_eq!(own == tag, path == "/tools");
        let again = served
            .get(path)
            .header("if-none-match", &own)
            .send()
            .await
            .unwrap();
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{path}");
        assert!(again.bytes().await.unwrap().is_empty());
    }
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_made_anew_when_the_tools_change() {
    let offers = offers(1).await;
    let catalogue = |offers: &[Offer]| Catalogue::new(offers.iter().cloned()).unwrap();
    let toolset = Toolset::new(catalogue(&offers));
    let served = Served::start_with(&[("ann", toolset.clone())]).await;
    let before = served.get("/tools").send().await.unwrap();
    toolset.replace(catalogue(&offers[..2]));
    let tag = &before.headers()["etag"];
    let after = served
        .get("/tools")
        .header("if-none-match", tag)
        .send()
        .await
        .unwrap();
    let after: Value = after.json().await.unwrap();
    assert_eq!(after["tools"].as_array().unwrap().len(), 2);
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_answered_with_content_values_and_failures() {
    let served = Served::start(2).await;
    for (function, arguments, expect) in [
        (
            "add",
            json!({"a": 20, "b": 22}),
            json!({"content": text("42"), "structured": {"result": 42}, "is_error": false}),
        ),
        (
            "bounds",
            json!({"low": -1, "high": 7}),
            json!({
                "content": text(r#"{"low":-1,"high":7}"#),
                "structured": {"low": -1, "high": 7},
                "is_error": false,
            }),
        ),
        (
            "picture",
            json!({}),
            json!({"content": [{"type": "image", "data": "iVBORw==", "mimeType": "image/png"}], "is_error": false}),
        ),
        (
            "refuse",
            json!({"text": "not today"}),
            json!({
                "is_error": true,
                "failure": {"kind": "failed", "message": "not today", "retryable": false},
            }),
        ),
        // Nobody can be asked, and the tool says so.
        (
            "confirm",
            json!({}),
            json!({
                "is_error": true,
                "failure": {"kind": "failed", "message": "nobody said yes", "retryable": false},
            }),
        ),
    ] {
        let outcome = served.outcome(function, &arguments).await;
        check(&outcome, &expect);
        assert_eq!(
            outcome.get("structured").is_some(),
            expect.get("structured").is_some()
        );
    }
    let no_body = served.client.post(served.rest("/tools/guest__work"));
    let no_body = no_body
        .bearer_auth(served.token.expose())
        .send()
        .await
        .unwrap();
    assert_eq!(no_body.status(), StatusCode::OK);
    served.shut_down().await;
}

/// The problem that a request is refused with.
async fn problem(response: Response, status: StatusCode) -> Value {
    assert_eq!(response.status(), status);
    let media_type = &response.headers()["content-type"];
    assert_eq!(media_type, "application/problem+json");
    let problem: Value = response.json().await.unwrap();
    assert_eq!(problem["status"], status.as_u16());
    assert_eq!(problem["title"], status.canonical_reason().unwrap());
    problem
}

#[tokio::test(flavor = "multi_thread")]
async fn what_never_reaches_a_tool_is_a_problem() {
    let served = Served::start(1).await;
    let raw = |body: &'static str, media_type: &'static str| {
        let url = served.rest("/tools/guest__add");
        let request = served.client.post(url).bearer_auth(served.token.expose());
        request.header("content-type", media_type).body(body)
    };
    let url = |path: &str| served.get("").build().unwrap().url().as_str().to_owned() + path;
    let long = json!({"text": "x".repeat(17 << 20)});
    let cases = [
        (
            served.post("ad", &json!({})),
            StatusCode::NOT_FOUND,
            "did you mean `guest__add`?",
        ),
        (
            served.get("/tools/guest__ad"),
            StatusCode::NOT_FOUND,
            "did you mean `guest__add`?",
        ),
        (
            served.get("/nothing"),
            StatusCode::NOT_FOUND,
            "/v1/openapi.json",
        ),
        (
            raw("{", "application/json"),
            StatusCode::BAD_REQUEST,
            "not valid JSON",
        ),
        (
            raw("{\"a\":\"\u{0}\"}", "application/json"),
            StatusCode::BAD_REQUEST,
            "not valid JSON",
        ),
        (
            raw("a=1&b=2", "application/x-www-form-urlencoded"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "application/json",
        ),
        (
            raw("[1]", "application/json"),
            StatusCode::UNPROCESSABLE_ENTITY,
            "object",
        ),
        (
            served.post("add", &json!({"a": 1})),
            StatusCode::UNPROCESSABLE_ENTITY,
            "`b`",
        ),
        (
            served.post("add", &json!({"a": 1, "b": {}})),
            StatusCode::UNPROCESSABLE_ENTITY,
            "`b`",
        ),
        (
            served.post("echo", &long),
            StatusCode::PAYLOAD_TOO_LARGE,
            "input_bytes",
        ),
    ];
    for (request, status, word) in cases {
        let said = problem(request.send().await.unwrap(), status).await;
        let detail = said["detail"].as_str().unwrap();
        assert!(detail.contains(word), "{detail}");
        if status == StatusCode::UNPROCESSABLE_ENTITY {
            assert_eq!(said["failure"]["kind"], "invalid-argument");
        }
        let asked_for_one = word.starts_with("did you mean");
        assert_eq!(said["nearest"] == "guest__add", asked_for_one);
    }
    let alone = Client::new().post(url("/tools/guest__echo"));
    let alone = alone
        .bearer_auth(served.token.expose())
        .body("x".repeat(21 << 20));
    let refused = alone.send().await.unwrap();
    problem(refused, StatusCode::PAYLOAD_TOO_LARGE).await;
    let put = served
        .client
        .put(url("/tools"))
        .bearer_auth(served.token.expose());
    let refused = put.send().await.unwrap();
    assert_eq!(refused.headers()["allow"], "GET,HEAD");
    problem(refused, StatusCode::METHOD_NOT_ALLOWED).await;
    served.shut_down().await;
}

/// The events of a stream: name and data.
fn events(stream: &str) -> Vec<(String, Value)> {
    let events = stream.split("\n\n").filter(|event| !event.is_empty());
    events
        .map(|event| {
            let mut lines = event.lines();
            let name = lines.next().unwrap().strip_prefix("event: ").unwrap();
            let data = lines.next().unwrap().strip_prefix("data: ").unwrap();
            (name.to_owned(), serde_json::from_str(data).unwrap())
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_comes_before_the_outcome() {
    let served = Served::start(1).await;
    let stream = |function: &str, arguments: &Value| {
        let request = served.post(function, arguments);
        let request = request.header("accept", "application/json;q=0.5, text/event-stream");
        async {
            let response = request.send().await.unwrap();
            assert_eq!(response.headers()["content-type"], "text/event-stream");
            events(&response.text().await.unwrap())
        }
    };
    let halfway = json!({"done": 1.0, "total": 2.0, "message": "halfway"});
    let done = json!({"content": text("2"), "structured": {"result": 2}, "is_error": false, "_meta": null});
    let mut told = stream("work", &json!({})).await;
    let mark = told[1].1["_meta"].take();
    assert_eq!(mark["tool-hub/untrusted"], true);
    assert_eq!(mark["tool-hub/tool"]["name"], "guest");
    assert_eq!(
        told,
        [
            ("progress".to_owned(), halfway),
            ("outcome".to_owned(), done)
        ]
    );
    let refused = stream("add", &json!({})).await;
    let [(name, problem)] = &refused[..] else {
        panic!("{refused:?}");
    };
    assert_eq!((&**name, &problem["status"]), ("problem", &json!(422)));
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_when_its_client_leaves() {
    // One call at once: were the endless one not stopped, no other would be answered.
    let served = Served::start(1).await;
    for accept in ["application/json", "text/event-stream"] {
        let mut times = Vec::new();
        for _ in 0..3 {
            let endless = served.post("spin", &json!({})).header("accept", accept);
            let endless = async { endless.send().await.unwrap().bytes().await };
            let left = tokio::time::timeout(Duration::from_millis(300), endless).await;
            assert!(left.is_err(), "it is endless");
            let begun = Instant::now();
            let outcome = served.outcome("add", &json!({"a": 20, "b": 22})).await;
            check(&outcome, &json!({"content": text("42")}));
            times.push(begun.elapsed());
        }
        // Now and then the machine has something else to do.
        let least = times.iter().min().unwrap();
        assert!(*least < Duration::from_millis(200), "{accept}: {times:?}");
    }
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_ends_calls_and_says_so() {
    let served = Served::start(1).await;
    let endless = served.post("spin", &json!({})).send();
    let endless = tokio::spawn(endless);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let begun = Instant::now();
    served.shut_down().await;
    assert!(begun.elapsed() < Duration::from_secs(3));
    // The tool may have done what it was called for, so this is no status to try again after.
    let response = endless.await.unwrap().unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let outcome: Value = response.json().await.unwrap();
    assert_eq!(outcome["is_error"], true);
    assert_eq!(outcome["failure"]["retryable"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_function_is_an_operation_of_the_document() {
    let served = Served::start(1).await;
    let document: Value = served
        .get("/openapi.json")
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let add = &document["paths"]["/v1/tools/guest__add"]["post"];
    assert_eq!(add["operationId"], "guest__add");
    assert_eq!(add["requestBody"]["required"], true);
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["guest__add.input"]["required"], json!(["a", "b"]));
    let result = &schemas["guest__add.output"]["properties"]["result"];
    assert_eq!(result["type"], "integer");
    let operations = document["paths"].as_object().unwrap().values();
    let operations = operations.filter(|path| path["post"]["operationId"].is_string());
    assert_eq!(operations.count(), 8);
    served.shut_down().await;
}

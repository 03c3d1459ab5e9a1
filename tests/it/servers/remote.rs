//! Tests of remote MCP servers: reached at their origin alone, with a credential that is theirs.

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::digest_after;
use crate::support::ran::says;
use crate::support::website::serve;
use crate::support::{Home, Ran, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "servers::remote::called_with_a_credential",
            called_with_a_credential,
        ),
        test(
            "servers::remote::redirects_are_not_followed",
            redirects_are_not_followed,
        ),
        test("servers::remote::only_over_tls", only_over_tls),
    ]
}

/// Answers as a server that has one tool, which repeats the key that it was sent.
pub(crate) fn service() -> (String, Runtime) {
    serve(Router::new().fallback(|request: Request| async move { answer(request).await }))
}

async fn answer(request: Request) -> Response {
    if request.method() != axum::http::Method::POST {
        return axum::http::StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    if request.uri().path() == "/moved" {
        return Redirect::temporary("/mcp").into_response();
    }
    let key = request.headers().get("authorization");
    let key = key
        .map_or("none", |key| key.to_str().expect("text"))
        .to_owned();
    let body = axum::body::to_bytes(request.into_body(), 1 << 20)
        .await
        .expect("a body");
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let result = match asked["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": asked["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "remote", "version": "2.0.0" },
        }),
        Some("tools/list") => json!({ "tools": [{
            "name": "whoami", "description": "Tells the key.",
            "inputSchema": { "type": "object", "properties": {} },
        }]}),
        Some("tools/call") => {
            json!({ "content": [{ "type": "text", "text": format!("key: {key}") }] })
        }
        _ => return axum::http::StatusCode::ACCEPTED.into_response(),
    };
    axum::Json(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result })).into_response()
}

fn load(home: &Home, url: &str, flags: &[&str]) -> Ran {
    let server = format!("mcp+{url}");
    let asked = home.run([&["inspect"], flags, &[&server]].concat());
    says(
        &asked,
        3,
        "its code cannot be inspected, and it may change at any time",
    );
    let start = digest_after("--start ", &asked);
    let agreed = ["--start", &start];
    let shown = home.run([&["inspect", "--json"], flags, &agreed, &[&server]].concat());
    let shown = shown.json();
    let approve = shown["digest"].as_str().expect("a digest");
    let approved = ["--approve", approve, "--as", "remote", &server];
    home.run([&["load"], flags, &agreed, &approved].concat())
}

fn called_with_a_credential() {
    let (address, _runtime) = service();
    let home = Home::new().with("SERVICE_KEY", "hunter2-hunter2");
    load(
        &home,
        &format!("{address}/mcp"),
        &["--allow-credential", "SERVICE_KEY"],
    )
    .ok();
    // The service has it, and what it says of it is masked.
    assert_eq!(home.tool("call remote").ok(), "key: Bearer ***\n");
    home.tool("revoke remote --credential SERVICE_KEY").ok();
    assert_eq!(home.tool("call remote").ok(), "key: none\n");
}

fn redirects_are_not_followed() {
    let (address, _runtime) = service();
    let home = Home::new();
    let server = format!("mcp+{address}/moved");
    let start = digest_after("--start ", &home.run(["inspect", &server]));
    let inspected = home.run(["inspect", "--start", &start, &server]);
    says(&inspected, 1, "the server did not answer `initialize`");
    says(&inspected, 1, "307");
}

fn only_over_tls() {
    let home = Home::new();
    for (server, expect) in [
        ("mcp+http://mcp.example/x", "http is for this machine only"),
        ("mcp+https://me:secret@mcp.example/", "use a credential"),
        ("mcp+ftp://mcp.example/", "neither https nor http"),
    ] {
        says(&home.run(["load", server]), 1, expect);
    }
}

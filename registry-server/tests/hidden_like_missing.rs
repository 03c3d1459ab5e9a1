//! A test that hidden and missing repositories cost the same number of database queries.
//!
//! So the time that an answer takes does not tell one from the other. The queries are counted in
//! what sqlx logs, for the whole process, so this test has a process of its own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Mutex;

use serde_json::json;
use tokio::net::TcpListener;
use tool_hub_registry_server::{Registry, RegistryConfig, TokenRole, TokenScope, serve};
use tracing::field::{Field, Visit};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

static QUERIES: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct QueryLog;

impl<S: tracing::Subscriber> Layer<S> for QueryLog {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "sqlx::query" {
            event.record(&mut Summary);
        }
    }
}

struct Summary;

impl Visit for Summary {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "summary" && value.starts_with("SELECT") {
            QUERIES.lock().unwrap().push(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

#[tokio::test]
async fn both_refusals_cost_the_same_queries() {
    tracing_subscriber::registry().with(QueryLog).init();
    let directory = tempfile::tempdir().unwrap();
    let registry = Registry::open(RegistryConfig::new(directory.path()))
        .await
        .unwrap();
    let mut tokens = Vec::new();
    for user in ["alice", "bob"] {
        registry.add_user(user, None).await.unwrap();
        let made = registry
            .create_token(user, "x", TokenRole::Write, None)
            .await
            .unwrap();
        tokens.push(made.secret.expose().to_owned());
    }
    let elsewhere = TokenScope::Only(vec!["alice/other".parse().unwrap()]);
    let limited = registry.create_limited_token("alice", "x", TokenRole::Read, elsewhere, None);
    let limited = limited.await.unwrap();

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(serve(listener, registry, std::future::pending()));
    let client = reqwest::Client::new();
    let post = async |path: &str, body| {
        let request = client
            .post(format!("{endpoint}{path}"))
            .bearer_auth(&tokens[0])
            .json(&body);
        assert_eq!(request.send().await.unwrap().status(), 200);
    };
    for name in ["hidden", "old"] {
        post("/api/repos/create", json!({"name": name, "private": true})).await;
    }
    post(
        "/api/repos/move",
        json!({"fromRepo": "alice/old", "toRepo": "alice/new", "type": "model"}),
    )
    .await;

    let visitors = [
        None,
        Some(tokens[1].as_str()),
        Some(limited.secret.expose()),
    ];
    for token in visitors {
        let mut counts = Vec::new();
        for name in ["absent", "hidden", "old"] {
            for path in [
                format!("/api/models/alice/{name}"),
                format!("/alice/{name}/resolve/main/a"),
            ] {
                QUERIES.lock().unwrap().clear();
                let request = client.get(format!("{endpoint}{path}"));
                let request = match token {
                    Some(token) => request.bearer_auth(token),
                    None => request,
                };
                let status = request.send().await.unwrap().status().as_u16();
                assert_eq!(status, if token.is_none() { 401 } else { 404 }, "{path}");
                counts.push(settled().await);
            }
        }
        let lengths: Vec<usize> = counts.iter().map(Vec::len).collect();
        // The token, the account's role, the id and the former id; without a token the latter two.
        let expect = if token.is_none() { 2 } else { 4 };
        assert_eq!(lengths, [expect; 6], "{counts:#?}");
    }
}

/// The log, once nothing more comes: a query is logged when its connection goes back to the
/// pool.
async fn settled() -> Vec<String> {
    let mut before = usize::MAX;
    loop {
        tokio::time::sleep(std::time::Duration::from_millis(40)).await;
        let mut queries = QUERIES.lock().unwrap().clone();
        // No request asks for the witnesses of the log: the server does, each second.
        queries.retain(|query| !query.starts_with("SELECT name, key, url,"));
        if queries.len() == before {
            return queries;
        }
        before = queries.len();
    }
}

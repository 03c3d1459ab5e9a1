//! Checks the OpenAPI document against the list of routes and, with schemathesis, the server.

use std::collections::BTreeSet;
use std::process::Command;

use reqwest::Method;
use serde_json::{Value, json};
use tool_hub_registry_server::{Route, routes};

use crate::packages;
use crate::support::TestRegistry;

const DOCUMENT: &str = "/.well-known/openapi.json";

#[tokio::test]
async fn the_document_describes_every_route_and_nothing_else() {
    let hub = TestRegistry::start().await;
    let document = hub.get_json(DOCUMENT).await;
    let routes = routes();
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = format!("{} {path}", method.to_uppercase());
            assert!(operation["summary"].is_string(), "{name}");
            assert!(operation["security"].is_array(), "{name}");
            let named = operation["parameters"].as_array().unwrap().iter();
            let named = named.filter(|parameter| parameter["in"] == "path").count();
            assert_eq!(named, path.matches('{').count(), "{name}");
            let is_described = |route: &&Route| {
                let is_address = match route.path.split_once("{*") {
                    Some((start, _)) => path.starts_with(start),
                    None => *path == route.path,
                };
                is_address && route.method.word() == method.to_uppercase()
            };
            let mut own = routes.iter().filter(is_described);
            let route = own.next().unwrap_or_else(|| panic!("{name} is no route"));
            assert_eq!(own.next(), None, "{name}");
            described.insert((route.method.word(), route.path.as_str()));
        }
    }
    for route in &routes {
        let name = (route.method.word(), route.path.as_str());
        assert!(described.contains(&name), "{name:?} is not described");
    }
}

/// The registry takes what clients of the Hub send: a page's length that is no number is the
/// standard length. And which names, paths and cursors are valid is more than a schema says.
const CHECKS_LEFT_OUT: &str = "negative_data_rejection,positive_data_acceptance";

/// Values for parameters of paths, under which there is something.
const CONFIG: &str = r#"
[parameters]
"path.kinds" = "models"
"path.owner" = "alice"
"path.name" = "tool"
"path.revision" = "main"
"path.path" = "a.txt"
"path.number" = 1
"#;

/// The schema of the lines of a commit.
const HOOKS: &str = r#"
import schemathesis

@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return value.encode() if isinstance(value, str) else b""
"#;

#[tokio::test(flavor = "multi_thread")]
async fn schemathesis_finds_nothing_that_breaks_the_promise() {
    if let Some(reason) = packages::python_missing() {
        eprintln!("SKIPPED: {reason}");
        return;
    }
    let hub = TestRegistry::start_with(|limits| {
        limits.token_rate = None;
    })
    .await;
    make_repository(&hub).await;
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("schemathesis.toml"), CONFIG).unwrap();
    std::fs::write(directory.path().join("hooks.py"), HOOKS).unwrap();
    let packages = packages::python(&["schemathesis==4.32.5"]);
    let modules = std::env::join_paths([packages.as_path(), directory.path()]).unwrap();
    let mut python = Command::new("python3");
    python
        .args([
            "-c",
            "from schemathesis.cli import schemathesis; schemathesis()",
        ])
        .args(["run", &format!("{}{DOCUMENT}", hub.endpoint)])
        .args(["--header", &format!("Authorization: Bearer {}", hub.alice)])
        .args(["--checks", "all", "--exclude-checks", CHECKS_LEFT_OUT])
        .args(["--phases", "examples,coverage,fuzzing"])
        .args(["--max-examples", "10"])
        .args(["--request-timeout", "20", "--seed", "1", "--no-color"])
        .args(["--generation-database", "none", "--warnings", "off"])
        .current_dir(directory.path())
        .env("HOME", directory.path())
        .env("SCHEMATHESIS_HOOKS", "hooks")
        .env("PYTHONPATH", modules);
    let output = tokio::task::spawn_blocking(move || python.output());
    let output = output.await.unwrap().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("No issues found"), "{report}");
}

async fn make_repository(hub: &TestRegistry) {
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "a file", &[("a.txt", b"a")]).await;
    let path = "/api/models/alice/tool/discussions";
    let body = json!({"title": "a question"});
    let opened = hub.send_json(Method::POST, path, &hub.alice, body).await;
    assert_eq!(opened.json::<Value>().await.unwrap()["num"], 1);
}

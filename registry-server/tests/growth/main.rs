//! Tests that a list ten times as long in a request takes about ten times the processor time.
//!
//! Every route that takes a list is sent a short and a long one: the work must not grow with the
//! square of the length. This is a program of its own, because it measures the time of the whole
//! process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, reason = "a test says what it measured")]
#![allow(
    clippy::disallowed_methods,
    reason = "files of a test need not survive a crash"
)]

#[allow(dead_code, reason = "the tests of several servers use the rest")]
#[path = "../backends/backends.rs"]
mod backends;
#[allow(dead_code, reason = "the benchmarks use the rest")]
#[path = "../../benches/support/process.rs"]
mod process;
#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "../it/support.rs"]
mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::json;
use tool_hub_registry_server::{RouteMethod, routes};

use support::{TestRegistry, deletion, file, header, hex};

/// Length of a long list: nearly as many as there may be in a commit.
const LONG: usize = 24_990;
/// The factor by which it is longer than the short one.
const TIMES: usize = 10;
/// Ten times the work, and half as much again for what the clock and the caches add. The square
/// would be a hundred times.
const GROWTH_MAX: f64 = 15.0;
/// Times below this are too short to compare.
const NOTHING: Duration = Duration::from_millis(50);
/// Length of a list that adds next to nothing to what every request costs.
const FLOOR: usize = 10;

/// A request with a list: the end of its route, the path, its longest list, and the body for a
/// length.
struct Listed {
    route: &'static str,
    path: &'static str,
    status: u16,
    long: usize,
    body: fn(usize) -> String,
}

const LISTED: &[Listed] = &[
    Listed {
        route: "/api/repos/create",
        path: "/api/repos/create",
        status: 200,
        long: LONG,
        body: |count| {
            let files = (0..count).map(|at| json!({"path": format!("d{at}"), "content": ""}));
            let files: Vec<_> = files.collect();
            json!({"name": format!("alice/new-{count}"), "files": files}).to_string()
        },
    },
    Listed {
        route: "/commit/{*rest}",
        path: "/api/models/alice/tool/commit/files",
        status: 200,
        long: LONG,
        body: |count| {
            let lines = (0..count).map(|at| file(&format!("d{at}/f"), format!("{at}").as_bytes()));
            header("files") + &lines.collect::<String>()
        },
    },
    Listed {
        route: "/commit/{*rest}",
        path: "/api/models/alice/tool/commit/main",
        status: 404,
        long: LONG,
        body: |count| {
            let lines = (0..count).map(|at| deletion("deletedFile", &format!("none{at}")));
            header("deletions") + &file("a", b"a") + &lines.rev().collect::<String>()
        },
    },
    Listed {
        route: "/commit/{*rest}",
        path: "/api/models/alice/tool/commit/main",
        status: 422,
        long: LONG,
        body: |count| {
            let lines = (0..count).map(|at| {
                let value =
                    json!({"path": format!("l{at}"), "oid": hex(format!("lfs {at}").as_bytes())});
                format!("{}\n", json!({"key": "lfsFile", "value": value}))
            });
            header("lfs") + &lines.collect::<String>()
        },
    },
    Listed {
        route: "/preupload/{*rest}",
        path: "/api/models/alice/tool/preupload/main",
        status: 200,
        long: LONG,
        body: |count| {
            let sample = STANDARD.encode([b'x'; 100]);
            let files = (0..count)
                .map(|at| json!({"path": format!("d{at}/f"), "size": 9, "sample": sample}));
            let files: Vec<_> = files.collect();
            json!({"files": files, "gitIgnore": "*.log\n/x\n"}).to_string()
        },
    },
    Listed {
        route: "/paths-info/{*rest}",
        path: "/api/models/alice/tool/paths-info/files",
        status: 200,
        long: 10_000,
        body: |count| {
            let paths: Vec<String> = (0..count).map(|at| format!("d{at}/f")).collect();
            json!({"paths": paths}).to_string()
        },
    },
    Listed {
        route: "/info/lfs/objects/batch",
        path: "/alice/tool.git/info/lfs/objects/batch",
        status: 200,
        long: 10_000,
        body: |count| {
            // A batch has at most a thousand objects.
            let objects = (0..count / 10)
                .map(|at| json!({"oid": hex(format!("{count} {at}").as_bytes()), "size": 1}));
            let objects: Vec<_> = objects.collect();
            json!({"operation": "upload", "objects": objects}).to_string()
        },
    },
    Listed {
        route: "/api/validate-yaml",
        path: "/api/validate-yaml",
        status: 200,
        long: 10_000,
        body: |count| {
            let tags: String = (0..count / 2).map(|at| format!("- t{at}\n")).collect();
            json!({"content": format!("---\ntags:\n{tags}---\n")}).to_string()
        },
    },
];

/// Routes whose body contains no list.
const WITHOUT_LIST: &[&str] = &[
    "/api/lfs/object",
    "/api/lfs/part",
    // Its list of parts has a fixed maximum length.
    "/api/lfs/complete",
    "/api/repos/delete",
    "/api/repos/move",
    "/settings",
    "/api/trusted-publishing/token",
    "/publishers",
    "/publishers/{*rest}",
    "/discussions",
    "/branch/{*rest}",
    "/tag/{*rest}",
    "/super-squash/{*rest}",
    "/info/lfs/objects/verify",
];

#[test]
fn every_route_that_takes_a_list_is_listed() {
    let known: BTreeSet<&str> = LISTED.iter().map(|listed| listed.route).collect();
    for route in routes() {
        let is_here = |end: &&str| route.path.ends_with(*end);
        assert!(
            route.method == RouteMethod::Get
                || known.iter().any(is_here)
                || WITHOUT_LIST.iter().any(is_here),
            "{} takes a body: add it to LISTED, or to WITHOUT_LIST",
            route.path
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_times_the_list_is_about_ten_times_the_work() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let path = "/api/models/alice/tool/branch/files";
    let made = hub.send_json(Method::POST, path, &hub.alice, json!({}));
    assert_eq!(made.await.status(), 200);
    for listed in LISTED {
        // A warm-up, so that connections and prepared statements are not measured.
        time(&hub, listed, FLOOR - 1).await;
        let floor = time(&hub, listed, FLOOR).await;
        let short = time(&hub, listed, listed.long / TIMES).await;
        let long = time(&hub, listed, listed.long).await;
        let beside = |time: Duration| time.saturating_sub(floor).max(NOTHING).as_secs_f64();
        let growth = beside(long) / beside(short);
        let Listed { path, status, .. } = listed;
        let figures = format!(
            "{path} ({status}): {floor:?}, {short:?} and {long:?} for {FLOOR}, {} and {}: {growth:.1} times as much",
            listed.long / TIMES,
            listed.long
        );
        println!("{figures}");
        assert!(growth < GROWTH_MAX, "{figures}");
    }
}

async fn time(hub: &TestRegistry, listed: &Listed, count: usize) -> Duration {
    let body = (listed.body)(count);
    let before = process::processor_time(std::process::id());
    let request = hub.request(Method::POST, listed.path, Some(&hub.alice));
    let response = request.body(body).send().await.unwrap();
    let status = response.status();
    let text = response.text().await.unwrap();
    assert_eq!(status, listed.status, "{}: {text:.300}", listed.path);
    process::processor_time(std::process::id()) - before
}

//! Measures how the times of info, file lists and search grow with the number of files and tools.
//!
//! Info and file lists are measured with 100 and 10,000 files in a repository, and search among
//! 1,000, 10,000 and 100,000 tools, on SQLite and, where it is installed, on PostgreSQL.
//!
//! `cargo bench -p tool-hub-registry-server --bench listing [-- files|sqlite|postgres]`
//!
//! The figures are medians of whole requests over one kept connection. The other side is the same
//! question to a small registry: what to read is by how much the time grows. A search among 100,000
//! tools may take 100 ms.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::print_stderr, reason = "a benchmark says what it leaves out")]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a benchmark that cannot go on has failed"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "the tests' cluster looks for PostgreSQL on the search path"
)]

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../tests/backends/backends.rs"]
mod backends;
#[allow(dead_code, reason = "each benchmark uses a part")]
#[path = "support/support.rs"]
mod support;
#[path = "support/tools.rs"]
mod tools;

use std::process::ExitCode;
use std::time::Instant;

use backends::Shared;
use sqlx::{AnyConnection, Connection as _};
use support::client::Connection;
use support::figures::{median_ms, wanted};
use support::registry::{OWNER, Server, file, header, run_if_asked};

const REPEATS: usize = 41;
/// Tools in the registry, one step after another.
const STEPS: [usize; 3] = [1_000, 10_000, 100_000];
const FILES: [usize; 2] = [100, 10_000];
/// Files in one directory of the repository that has directories.
const DIRECTORY_FILES: usize = 100;

fn main() -> ExitCode {
    run_if_asked().unwrap_or_else(measure)
}

fn measure() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    if wanted("files") {
        runtime.block_on(files());
    }
    if wanted("sqlite") {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let database = directory.path().join("registry.sqlite");
        let server = Server::start(directory.path(), None);
        let url = format!("sqlite://{}", database.display());
        runtime.block_on(search("SQLite", &server, &url));
    }
    if wanted("postgres") {
        match Shared::get() {
            Ok(shared) => {
                let directory = tempfile::tempdir().expect("a temporary directory");
                let url = shared.place().database;
                let server = Server::start(directory.path(), Some(&url));
                runtime.block_on(search("PostgreSQL", &server, &url));
            }
            Err(reason) => eprintln!("SKIPPED: search on PostgreSQL: {reason}"),
        }
    }
    ExitCode::SUCCESS
}

async fn files() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start(directory.path(), None);
    for count in FILES {
        let flat = (0..count).map(|at| format!("file-{at:05}.txt"));
        commit(&server, &format!("flat-{count}"), flat).await;
        let deep = (0..count).map(|at| {
            format!(
                "d{:03}/f{:02}.txt",
                at / DIRECTORY_FILES,
                at % DIRECTORY_FILES
            )
        });
        commit(&server, &format!("deep-{count}"), deep).await;
    }
    for (what, repository, path) in [
        ("info", "flat", ""),
        ("info with blobs", "flat", "?blobs=true"),
        (
            "the first page of the tree, 1,000 files",
            "flat",
            "/tree/main",
        ),
        (
            "the last page of the tree",
            "flat",
            "/tree/main?cursor=file-09000.txt",
        ),
        (
            "the first page of the whole tree",
            "deep",
            "/tree/main?recursive=true",
        ),
        ("a directory of the tree", "deep", "/tree/main/d000"),
    ] {
        let mut times = Vec::new();
        for count in FILES {
            let path = format!("/api/models/{OWNER}/{repository}-{count}{path}");
            times.push(p50_ms(&server, &path).await);
        }
        let growth = times[1] / times[0];
        println!(
            "{what}: {:.1} ms with {} files, {:.1} ms with {}, ratio {growth:.1}",
            times[0], FILES[0], times[1], FILES[1]
        );
    }
}

/// Files that hold their own path and nothing else, so that making them takes little time.
async fn commit(server: &Server, name: &str, paths: impl Iterator<Item = String>) {
    server.create(name).await;
    let mut body = header("many");
    for path in paths {
        body += &file(&path, path.as_bytes());
    }
    server.commit(name, body).await;
}

async fn search(engine: &str, server: &Server, url: &str) {
    sqlx::any::install_default_drivers();
    let mut database = AnyConnection::connect(url).await.expect("the database");
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); tools::QUERIES.len()];
    let mut have = 0;
    for step in STEPS {
        let started = Instant::now();
        tools::insert(&mut database, have..step).await;
        have = step;
        println!(
            "{engine}: {step} tools after {:.1} s",
            started.elapsed().as_secs_f64()
        );
        for (at, (what, query)) in tools::QUERIES.iter().enumerate() {
            let path = format!("/api/models?filter=tool-hub&limit=20&{query}");
            let found = server.get_json(&path).await;
            let found = found.as_array().expect("a list").len();
            assert!(found > 0, "{what} finds nothing");
            times[at].push(p50_ms(server, &path).await);
        }
    }
    println!("{engine}: p50 in ms among {STEPS:?} tools");
    for ((what, _), times) in tools::QUERIES.iter().zip(times) {
        let growth = times[times.len() - 1] / times[0];
        println!(
            "  {what}: {:.2}, {:.2}, {:.2}; ratio {growth:.1}",
            times[0], times[1], times[2]
        );
    }
}

async fn p50_ms(server: &Server, path: &str) -> f64 {
    let mut connection = Connection::open(server.address, path).await;
    let mut times = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let started = Instant::now();
        connection.get().await;
        times.push(started.elapsed());
    }
    median_ms(&times)
}

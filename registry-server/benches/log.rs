//! Measures the transparency log with 1,000,000 records against the same log when it is small.
//!
//! Appends are commits that yank a version; the other side are commits that append nothing. Proofs
//! are measured in bytes, in time to have them and in time to check them.
//!
//! `cargo bench -p tool-hub-registry-server --bench log [-- sqlite|postgres]`

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

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use backends::Shared;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sqlx::{AnyConnection, Connection as _};
use support::client::Connection;
use support::figures::{median, median_ms, wanted};
use support::registry::{OWNER, Server, file, header, run_if_asked};
use tool_hub_transparency::{Hash, HashQuery, LogKey, Proof, first_hash, record_hash};

/// Records in the log, one step after another.
const STEPS: [u64; 2] = [100, 1_000_000];
const REPEATS: usize = 41;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);
/// Tools that are yanked and given back at the same time.
const PUSHERS: usize = 8;
/// The tool of which a version is proved. It is never yanked, so it has one record.
const PROVED: &str = "proved";

fn main() -> ExitCode {
    run_if_asked().unwrap_or_else(measure)
}

fn measure() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    if wanted("sqlite") {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let server = Server::start(directory.path(), None);
        let database = directory.path().join("registry.sqlite");
        let url = format!("sqlite://{}", database.display());
        runtime.block_on(grow("SQLite", &server, &url));
    }
    if wanted("postgres") {
        match Shared::get() {
            Ok(shared) => {
                let directory = tempfile::tempdir().expect("a temporary directory");
                let url = shared.place().database;
                let server = Server::start(directory.path(), Some(&url));
                runtime.block_on(grow("PostgreSQL", &server, &url));
            }
            Err(reason) => eprintln!("SKIPPED: the log on PostgreSQL: {reason}"),
        }
    }
    ExitCode::SUCCESS
}

async fn grow(engine: &str, server: &Server, url: &str) {
    sqlx::any::install_default_drivers();
    let mut database = AnyConnection::connect(url).await.expect("the database");
    let pushed = (0..PUSHERS).map(|pusher| format!("tool-{pusher}"));
    for name in pushed.chain([PROVED.to_owned()]) {
        server.create(&name).await;
        let manifest = "schema = 1\nname = \"stats\"\nversion = \"1.0.0\"\ndescription = \"\"\n";
        let body = header("1.0.0") + &file("tool.toml", manifest.as_bytes());
        server.commit(&name, body).await;
        server.tag(&name, "v1.0.0").await;
    }
    for size in STEPS {
        fill(&mut database, size).await;
        println!("{engine}, {size} records:");
        proofs(server, size).await;
        let (mut appends, mut plain) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            appends.push(per_second(server, round, "releases.toml").await);
            plain.push(per_second(server, round, "notes.toml").await);
        }
        let (appends, plain) = (median(appends), median(plain));
        println!(
            "  {appends:.0} appends a second by {PUSHERS} pushers, {plain:.0} commits that append \
             nothing, ratio {:.2}",
            appends / plain
        );
    }
}

/// Appends records of other tools until there are `size`.
async fn fill(database: &mut AnyConnection, size: u64) {
    let count = "SELECT COUNT(*) FROM log_records";
    let before: i64 = sqlx::query_scalar(count)
        .fetch_one(&mut *database)
        .await
        .unwrap();
    let mut stored = HashMap::new();
    let rows: Vec<(i64, String)> = sqlx::query_as("SELECT number, hash FROM log_hashes")
        .fetch_all(&mut *database)
        .await
        .unwrap();
    for (number, hash) in rows {
        let hash = STANDARD.decode(hash).unwrap().try_into().unwrap();
        stored.insert(number as u64, Hash(hash));
    }
    let mut writing = database.begin().await.unwrap();
    for place in before as u64..size {
        let record = format!(
            "{{\"kind\":\"yank\",\"repo\":\"other/tool-{place}\",\"version\":\"1.0.0\",\
             \"severity\":\"broken\",\"at\":\"2026-01-01T00:00:00Z\"}}"
        );
        let query = HashQuery::Append {
            size: place,
            record: record_hash(record.as_bytes()),
        };
        for (number, hash) in (first_hash(place)..).zip(query.answer(&stored).unwrap()) {
            stored.insert(number, hash);
            sqlx::query("INSERT INTO log_hashes (number, hash) VALUES ($1, $2)")
                .bind(number as i64)
                .bind(STANDARD.encode(hash.0))
                .execute(&mut *writing)
                .await
                .unwrap();
        }
        let insert = "INSERT INTO log_records (position, repository, version, record) VALUES ($1, $2, '1.0.0', $3)";
        sqlx::query(insert)
            .bind(place as i64)
            .bind(format!("other/tool-{place}"))
            .bind(record)
            .execute(&mut *writing)
            .await
            .unwrap();
    }
    writing.commit().await.unwrap();
}

/// The proofs of one version: their size, the time until they are there, and that to check them.
async fn proofs(server: &Server, size: u64) {
    let older = size / 2 + 1;
    let path = format!("/api/models/{OWNER}/{PROVED}/log?version=1.0.0&older={older}");
    let mut connection = Connection::open(server.address, &path).await;
    let (mut times, mut bytes) = (Vec::new(), 0);
    for _ in 0..REPEATS {
        let started = Instant::now();
        bytes = connection.get().await;
        times.push(started.elapsed());
    }
    let asked = median_ms(&times);
    let answer = server.get_json(&path).await;
    let text = serde_json::to_vec(&answer).unwrap();
    let mut times = Vec::new();
    let mut hashes = 0;
    for _ in 0..REPEATS {
        let started = Instant::now();
        let answer: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let key: LogKey = answer["key"].as_str().unwrap().parse().unwrap();
        let checkpoint = key.open(answer["checkpoint"].as_str().unwrap()).unwrap();
        for record in answer["records"].as_array().unwrap() {
            let proof: Proof = serde_json::from_value(record["proof"].clone()).unwrap();
            let (index, bytes) = (&record["index"], record["record"].as_str().unwrap());
            let index = index.as_u64().unwrap();
            checkpoint
                .check_record(index, bytes.as_bytes(), &proof)
                .unwrap();
            hashes = proof.len();
        }
        times.push(started.elapsed());
    }
    let checked = median_ms(&times);
    println!(
        "  the records of a version: {bytes} bytes in {asked:.2} ms, a proof of {hashes} hashes, \
         checked in {checked:.2} ms"
    );
    let path = "/api/log/tile/entries/000.p/100";
    let mut connection = Connection::open(server.address, path).await;
    let mut times = Vec::new();
    for _ in 0..REPEATS {
        let started = Instant::now();
        connection.get().await;
        times.push(started.elapsed());
    }
    println!("  a tile of 100 records in {:.2} ms", median_ms(&times));
}

/// Commits of `name` a second by all pushers together, each with other content.
async fn per_second(server: &Server, round: usize, name: &str) -> f64 {
    let started = Instant::now();
    let pushing = (0..PUSHERS).map(|pusher| async move {
        let mut done = 0_u32;
        while started.elapsed() < ROUND {
            let severity = ["broken", "vulnerable"][done as usize % 2];
            let content = format!(
                "[yanked.\"1.0.0\"]\nseverity = \"{severity}\"\nreason = \"round {round}, {done}\"\n"
            );
            let body = header("say") + &file(name, content.as_bytes());
            server.commit(&format!("tool-{pusher}"), body).await;
            done += 1;
        }
        done
    });
    let done: u32 = futures::future::join_all(pushing).await.iter().sum();
    f64::from(done) / started.elapsed().as_secs_f64()
}

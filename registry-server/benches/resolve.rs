//! Measures downloads of a small public file, against nginx serving the same bytes.
//!
//! The file comes from `GET …/resolve/main/{file}`, and with nginx from a directory.
//!
//! `cargo bench -p tool-hub-registry-server --bench resolve`
//!
//! Both servers are processes of their own on the same two cores as the client, and take turns, so
//! that whatever else the machine does falls on both. The figure to read is the ratio.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::print_stderr, reason = "a benchmark says why it cannot run")]
#![allow(
    clippy::expect_used,
    reason = "a benchmark that cannot go on has failed"
)]

#[allow(dead_code, reason = "each benchmark uses a part")]
#[path = "support/support.rs"]
mod support;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use support::client::{Connection, answers_per_second};
use support::figures::median;
use support::nginx::Nginx;
use support::process::{children, processor_time};
use support::registry::{OWNER, Server, file, header, run_if_asked};

const FILE_BYTES: usize = 10_000;
const CONNECTIONS: [usize; 2] = [1, 16];
const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    run_if_asked().unwrap_or_else(compare)
}

fn compare() -> ExitCode {
    let content: Vec<u8> = (0..FILE_BYTES).map(|at| (at * 31) as u8).collect();
    let root = tempfile::tempdir().expect("a temporary directory");
    #[expect(
        clippy::disallowed_methods,
        reason = "a temporary file need not survive a crash"
    )]
    std::fs::write(root.path().join("file.bin"), &content).expect("a file");
    let nginx = match Nginx::start(root.path()) {
        Ok(nginx) => nginx,
        Err(reason) => {
            eprintln!("error: {reason}");
            return ExitCode::FAILURE;
        }
    };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start(directory.path(), None);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        server.create("small").await;
        let body = header("small") + &file("file.bin", &content);
        server.commit("small", body).await;
        for connections in CONNECTIONS {
            measure(&server, &nginx, connections).await;
        }
    });
    ExitCode::SUCCESS
}

async fn measure(server: &Server, nginx: &Nginx, connections: usize) {
    let ours = format!("/{OWNER}/small/resolve/main/file.bin");
    for (address, path) in [
        (server.address, ours.as_str()),
        (nginx.address, "/file.bin"),
    ] {
        let length = Connection::open(address, path).await.get().await;
        assert_eq!(length, FILE_BYTES as u64);
    }
    let (mut our_rates, mut nginx_rates) = (Vec::new(), Vec::new());
    let (mut our_costs, mut nginx_costs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (rate, cost) = round(server.address, &ours, connections, &[server.id()]).await;
        our_rates.push(rate);
        our_costs.push(cost);
        let workers = children(nginx.id());
        let (rate, cost) = round(nginx.address, "/file.bin", connections, &workers).await;
        nginx_rates.push(rate);
        nginx_costs.push(cost);
    }
    let (ours, theirs) = (median(our_rates), median(nginx_rates));
    println!(
        "{connections} connections, {FILE_BYTES} bytes: registry {ours:.0} answers a second ({:.0} µs of processor time each), \
         nginx {theirs:.0} ({:.0} µs), ratio {:.2}",
        median(our_costs),
        median(nginx_costs),
        ours / theirs
    );
}

/// Answers a second, and the processor time of one in microseconds.
async fn round(address: SocketAddr, path: &str, connections: usize, pids: &[u32]) -> (f64, f64) {
    let used = || {
        pids.iter()
            .map(|pid| processor_time(*pid))
            .sum::<Duration>()
    };
    let before = used();
    let rate = answers_per_second(address, path, connections, ROUND).await;
    let cost = (used() - before).as_secs_f64() * 1e6 / (rate * ROUND.as_secs_f64());
    (rate, cost)
}

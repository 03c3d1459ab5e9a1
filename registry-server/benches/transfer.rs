//! Measures upload and download of 1 GiB, against bare hashing and writing and against nginx.
//! It fails if the registry's memory grows with the file.
//!
//! The upload is a commit of one file.
//!
//! `cargo bench -p tool-hub-registry-server --bench transfer`
//!
//! The memory of the registry's process is sampled all the while. It may not grow with the file,
//! and the benchmark fails when it does.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::print_stderr, reason = "a benchmark says why it cannot run")]
#![allow(
    clippy::expect_used,
    reason = "a benchmark that cannot go on has failed"
)]

#[allow(dead_code, reason = "each benchmark uses a part")]
#[path = "support/support.rs"]
mod support;

use std::fs::File;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::stream;
use sha2::{Digest as _, Sha256};
use support::client::Connection;
use support::figures::median;
use support::nginx::Nginx;
use support::process::resident_bytes;
use support::registry::{OWNER, Server, file, header, run_if_asked};

const FILE_MIB: u64 = 1024;
const FILE_BYTES: u64 = FILE_MIB << 20;
/// Bytes that are sent again and again; three divides them, so that the pieces join without
/// padding.
const PIECE_BYTES: u64 = 3 << 18;
/// The most additional memory the server may need.
const GROWTH_MIB_MAX: u64 = 32;
const ROUNDS: usize = 7;
const SAMPLE: Duration = Duration::from_millis(5);

fn main() -> ExitCode {
    run_if_asked().unwrap_or_else(compare)
}

fn compare() -> ExitCode {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let nginx = match Nginx::start(&directory.path().join("content")) {
        Ok(nginx) => nginx,
        Err(reason) => {
            eprintln!("error: {reason}");
            return ExitCode::FAILURE;
        }
    };
    let server = Server::start(directory.path(), None);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let grown = runtime.block_on(async {
        warm_up(&server).await;
        let uploaded = upload(&server, directory.path()).await;
        uploaded.max(download(&server, &nginx, directory.path()).await)
    });
    if grown >= GROWTH_MIB_MAX {
        eprintln!("error: the server's memory grew by {grown} MiB, {GROWTH_MIB_MAX} are allowed");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Memory that any request needs is not counted.
async fn warm_up(server: &Server) {
    server.create("long").await;
    let body = header("warm") + &file("warm", &[7; 6 << 20]);
    server.commit("long", body).await;
    let path = format!("/{OWNER}/long/resolve/main/warm");
    Connection::open(server.address, &path).await.get().await;
}

/// Gives back the growth of the server's memory in MiB.
async fn upload(server: &Server, directory: &Path) -> u64 {
    let watch = Watch::start(server.id());
    let started = Instant::now();
    server.commit("long", body()).await;
    let ours = started.elapsed();
    let grown = watch.grown_mib();
    let copy = directory.join("copy");
    let floor = tokio::task::spawn_blocking(move || hash_and_write(&copy)).await;
    let floor = floor.expect("a written file");
    println!(
        "upload of {FILE_MIB} MiB: registry {:.2} s, {grown} MiB more memory; decoding, hashing and writing alone {:.2} s, ratio {:.2}",
        ours.as_secs_f64(),
        floor.as_secs_f64(),
        ours.as_secs_f64() / floor.as_secs_f64()
    );
    grown
}

fn piece() -> Vec<u8> {
    (0..PIECE_BYTES).map(|at| (at * 31) as u8).collect()
}

/// A commit of one file, made while it is sent.
fn body() -> reqwest::Body {
    let whole = Bytes::from(STANDARD.encode(piece()));
    let rest = Bytes::from(STANDARD.encode(&piece()[..(FILE_BYTES % PIECE_BYTES) as usize]));
    let line = r#"{"key":"file","value":{"path":"long","encoding":"base64","content":""#;
    let start = Bytes::from(header("long") + line);
    let pieces = std::iter::repeat_n(whole, (FILE_BYTES / PIECE_BYTES) as usize);
    let end = [rest, Bytes::from_static(b"\"}}\n")];
    let pieces = std::iter::once(start).chain(pieces).chain(end);
    reqwest::Body::wrap_stream(stream::iter(pieces.map(Ok::<_, std::io::Error>)))
}

/// The work that no upload can do without: base64, SHA-256, git's SHA-1 and the disk.
fn hash_and_write(path: &Path) -> Duration {
    let text = STANDARD.encode(piece());
    let mut sha256 = Sha256::new();
    let mut sha1 = gix_hash::hasher(gix_hash::Kind::Sha1);
    let mut file = File::create(path).expect("a file");
    let started = Instant::now();
    let mut left = FILE_BYTES as usize;
    while left > 0 {
        let bytes = STANDARD.decode(&text).expect("base64");
        let bytes = &bytes[..bytes.len().min(left)];
        sha256.update(bytes);
        sha1.update(bytes);
        file.write_all(bytes).expect("a written piece");
        left -= bytes.len();
    }
    file.sync_all().expect("a disk");
    std::hint::black_box((sha256.finalize(), sha1.try_finalize().is_ok()));
    started.elapsed()
}

/// Gives back the growth of the server's memory in MiB.
async fn download(server: &Server, nginx: &Nginx, directory: &Path) -> u64 {
    let content = directory.join("content");
    let longest = longest_file(&content.join("sha256"));
    let theirs = longest.strip_prefix(&content).expect("a file below");
    let theirs = format!("/{}", theirs.display());
    let ours = format!("/{OWNER}/long/resolve/main/long");
    let watch = Watch::start(server.id());
    let (mut our_rates, mut nginx_rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        our_rates.push(rate(server.address, &ours).await);
        nginx_rates.push(rate(nginx.address, &theirs).await);
    }
    let grown = watch.grown_mib();
    let (ours, theirs) = (median(our_rates), median(nginx_rates));
    println!(
        "download of {FILE_MIB} MiB: registry {ours:.0} MiB/s, {grown} MiB more memory; nginx {theirs:.0} MiB/s, ratio {:.2}",
        ours / theirs
    );
    grown
}

/// MiB a second.
async fn rate(address: SocketAddr, path: &str) -> f64 {
    let mut connection = Connection::open(address, path).await;
    let started = Instant::now();
    assert_eq!(connection.get().await, FILE_BYTES);
    FILE_MIB as f64 / started.elapsed().as_secs_f64()
}

fn longest_file(directory: &Path) -> PathBuf {
    let mut longest = (0, PathBuf::new());
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory") {
            let entry = entry.expect("an entry");
            let metadata = entry.metadata().expect("metadata");
            match metadata.is_dir() {
                true => open.push(entry.path()),
                false if metadata.len() > longest.0 => longest = (metadata.len(), entry.path()),
                false => {}
            }
        }
    }
    longest.1
}

/// Samples the memory of a process until asked for the growth.
struct Watch {
    before: u64,
    done: Arc<AtomicBool>,
    sampling: JoinHandle<u64>,
}

impl Watch {
    fn start(pid: u32) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&done);
        let sampling = std::thread::spawn(move || {
            let mut most = 0;
            while !seen.load(Ordering::Relaxed) {
                most = most.max(resident_bytes(pid));
                std::thread::sleep(SAMPLE);
            }
            most
        });
        Self {
            before: resident_bytes(pid),
            done,
            sampling,
        }
    }

    fn grown_mib(self) -> u64 {
        self.done.store(true, Ordering::Relaxed);
        let most = self.sampling.join().expect("samples");
        most.saturating_sub(self.before) >> 20
    }
}

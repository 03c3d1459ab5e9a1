//! Compares a commit of 20,000 small files with writing as many durably to the same disk.
//! The commit is one request.
//!
//! `cargo bench -p tool-hub-registry-server --bench files`
//!
//! The baseline names its files in directories like a content store, and syncs the disk once at the
//! end; a commit cannot do less. The registry also decodes, hashes and records each file.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(
    clippy::expect_used,
    reason = "a benchmark that cannot go on has failed"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "what is compared with is the bare writing of files"
)]

#[allow(dead_code, reason = "each benchmark uses a part")]
#[path = "support/support.rs"]
mod support;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use support::figures::median;
use support::process::resident_bytes;
use support::registry::{Server, file, header, run_if_asked};

const FILES: usize = 20_000;
const FILE_BYTES: usize = 1_000;
const ROUNDS: usize = 5;

fn main() -> ExitCode {
    run_if_asked().unwrap_or_else(compare)
}

fn compare() -> ExitCode {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start(&directory.path().join("registry"), None);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let contents: Vec<Vec<u8>> = (0..FILES).map(|at| content(round, at)).collect();
        ours.push(runtime.block_on(commit(&server, round, &contents)));
        let bare = directory.path().join(format!("bare-{round}"));
        theirs.push(write(&bare, &contents));
    }
    let resident = resident_bytes(server.id()) >> 20;
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "{FILES} files of {FILE_BYTES} bytes: one commit {ours:.2} s, writing them {theirs:.2} s, ratio {:.2}; \
         the registry has {resident} MiB of memory then",
        ours / theirs
    );
    ExitCode::SUCCESS
}

async fn commit(server: &Server, round: usize, contents: &[Vec<u8>]) -> f64 {
    let name = format!("files-{round}");
    server.create(&name).await;
    let mut body = header("many");
    for (at, content) in contents.iter().enumerate() {
        body += &file(&format!("d{}/f{at}", at % 100), content);
    }
    let started = Instant::now();
    server.commit(&name, body).await;
    started.elapsed().as_secs_f64()
}

fn write(directory: &Path, contents: &[Vec<u8>]) -> f64 {
    let names = contents.iter().map(Sha256::digest);
    let names: Vec<String> = names.map(|digest| HEXLOWER.encode(&digest)).collect();
    let started = Instant::now();
    for (at, content) in contents.iter().enumerate() {
        let name = &names[at];
        let below = directory.join(&name[..2]).join(&name[2..4]);
        std::fs::create_dir_all(&below).expect("a directory");
        std::fs::write(below.join(name), content).expect("a file");
    }
    let synced = Command::new("sync").arg("-f").arg(directory).status();
    assert!(synced.expect("sync runs").success());
    started.elapsed().as_secs_f64()
}

/// A different content for each call.
fn content(round: usize, at: usize) -> Vec<u8> {
    let mut content = format!("{round} {at} ").into_bytes();
    content.resize(FILE_BYTES, b'x');
    content
}

//! A test that a server needs little more memory while a file of 256 MiB passes through it.

use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use libtest_mimic::Trial;
use reqwest::Method;
use tool_hub_registry_server::Downloads;

use crate::replica::Pair;
use crate::support::header;
use crate::test;

const FILE_MIB: usize = 256;
/// The most additional memory a server may need, whatever the length of the file.
const GROWTH_MIB_MAX: u64 = 32;

pub(crate) fn tests() -> Vec<Trial> {
    match cfg!(target_os = "linux") {
        true => vec![test(
            "memory::a_long_file_passes_through",
            a_long_file_passes_through,
        )],
        false => Vec::new(),
    }
}

async fn a_long_file_passes_through() {
    let pair = Pair::start_with(Downloads::Proxy).await;
    pair.a.create("alice/tool").await;
    pair.a
        .commit("alice/tool", "warm", &[("warm", &[7; 6 << 20])])
        .await;
    let warm = pair.b.get("/alice/tool/resolve/main/warm").await;
    assert_eq!(warm.bytes().await.unwrap().len(), 6 << 20);

    let before = [0, 1].map(|at| resident_mib(&pair, at, "VmRSS:"));
    for replica in &pair.replicas {
        // From here on the peak counts anew.
        std::fs::write(format!("/proc/{}/clear_refs", replica.id()), "5").unwrap();
    }
    let start = Instant::now();
    let path = "/api/models/alice/tool/commit/main";
    let request = pair.a.request(Method::POST, path, Some(&pair.a.alice));
    let response = request.body(body()).send().await.unwrap();
    assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
    let uploaded = start.elapsed();

    let start = Instant::now();
    let response = pair.b.get("/alice/tool/resolve/main/long").await;
    assert_eq!(response.status(), 200);
    let mut received = 0;
    let mut stream = response.bytes_stream();
    while let Some(piece) = stream.next().await {
        received += piece.unwrap().len();
    }
    assert_eq!(received, FILE_MIB << 20);
    let downloaded = start.elapsed();

    let growth = [0, 1].map(|at| resident_mib(&pair, at, "VmHWM:").saturating_sub(before[at]));
    println!(
        "{FILE_MIB} MiB: upload {uploaded:?} and {} MiB more memory, download {downloaded:?} and {} MiB more memory",
        growth[0], growth[1]
    );
    assert!(
        growth.iter().all(|growth| *growth < GROWTH_MIB_MAX),
        "{growth:?} MiB more memory"
    );
}

fn resident_mib(pair: &Pair, at: usize, field: &str) -> u64 {
    let status = format!("/proc/{}/status", pair.replicas[at].id());
    let status = std::fs::read_to_string(status).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let kibibytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kibibytes / 1024
}

/// A commit of one file, made while it is sent.
fn body() -> reqwest::Body {
    // A length that three divides, so that the pieces join without padding between them.
    const PIECE_BYTES: usize = 3 << 18;
    let size = FILE_MIB << 20;
    let pieces = (0..size.div_ceil(PIECE_BYTES)).map(move |at| {
        let length = PIECE_BYTES.min(size - at * PIECE_BYTES);
        let piece: Vec<u8> = (0..length)
            .map(|byte| (byte * 31 + at * 17) as u8)
            .collect();
        Bytes::from(STANDARD.encode(piece))
    });
    let line = r#"{"key":"file","value":{"path":"long","encoding":"base64","content":""#;
    let start = Bytes::from(header("long") + line);
    let end = Bytes::from_static(b"\"}}\n");
    let pieces = std::iter::once(start).chain(pieces).chain([end]);
    reqwest::Body::wrap_stream(stream::iter(pieces.map(Ok::<_, std::io::Error>)))
}

//! A test of a server's memory, and its answers to ordinary work, under one attack after another.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use reqwest::Response;
use tokio::net::TcpStream;

use crate::target::Target;
use crate::{attacks, lists};

/// The bound that operators are told.
const MIB_MAX: u64 = 256;
/// A little less than the longest head.
const HEAD_BYTES: usize = 15 << 10;
/// Longest answer to a probe under any attack.
const PROBE_MAX: Duration = Duration::from_secs(10);
/// The most attempts at a request that is told to come again.
const TRIES_MAX: usize = 12;

pub(crate) async fn is_bounded_whatever_clients_do() {
    let target = Target::start().await;
    let long = vec![7; 20 << 20];
    let files = [("long", long.as_slice())];
    target.hub.commit("alice/tool", "long", &files).await;
    let (first, _) = target.resident_mib();
    let made = lists::create(&target, "alice/big", 25_000).await;
    assert_eq!(made.status(), 200);
    let (then, peak) = target.resident_mib();
    println!("at rest: {first} MiB; 25,000 files: at most {peak} MiB, {then} MiB after it");
    let mut over = Vec::new();
    let only = std::env::var("ONLY").unwrap_or_default();
    for (name, attack) in ATTACKS {
        if !name.contains(&only) {
            continue;
        }
        println!("{name}");
        target.forget_peak();
        let probes = target.probe();
        let start = Instant::now();
        attack(&target).await;
        let took = start.elapsed();
        let seen = probes.end().await;
        let (now, peak) = target.resident_mib();
        println!("    at most {peak} MiB, {now} MiB after it; took {took:.1?}; {seen:?}");
        if peak >= MIB_MAX || seen.slowest >= PROBE_MAX || seen.failed > 0 {
            over.push(format!("{name}: {peak} MiB, {seen:?}"));
        }
    }
    assert!(over.is_empty(), "{over:?}");
}

type Attack = fn(&Target) -> LocalBoxFuture<'_, ()>;

const ATTACKS: &[(&str, Attack)] = &[
    ("2,040 half heads", |target| {
        let attack = attacks::half_heads(target, 2_040, HEAD_BYTES);
        stall_as_strangers(target, attack).boxed_local()
    }),
    ("1,000 stalled bodies of strangers", |target| {
        let attack = attacks::strangers_bodies(target, 1_000);
        stall_as_strangers(target, attack).boxed_local()
    }),
    ("20 stalled bodies of 20 MiB", |target| {
        stall(target, attacks::long_bodies(target, 20)).boxed_local()
    }),
    ("1,000 commits in the middle of a file", |target| {
        stall(target, attacks::files_of_commits(target, 1_000)).boxed_local()
    }),
    ("1,000 objects over LFS", |target| {
        stall(target, attacks::objects(target, 1_000)).boxed_local()
    }),
    ("30 commits of 20,000 files without end", |target| {
        stall(target, attacks::commits_without_end(target, 30)).boxed_local()
    }),
    ("300 answers of 3 MB that nobody reads", |target| {
        let path = "/api/models/alice/big?blobs=true";
        let attack = attacks::unread_answers(target, path, 300);
        stall_as_strangers(target, attack).boxed_local()
    }),
    ("1,000 downloads that nobody reads", |target| {
        let path = "/alice/tool/resolve/main/long";
        let attack = attacks::unread_answers(target, path, 1_000);
        stall_as_strangers(target, attack).boxed_local()
    }),
    ("60 long paths-info of strangers", |target| {
        let asking = together(60, 1, |_| {
            lists::paths_info_of_a_stranger(target).boxed_local()
        });
        let ordinary = ordinary_work(target, 1);
        async move {
            let (answers, ()) = futures::join!(asking, ordinary);
            println!("    {answers:?}");
            assert!(
                answers
                    .keys()
                    .all(|(status, _)| [200, 503].contains(status))
            );
            assert!(answers.contains_key(&(200, 1)));
        }
        .boxed_local()
    }),
    ("16 long paths-info", |target| {
        all_answered(16, |_| lists::paths_info(target).boxed_local()).boxed_local()
    }),
    ("8 long preuploads", |target| {
        all_answered(8, |_| lists::preupload(target).boxed_local()).boxed_local()
    }),
    ("8 LFS batches", |target| {
        all_answered(8, |at| lists::lfs_batch(target, at).boxed_local()).boxed_local()
    }),
    ("4 long commits", |target| {
        all_answered(4, |_| lists::commit(target, "main").boxed_local()).boxed_local()
    }),
    ("4 long creations", |target| {
        all_answered(4, |at| lists::create_another(target, at).boxed_local()).boxed_local()
    }),
];

/// Strangers stall, and while they are there ordinary work is done at once.
async fn stall_as_strangers(target: &Target, attack: impl Future<Output = Vec<TcpStream>>) {
    let open = attack.await;
    target.settle().await;
    ordinary_work(target, 1).await;
    drop(open);
}

/// Clients with a token stall and leave; then ordinary work is done, if only after some tries.
async fn stall(target: &Target, attack: impl Future<Output = Vec<TcpStream>>) {
    let open = attack.await;
    target.settle().await;
    drop(open);
    ordinary_work(target, TRIES_MAX).await;
    // What they sent before they left is worked off.
    target.settle().await;
}

/// The longest requests of somebody with a token, one after another.
async fn ordinary_work(target: &Target, tries_max: usize) {
    let requests: [(&str, Request<'_>); 3] = [
        ("preupload", &|| lists::preupload(target).boxed_local()),
        ("commit", &|| lists::commit(target, "main").boxed_local()),
        ("listing", &|| lists::listing(target).boxed_local()),
    ];
    for (what, request) in requests {
        let start = Instant::now();
        let (status, tries) = politely(tries_max, request).await;
        println!(
            "    {what}: {status} after {tries} tries and {:.1?}",
            start.elapsed()
        );
        assert_eq!(status, 200, "{what} after {tries} tries");
    }
}

/// Long requests together: some are answered at once, and all that come again as they are told.
async fn all_answered<'a>(count: usize, request: impl Fn(usize) -> LocalBoxFuture<'a, Response>) {
    let answers = together(count, TRIES_MAX, request).await;
    println!("    {answers:?}");
    assert!(
        answers.keys().all(|(status, _)| *status == 200),
        "{answers:?}"
    );
    assert!(answers.contains_key(&(200, 1)), "{answers:?}");
}

/// Sends requests together, and counts the answers by their status and the tries they took.
async fn together<'a>(
    count: usize,
    tries_max: usize,
    request: impl Fn(usize) -> LocalBoxFuture<'a, Response>,
) -> BTreeMap<(u16, usize), usize> {
    let request = &request;
    let asking = (0..count).map(async |at| politely(tries_max, &|| request(at)).await);
    let mut answers = BTreeMap::new();
    for answer in futures::future::join_all(asking).await {
        *answers.entry(answer).or_default() += 1;
    }
    answers
}

type Request<'a> = &'a dyn Fn() -> LocalBoxFuture<'a, Response>;

/// Asks until it is not told to come again, and waits in between as long as it is told. Returns the
/// last status and the number of tries.
async fn politely(tries_max: usize, request: Request<'_>) -> (u16, usize) {
    let mut tries = 1;
    loop {
        let answer = request().await;
        let status = answer.status().as_u16();
        let wait = answer.headers().get("retry-after").cloned();
        answer.bytes().await.unwrap();
        if status != 503 || tries == tries_max {
            return (status, tries);
        }
        let wait = wait.expect("a 503 says when to come again");
        let wait = wait.to_str().unwrap().parse().unwrap();
        tokio::time::sleep(Duration::from_secs(wait)).await;
        tries += 1;
    }
}

//! The memory of a server under every attack, one after another in one process.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use reqwest::Response;

use crate::target::Target;
use crate::{attacks, lists};

/// The bound that operators are told.
const MIB_MAX: u64 = 256;
/// A little less than the longest head.
const HEAD_BYTES: usize = 15 << 10;
/// Longest answer to a probe under any attack.
const PROBE_MAX: Duration = Duration::from_secs(10);

pub(crate) async fn is_bounded_whatever_clients_do() {
    let target = Target::start().await;
    let long = vec![7; 20 << 20];
    let files = [("long", long.as_slice())];
    target.hub.commit("alice/tool", "long", &files).await;
    let (first, _) = target.resident_mib();
    println!("at rest: {first} MiB");
    let mut over = Vec::new();
    let only = std::env::var("ONLY").unwrap_or_default();
    for (name, attack) in ATTACKS {
        if !name.contains(&only) {
            continue;
        }
        target.forget_peak();
        let probes = target.probe();
        attack(&target).await;
        let seen = probes.end().await;
        let (now, peak) = target.resident_mib();
        println!("{name}: at most {peak} MiB, {now} MiB after it; {seen:?}");
        if peak >= MIB_MAX || seen.slowest >= PROBE_MAX || seen.failed > 0 {
            over.push(format!("{name}: {peak} MiB, {seen:?}"));
        }
    }
    assert!(over.is_empty(), "{over:?}");
}

type Attack = fn(&Target) -> BoxFuture<'_, ()>;

const ATTACKS: &[(&str, Attack)] = &[
    ("a repository of 25,000 files", |target| {
        async move {
            let made = lists::create(target, "alice/big", 25_000).await;
            assert_eq!(made.status(), 200);
        }
        .boxed()
    }),
    ("2,040 half heads", |target| {
        async move {
            let _open = attacks::half_heads(target, 2_040, HEAD_BYTES).await;
            target.settle().await;
        }
        .boxed()
    }),
    ("1,000 stalled bodies of strangers", |target| {
        async move {
            let _open = attacks::strangers_bodies(target, 1_000).await;
            target.settle().await;
        }
        .boxed()
    }),
    ("20 stalled bodies of 20 MiB", |target| {
        async move {
            let _open = attacks::long_bodies(target, 20).await;
            target.settle().await;
        }
        .boxed()
    }),
    ("1,000 commits in the middle of a file", |target| {
        async move {
            let _open = attacks::files_of_commits(target, 1_000).await;
            target.settle().await;
        }
        .boxed()
    }),
    ("1,000 objects over LFS", |target| {
        async move {
            let _open = attacks::objects(target, 1_000).await;
            target.settle().await;
        }
        .boxed()
    }),
    ("30 commits of 20,000 files without end", |target| {
        async move {
            let _open = attacks::commits_without_end(target, 30).await;
            target.settle().await;
        }
        .boxed()
    }),
    ("300 answers of 3 MB that nobody reads", |target| {
        async move {
            let path = "/api/models/alice/big?blobs=true";
            let _open = attacks::unread_answers(target, path, 300).await;
            target.settle().await;
        }
        .boxed()
    }),
    ("1,000 downloads that nobody reads", |target| {
        async move {
            let path = "/alice/tool/resolve/main/long";
            let _open = attacks::unread_answers(target, path, 1_000).await;
            target.settle().await;
        }
        .boxed()
    }),
    ("60 long paths-info of strangers", |target| {
        many(60, move |_| lists::paths_info_of_a_stranger(target).boxed()).boxed()
    }),
    ("16 long paths-info", |target| {
        many(16, move |_| lists::paths_info(target).boxed()).boxed()
    }),
    ("8 long preuploads", |target| {
        many(8, move |_| lists::preupload(target).boxed()).boxed()
    }),
    ("8 LFS batches", |target| {
        many(8, move |at| lists::lfs_batch(target, at).boxed()).boxed()
    }),
    ("4 long commits", |target| {
        many(4, move |_| lists::commit(target, "main").boxed()).boxed()
    }),
    ("4 long creations", |target| {
        many(4, move |at| {
            async move { lists::create(target, &format!("alice/big-{at}"), 25_000).await }.boxed()
        })
        .boxed()
    }),
];

/// Sends requests together; each is answered, be it with the word to come again.
async fn many<'a>(count: usize, request: impl Fn(usize) -> BoxFuture<'a, Response>) {
    let read = (0..count).map(async |at| {
        let answer = request(at).await;
        let status = answer.status().as_u16();
        answer.bytes().await.unwrap();
        status
    });
    let mut answers = BTreeMap::<u16, usize>::new();
    for status in futures::future::join_all(read).await {
        *answers.entry(status).or_default() += 1;
    }
    println!("    {answers:?}");
    let expected = [200, 412, 413, 503];
    assert!(
        answers.keys().all(|status| expected.contains(status)),
        "{answers:?}"
    );
}

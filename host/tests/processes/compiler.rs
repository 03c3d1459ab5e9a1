//! Tests of compiling in a child process: confined, nothing inherited, cached, limits, failures.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use tool_hub_host::{CompilerProcess, Host, HostError};

use crate::bombs::many_functions;
use crate::compiling_host::{adder, adds, children, host, process};
use crate::support::try_load;
use crate::{AT_START, COMPILE, Test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("compiler::a_child_compiles_for_its_parent", || {
            Box::pin(compiles())
        }),
        ("compiler::code_of_a_child_is_cached", || {
            Box::pin(is_cached())
        }),
        ("compiler::a_child_inherits_nothing", || {
            Box::pin(inherits_nothing())
        }),
        ("compiler::a_child_is_confined_before_it_compiles", || {
            Box::pin(is_confined())
        }),
        ("compiler::every_limit_ends_the_child_and_is_named", || {
            Box::pin(limits())
        }),
        ("compiler::a_child_that_fails_is_reported", || {
            Box::pin(failures())
        }),
    ]
}

/// A host whose compiler is a shell that runs `script`.
fn shell(script: &str, wall_ms: u64) -> Host {
    let mut process = CompilerProcess::new("/bin/sh", ["-c", script]);
    process.limits.wall_ms = wall_ms;
    host(process, None)
}

async fn compiles() {
    adds(&host(process(|_| {}), None)).await;
}

async fn is_cached() {
    let directory = tempfile::tempdir().unwrap();
    adds(&host(process(|_| {}), Some(directory.path()))).await;
    // A host that could not compile any more loads it all the same.
    let other = CompilerProcess::new("/nonexistent", [COMPILE]);
    adds(&host(other, Some(directory.path()))).await;
}

/// The last words of the compiler's process.
async fn words(script: &str) -> String {
    match try_load(&shell(script, 10_000), adder()).await {
        Err(HostError::Compile { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

async fn inherits_nothing() {
    // The shell sets some variables of its own.
    let variables = words("env >&2; exit 1").await;
    let inherited: Vec<_> = variables
        .lines()
        .filter_map(|line| line.split('=').next())
        .filter(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name))
        .collect();
    assert!(inherited.is_empty(), "{inherited:?}");
    assert!(
        std::env::vars_os().count() > 1,
        "there was something to inherit"
    );
    // Whoever started this process may have left more than the usual three to its children.
    let before: BTreeSet<_> = AT_START.get().unwrap().iter().map(String::as_str).collect();
    let _open = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let descriptors = words("exec 1>&2; ls /proc/$$/fd; exit 1").await;
    let descriptors: BTreeSet<_> = descriptors.lines().collect();
    assert_eq!(
        descriptors.difference(&before).count(),
        0,
        "{descriptors:?}"
    );
    assert!(
        descriptors.is_superset(&["0", "1", "2"].into()),
        "{descriptors:?}"
    );
    assert_eq!(words("pwd >&2; exit 1").await, "/");
}

async fn is_confined() {
    let bounded = host(process(|limits| limits.cpu_seconds = 2), None);
    let load = tokio::spawn(async move { try_load(&bounded, many_functions()).await });
    let mut seen = String::new();
    while !load.is_finished() {
        let mut statuses = children().into_iter().filter_map(|child| {
            // It may have ended in the meantime.
            fs::read_to_string(format!("/proc/{child}/status")).ok()
        });
        seen = statuses.next_back().unwrap_or(seen);
        if seen.contains("Seccomp:\t2") {
            break;
        }
        // The child reports nothing: its status in `/proc` has to be read again and again.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for held in ["NoNewPrivs:\t1", "Seccomp:\t2", "Seccomp_filters:\t1"] {
        assert!(seen.contains(held), "{held}: {seen}");
    }
    assert!(load.await.unwrap().is_err());
}

async fn check_limit(host: &Host, component: Vec<u8>, limit: &str, value: u64) {
    let begun = Instant::now();
    let error = try_load(host, component).await.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(20));
    let text = error.to_string();
    match error {
        HostError::CompileLimit {
            limit: l, value: v, ..
        } => assert_eq!((l, v), (limit, value)),
        other => panic!("{limit}: {other:?}"),
    }
    assert!(text.contains(&format!("limit {limit} = {value}")), "{text}");
}

async fn limits() {
    let bomb = many_functions();
    let memory = 48 << 20;
    let small = host(process(|limits| limits.memory_bytes = memory), None);
    check_limit(&small, bomb.clone(), "memory_bytes", memory).await;
    let hurried = host(process(|limits| limits.cpu_seconds = 1), None);
    check_limit(&hurried, bomb.clone(), "cpu_seconds", 1).await;
    let short = host(process(|limits| limits.code_bytes = 1_000), None);
    check_limit(&short, adder(), "code_bytes", 1_000).await;
    let impatient = host(process(|limits| limits.wall_ms = 300), None);
    check_limit(&impatient, bomb, "wall_ms", 300).await;
    check_limit(&shell("exec sleep 60", 200), adder(), "wall_ms", 200).await;
    // A compiler within its limits is not affected by those that exceeded theirs.
    adds(&small).await;
    adds(&hurried).await;
    adds(&impatient).await;
    assert_eq!(children().len(), 0, "a compiler is left");
}

async fn failures() {
    let missing = host(CompilerProcess::new("/nonexistent", [COMPILE]), None);
    match try_load(&missing, adder()).await {
        Err(HostError::Compiler { source, .. }) => {
            assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(words("echo not today >&2; exit 1").await, "not today");
    assert!(words("kill -SEGV $$").await.contains("signal: 11"));
    // Something that ends well but makes no code, or cuts it off.
    words("exit 0").await;
    words("head -c 3000 /proc/$$/exe").await;
}

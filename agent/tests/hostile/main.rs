//! Tests that hostile chat templates are printed or refused in little time, memory and stack.

#![allow(clippy::print_stdout, reason = "the figures are worth reading")]

mod deep;
mod large;

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tool_hub_agent::conversation::chat_template::{Chat, ChatTemplate, TemplateError};

const STACK_BYTES: usize = 2 << 20;
/// More than any template needs, even on a busy machine.
const TIME_MAX: Duration = Duration::from_secs(30);
#[cfg(target_os = "linux")]
const MEMORY_KIB_MAX: usize = 300 << 10;

#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    Printed,
    Limit(&'static str),
    Refused,
}
use Outcome::{Limit, Printed, Refused};

/// The outcome of a template with a message of that length.
fn outcome(source: &str, content_bytes: usize) -> Outcome {
    let message = json!({"role": "user", "content": "x".repeat(content_bytes)});
    let chat = Chat {
        messages: vec![serde_json::from_value(message).expect("an object")],
        ..Chat::default()
    };
    let begin = Instant::now();
    let outcome = thread::scope(|scope| {
        let usual = thread::Builder::new().stack_size(STACK_BYTES);
        let render = || ChatTemplate::new(source).and_then(|template| template.render(&chat));
        let thread = usual.spawn_scoped(scope, render).expect("a thread");
        match thread.join().expect("no panic") {
            Ok(_) => Printed,
            Err(TemplateError::TooMuch { limit, .. }) => Limit(limit),
            Err(TemplateError::Syntax { .. } | TemplateError::Failed { .. }) => Refused,
            Err(other) => panic!("{other}"),
        }
    });
    let (time, start) = (begin.elapsed(), &source[..source.len().min(100)]);
    println!("{time:>10.1?} {:>7} KiB {outcome:?} {start}", memory_kib());
    assert!(time < TIME_MAX, "{time:?}: {start}");
    outcome
}

#[track_caller]
fn check(source: &str, expect: &Outcome) {
    let start = &source[..source.len().min(100)];
    assert_eq!(outcome(source, 1), *expect, "{start}");
}

/// The most memory that this process has had.
#[cfg(target_os = "linux")]
fn memory_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.expect("a peak").trim().trim_end_matches(" kB");
    peak.parse().expect("a number")
}

#[cfg(not(target_os = "linux"))]
fn memory_kib() -> usize {
    0
}

/// One test, because the memory is that of the process.
#[test]
fn whatever_a_template_asks_for_it_gets_little() {
    for source in deep::nested_sources() {
        check(&source, &Limit("depth"));
    }
    for source in deep::long_tags() {
        check(&source, &Limit("tag_tokens"));
    }
    for source in deep::wide_sources() {
        check(&source, &Printed);
    }
    for source in deep::RECURSIONS {
        check(source, &Limit("depth"));
    }
    for source in deep::deep_values() {
        check(&source, &Limit("depth"));
    }
    for source in deep::deepest_values() {
        let found = outcome(&source, 1);
        let is_known = matches!(found, Printed | Refused);
        assert!(is_known, "{found:?}: {source}");
    }
    for (source, expect) in large::LARGE {
        check(source, expect);
    }
    for source in large::SLOW {
        check(source, &Limit("steps"));
    }
    for source in large::OTHER_TEMPLATES {
        check(source, &Refused);
    }
    let too_long = "x".repeat((128 << 10) + 1);
    check(&too_long, &Limit("template_bytes"));
    check(&too_long[..100_000], &Limit("line_bytes"));
    // With as much conversation as raises the limits.
    for (source, _) in large::LARGE {
        outcome(source, 2_000_000);
    }
    let copies = "l, ".repeat(34);
    outcome(
        &format!("{{% set l = ['x' * 3000000] %}}{{{{ [{copies}] ~ '' }}}}"),
        2_000_000,
    );
    let printed = "{% for a in range(50) %}{{ messages[0].content }}{% endfor %}";
    assert_eq!(outcome(printed, 2_000_000), Limit("printed_bytes"));
    #[cfg(target_os = "linux")]
    assert!(memory_kib() < MEMORY_KIB_MAX, "{} KiB", memory_kib());
}

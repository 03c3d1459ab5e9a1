//! Benchmarks calls of a tool while 64 other tools spin, and how late the spinners are ended.
//! The same calls on the same host without the others are the second side.

use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tool_hub_host::{FailureKind, Host, HostConfig, Outcome, Tool, authoring, inspect};
use tool_hub_manifest::{Grants, Package, Verified};

const SPINNERS: usize = 64;
const DEADLINE_SECONDS: u32 = 10;
const LATENCY_P99_MAX: Duration = Duration::from_millis(250);
const OVERRUN_MAX: Duration = Duration::from_millis(100);

/// Spins for ever.
const SPIN: &str = "(loop (br 0))";
/// Answers at once.
const SHORT: &str = "";
/// Computes for some 30 ms, three ticks of the clock.
const LONG: &str = "(local $n i32) (loop
    (local.set $n (i32.add (local.get $n) (i32.const 1)))
    (br_if 0 (i32.lt_u (local.get $n) (i32.const 60000000))))";

fn main() {
    // `cargo bench` passes its own arguments, of which this benchmark has none.
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(siege());
}

async fn siege() {
    let mut config = HostConfig::new();
    // The defaults let 32 calls run at once; the others would wait outside.
    config.calls_in_flight_max = 80;
    let host = Host::new(config).expect("a host");
    let (short, long) = (load(&host, SHORT).await, load(&host, LONG).await);
    let quiet = Duration::from_secs(1);
    let alone = [
        latencies(&short, quiet).await,
        latencies(&long, quiet).await,
    ];

    let mut spinners = Vec::new();
    for _ in 0..SPINNERS {
        spinners.push(load(&host, SPIN).await);
    }
    let running: Vec<_> = spinners
        .into_iter()
        .map(|tool| tokio::spawn(overrun(tool)))
        .collect();
    // The calls that compute come second, when every spinner has run for longer than one of them
    // takes: only then are they preferred.
    let busy = Duration::from_secs(u64::from(DEADLINE_SECONDS)) * 2 / 5;
    let besieged = [latencies(&short, busy).await, latencies(&long, busy).await];
    let mut overruns = Vec::new();
    for spinner in running {
        overruns.push(spinner.await.expect("a spinner"));
    }

    let names = ["a call that answers at once", "a call that computes"];
    for ((name, alone), besieged) in names.iter().zip(alone).zip(besieged) {
        latency_report(name, &alone, &besieged);
    }
    let last = overruns.iter().max().expect("spinners");
    let verdict = verdict(*last <= OVERRUN_MAX);
    report(&format!(
        "{SPINNERS} spinning tools with {DEADLINE_SECONDS} s each: the last ended {last:?} after \
         its deadline (at most {OVERRUN_MAX:?}: {verdict})"
    ));
}

async fn load(host: &Host, body: &str) -> Tool {
    let text = format!(
        r#"(component
            (core module $m (func (export "run") {body}))
            (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#
    );
    let component = wat::parse_str(text).expect("a component");
    let name = "siege".parse().expect("a name");
    let mut manifest = authoring::derive_manifest(&component, name).expect("a manifest");
    manifest.limits.call_seconds = Some(DEADLINE_SECONDS);
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    let verified = Verified::check(package).expect("an honest package");
    let inspection = inspect(&verified).expect("an inspection");
    let approved = inspection.approve(Grants::none()).expect("an approval");
    host.load(approved).await.expect("a tool")
}

/// The durations of calls of `tool`, one after the other for `time`, the longest last.
async fn latencies(tool: &Tool, time: Duration) -> Vec<Duration> {
    let begun = Instant::now();
    let mut latencies = Vec::new();
    while begun.elapsed() < time {
        let called = Instant::now();
        if let Outcome::Failure(failure) = tool.call("run", "").await {
            panic!("{failure}");
        }
        latencies.push(called.elapsed());
        // A caller does something between two calls; without that only one thread would.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    latencies.sort_unstable();
    latencies
}

/// The time from the deadline of a spinning tool to its end.
async fn overrun(tool: Tool) -> Duration {
    let called = Instant::now();
    match tool.call("run", "").await {
        Outcome::Failure(failure) if matches!(failure.kind, FailureKind::HostLimit { .. }) => {}
        other => panic!("{other:?}"),
    }
    let deadline = Duration::from_secs(u64::from(DEADLINE_SECONDS));
    called.elapsed().saturating_sub(deadline)
}

fn latency_report(name: &str, alone: &[Duration], besieged: &[Duration]) {
    let at = |latencies: &[Duration], percent: usize| latencies[latencies.len() * percent / 100];
    let p99 = at(besieged, 99);
    let verdict = verdict(p99 <= LATENCY_P99_MAX);
    report(&format!(
        "{name}: p50 {:?}, p99 {p99:?} of {} calls among {SPINNERS} spinning tools (at most \
         {LATENCY_P99_MAX:?}: {verdict}); alone p50 {:?}, p99 {:?}",
        at(besieged, 50),
        besieged.len(),
        at(alone, 50),
        at(alone, 99),
    ));
}

fn verdict(reached: bool) -> &'static str {
    if reached { "reached" } else { "MISSED" }
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
fn report(line: &str) {
    println!("{line}");
}

//! Attacks by many calls at once: memory, spinning, waiting, too many calls, dropped calls.

use std::time::Duration;

use tool_hub_host::{FailureKind, HostConfig};

use crate::case::cases;
use crate::fixture::{Bounds, Fixture, SLACK_MIB, stopped_at};
use crate::guest::{self, plain, running};
use crate::instruments;
use crate::support::{failure, reply};

cases! {
    "65" memory_attacks => "30 of them: the host takes no more than `memory_bytes` and 32 MiB";
    "66" cancelled_calls => "10,000 of them: memory, threads and descriptors stay as they were";
    "67" place_of_a_cancelled_call => "free when its guest is gone, and not before";
    "68" more_calls_than_places => "told that the host is busy, with the limits";
    "69" guests_that_wait => "no processor is theirs while they do";
    "70" spinning_tools => "another tool's call is answered in between, on any runtime";
}

const SPIN: &str = "(loop (br 0))";

/// A guest that takes all the memory there is in steps of `pages`, writes to all of it, and
/// goes on asking for more.
fn glutton(pages: u32) -> Vec<u8> {
    plain(
        &format!(
            r#"(func (export "run") (local $at i32) (local $left i32)
                (local.set $left (i32.const 10000))
                (loop $more
                    (local.set $at (i32.mul (memory.size) (i32.const 65536)))
                    (if (i32.ne (memory.grow (i32.const {pages})) (i32.const -1)) (then
                        (memory.fill (local.get $at) (i32.const 7)
                            (i32.const {bytes}))))
                    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
                    (br_if $more (local.get $left))))"#,
            bytes = u64::from(pages) * 65_536,
        ),
        guest::RUN,
    )
}

async fn memory_attacks(fixture: &mut Fixture) {
    const CAP_MIB: u64 = 64;
    let mut config = HostConfig::new();
    config.limits.memory_bytes = CAP_MIB << 20;
    config.calls_in_flight_max = 1;
    fixture.configure(config).await;
    let bounds = Bounds::tight().and_seconds(60).and_mib(CAP_MIB);
    assert_eq!(bounds.memory_mib, CAP_MIB + SLACK_MIB);
    let mut gluttons = Vec::new();
    for pages in [1, 3, 16, 100, 511, 1_000] {
        gluttons.push(fixture.load(glutton(pages)).await);
    }
    // All thirty in one measurement: what one of them leaves behind counts as well.
    let thirty = async {
        for _ in 0..5 {
            for glutton in &gluttons {
                reply(glutton.call("run", "").await);
            }
        }
    };
    fixture.within(bounds, thirty).await;
}

async fn cancelled_calls(fixture: &mut Fixture) {
    let spinner = fixture.load(running(SPIN)).await;
    let sleeper = fixture.load(guest::sleeper()).await;
    let cancel = async |count: usize| {
        for number in 0..count {
            // One in fifty spins, the others wait for an hour.
            let (tool, wait_ms) = match number % 50 {
                0 => (&spinner, 15),
                _ => (&sleeper, 0),
            };
            let tool = tool.clone();
            let call = tokio::spawn(async move { tool.call("run", "").await });
            // Real time: the clock has to interrupt the spinning guest before it is dropped.
            tokio::time::sleep(Duration::from_millis(wait_ms)).await;
            call.abort();
        }
        fixture.bystander_is_well().await;
    };
    cancel(500).await;
    let descriptors = instruments::settle(instruments::descriptors, 0);
    let (threads, memory) = (instruments::threads(), instruments::resident());
    cancel(10_000).await;
    assert!(instruments::settle(instruments::threads, threads) <= threads);
    assert!(instruments::settle(instruments::descriptors, descriptors) <= descriptors);
    let grown_kib = instruments::resident().saturating_sub(memory) >> 10;
    eprintln!("    {grown_kib} KiB more after 10,000 cancelled calls");
    assert!(grown_kib < 4 << 10, "{grown_kib} KiB");
}

async fn place_of_a_cancelled_call(fixture: &mut Fixture) {
    let mut config = HostConfig::new();
    // The pool has room for one guest: a second one beside it would not be instantiated.
    config.calls_in_flight_max = 1;
    config.limits.call_ms = 1_000;
    fixture.configure(config).await;
    let spinner = fixture.load(running(SPIN)).await;
    let quick = fixture.load(running("")).await;
    for _ in 0..100 {
        let spinner = spinner.clone();
        let call = tokio::spawn(async move { spinner.call("run", "").await });
        // Real time: the guest spins and reports nothing that could be waited for.
        tokio::time::sleep(Duration::from_millis(20)).await;
        call.abort();
        reply(quick.call("run", "").await);
    }
    for _ in 0..3 {
        // A call waits for a place as long as it may take: the second has time left when the first
        // is ended.
        let (stopped, answered) = tokio::join!(spinner.call("run", ""), async {
            // Real time: less than the limit of the first call, so that this one has time left.
            tokio::time::sleep(Duration::from_millis(300)).await;
            quick.call("run", "").await
        });
        stopped_at(stopped, "call_ms", 1_000);
        reply(answered);
    }
}

async fn more_calls_than_places(fixture: &mut Fixture) {
    let mut config = HostConfig::new();
    (config.calls_in_flight_max, config.calls_waiting_max) = (2, 1);
    config.limits.call_ms = 2_000;
    fixture.configure(config).await;
    let sleeper = fixture.load(guest::sleeper()).await;
    let calls: Vec<_> = (0..4)
        .map(|_| {
            let sleeper = sleeper.clone();
            tokio::spawn(async move { sleeper.call("run", "").await })
        })
        .collect();
    let mut busy = Vec::new();
    for call in calls {
        let failed = failure(call.await.unwrap());
        match failed.kind {
            FailureKind::Unavailable => busy.push(failed),
            _ => assert!(failed.message.contains("call_ms"), "{failed}"),
        }
    }
    assert!(!busy.is_empty());
    for failed in busy {
        assert!(failed.retryable);
        let named = "(limits calls_in_flight_max = 2, calls_waiting_max = 1)";
        assert!(failed.message.contains(named), "{failed}");
    }
}

async fn guests_that_wait(fixture: &mut Fixture) {
    let mut config = HostConfig::new();
    config.calls_running_max = 1;
    config.limits.call_ms = 1_000;
    fixture.configure(config).await;
    let sleeper = fixture.load(guest::sleeper()).await;
    let sleepers: Vec<_> = (0..20)
        .map(|_| {
            let sleeper = sleeper.clone();
            tokio::spawn(async move { sleeper.call("run", "").await })
        })
        .collect();
    // Real time: the guests sleep and report nothing that could be waited for.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let quick = fixture.load(running("")).await;
    for _ in 0..20 {
        let bounds = Bounds {
            time: Duration::from_millis(500),
            ..Bounds::tight()
        };
        reply(fixture.call(&quick, "", bounds).await);
    }
    for sleeper in sleepers {
        stopped_at(sleeper.await.unwrap(), "call_ms", 1_000);
    }
}

async fn spinning_tools(fixture: &mut Fixture) {
    fixture.limit(|limits| limits.call_ms = 3_000).await;
    let (spinner, quick) = (
        fixture.load(running(SPIN)).await,
        fixture.load(running("")).await,
    );
    let spinners: Vec<_> = (0..30)
        .map(|_| {
            let spinner = spinner.clone();
            tokio::spawn(async move { spinner.call("run", "").await })
        })
        .collect();
    // Real time: all guests spin by then, and report nothing that could be waited for.
    tokio::time::sleep(Duration::from_millis(300)).await;
    for _ in 0..20 {
        let bounds = Bounds {
            time: Duration::from_secs(1),
            ..Bounds::tight()
        };
        reply(fixture.call(&quick, "", bounds).await);
        // The runtime keeps its timers: guests do not run on its threads for long.
        let nap = tokio::time::sleep(Duration::from_millis(10));
        fixture.within(bounds, nap).await;
    }
    for spinner in spinners {
        stopped_at(spinner.await.unwrap(), "call_ms", 3_000);
    }
    let lonely = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(one_thread_for_all(spinner))
    });
    assert!(lonely.join().unwrap() < Duration::from_millis(500));
}

/// The real time of a sleep of 10 ms on a runtime of one thread that calls a spinning tool.
async fn one_thread_for_all(spinner: tool_hub_host::Tool) -> Duration {
    let call = async {
        stopped_at(spinner.call("run", "").await, "call_ms", 3_000);
    };
    let naps = async {
        let mut longest = Duration::ZERO;
        for _ in 0..50 {
            let begun = std::time::Instant::now();
            // Real time is what this measures.
            tokio::time::sleep(Duration::from_millis(10)).await;
            longest = longest.max(begun.elapsed());
        }
        longest
    };
    tokio::join!(call, naps).1
}

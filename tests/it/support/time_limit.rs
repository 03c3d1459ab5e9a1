//! The time limit of every end-to-end test: one that goes over it is named, and ends the run.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Four times what the longest test takes on two cores.
const TIME_LIMIT: Duration = Duration::from_secs(20 * 60);

/// A test that takes longer than this is reported with its time.
const SLOW: Duration = Duration::from_secs(30);

/// Runs `test`. One that hangs cannot be ended by itself, so the whole program ends.
pub(crate) fn run_within_limit(name: &'static str, test: fn()) {
    let begun = Instant::now();
    let (ended, wait_for_end) = channel::<()>();
    std::thread::spawn(move || {
        if wait_for_end.recv_timeout(TIME_LIMIT) == Err(RecvTimeoutError::Timeout) {
            eprintln!("FAILED {name}: it has not ended after {TIME_LIMIT:?}");
            std::process::exit(101);
        }
    });
    test();
    drop(ended);
    let took = begun.elapsed();
    if took > SLOW {
        eprintln!("{name} took {} s", took.as_secs());
    }
}

//! Tests that a server under attacks and heavy load stays below 256 MiB and goes on answering.
//!
//! `cargo test -p tool-hub-registry-server --test load -- --nocapture` prints what it measured, and
//! `ONLY=commits` before it keeps to the attacks with that word in their names.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests set up their own surroundings, and say what they measured"
)]

mod attacks;
#[allow(dead_code, reason = "the tests of several servers use the rest")]
#[path = "../backends/backends.rs"]
mod backends;
mod lists;
mod memory;
#[allow(dead_code, reason = "the benchmarks use the rest")]
#[path = "../../benches/support/process.rs"]
mod process;
#[allow(dead_code, reason = "the tests of several servers use the rest")]
#[path = "../replicas/replica.rs"]
mod replica;
#[allow(dead_code, reason = "the tests of one server use the rest")]
#[path = "../it/support.rs"]
mod support;
mod target;

use std::future::Future;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if let Some(exit) = replica::run_if_asked() {
        return exit;
    }
    // The memory of one is measured while the other rests.
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let trials = vec![
        Trial::test("load::memory_is_bounded_whatever_clients_do", || {
            run(memory::is_bounded_whatever_clients_do())
        }),
        Trial::test(
            "load::probes_are_answered_while_long_lists_are_worked_on",
            || run(lists::probes_are_answered_meanwhile()),
        ),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn run(test: impl Future<Output = ()>) -> Result<(), libtest_mimic::Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(test);
    Ok(())
}

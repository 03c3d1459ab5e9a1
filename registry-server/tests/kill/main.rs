//! Tests of servers that are killed with SIGKILL while clients commit, or ended with SIGTERM.
//!
//! They are killed at random moments, again and again. All that was acknowledged must be there, to
//! the last byte, and nothing half-written may stay.
//!
//! `TOOL_HUB_TEST_KILLS` is the number of kills of each test, 15 without it; `TOOL_HUB_TEST_SEED`
//! repeats a run as far as timing lets it. Without PostgreSQL on this machine its test is reported
//! as ignored, never as passed, and standard error says why.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests set up their own surroundings, and say what they measured"
)]

#[allow(dead_code, reason = "the tests of several servers use the rest")]
#[path = "../backends/backends.rs"]
mod backends;
mod ledger;
mod leftovers;
mod random;
#[allow(dead_code, reason = "the tests of several servers use the rest")]
#[path = "../replicas/replica.rs"]
mod replica;
mod rounds;
#[allow(dead_code, reason = "the tests of one server use the rest")]
#[path = "../it/support.rs"]
mod support;
mod termination;
mod writers;

use std::future::Future;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if let Some(exit) = replica::run_if_asked() {
        return exit;
    }
    let arguments = Arguments::from_args();
    let missing = match arguments.list {
        true => None,
        false => backends::Shared::get().err(),
    };
    if let Some(reason) = &missing {
        eprintln!("SKIPPED: the kills of servers on PostgreSQL and S3, because {reason}");
    }
    let shared = Trial::test("kill::on_postgres_and_s3", || {
        run(async || rounds::run(Some(backends::Shared::get()?.place())).await)
    });
    let trials = vec![
        Trial::test("kill::on_a_directory", || {
            run(async || rounds::run(None).await)
        }),
        shared.with_ignored_flag(missing.is_some()),
        Trial::test("terminate::requests_end_within_the_grace_period", || {
            run(async || {
                termination::requests_end_within_the_grace_period().await;
                Ok(())
            })
        }),
        Trial::test("terminate::what_does_not_end_is_cut_off", || {
            run(async || {
                termination::what_does_not_end_is_cut_off().await;
                Ok(())
            })
        }),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn run<F>(test: impl FnOnce() -> F) -> Result<(), libtest_mimic::Failed>
where
    F: Future<Output = Result<(), String>>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    Ok(runtime.block_on(test())?)
}

//! Tests of several servers, each a process, that share nothing but PostgreSQL and a bucket.
//!
//! Without PostgreSQL on this machine all of it is reported as ignored, never as passed, and
//! standard error says why.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests set up their own surroundings, and say what they skip"
)]

#[path = "../backends/backends.rs"]
mod backends;
#[allow(
    dead_code,
    unused_imports,
    reason = "its tests run on one server in their own target"
)]
#[path = "../it/backup.rs"]
mod backup;
mod balancer;
mod collection_and_backup;
mod commits;
mod downloads;
#[path = "../it/filled_registry.rs"]
mod filled_registry;
#[allow(
    dead_code,
    unused_imports,
    reason = "its tests run on one server in their own target"
)]
#[path = "../it/garbage.rs"]
mod garbage;
#[allow(dead_code, reason = "its tests run on one server in their own target")]
#[path = "../it/hf_hub_life.rs"]
mod hf_hub_life;
#[allow(dead_code, reason = "its tests run on one server in their own target")]
#[path = "../it/jobs.rs"]
mod jobs;
mod lfs;
mod memory;
mod opening;
mod outage;
#[allow(dead_code, reason = "the tests of the command use the rest")]
#[path = "../../../tests/clients/public_clients.rs"]
mod public_clients;
mod replica;
mod shared_changes;
#[allow(dead_code, reason = "the tests of one server use the rest")]
#[path = "../it/support.rs"]
mod support;
#[allow(
    dead_code,
    reason = "the end-to-end tests, whose file it is, use the rest"
)]
#[path = "../../../tests/it/support/witness.rs"]
mod witness;

use std::future::Future;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if let Some(exit) = replica::run_if_asked() {
        return exit;
    }
    let arguments = Arguments::from_args();
    let tests = [
        commits::tests(),
        downloads::tests(),
        lfs::tests(),
        shared_changes::tests(),
        memory::tests(),
        opening::tests(),
        collection_and_backup::tests(),
        outage::tests(),
    ];
    let missing = match arguments.list {
        true => None,
        false => backends::Shared::get().err(),
    };
    if let Some(reason) = &missing {
        eprintln!("SKIPPED: all tests of several servers, because {reason}");
    }
    let trials = tests
        .into_iter()
        .flatten()
        .map(|trial| match missing {
            Some(_) => trial.with_ignored_flag(true),
            None => trial,
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test that runs on a runtime of its own.
fn test<F>(name: &str, run: fn() -> F) -> Trial
where
    F: Future<Output = ()> + 'static,
{
    Trial::test(name, move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        runtime.block_on(run());
        Ok(())
    })
}

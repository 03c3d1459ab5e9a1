//! Runs the tests that need processes: the compiler's child, shared caches, compilation bombs.
//! This program is also the compiler's child and the process that shares a cache.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::disallowed_methods,
    reason = "files of a test need not survive a crash"
)]

mod bombs;
mod cache;
mod compiler;
mod compiling_host;
mod memory;
#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "../it/support.rs"]
mod support;

use std::pin::Pin;
use std::process::ExitCode;
use std::sync::OnceLock;

use libtest_mimic::{Arguments, Trial};
use tokio::runtime::Runtime;

/// The argument with which this program is the compiler.
const COMPILE: &str = "compile-for-parent";

/// The descriptors that this process was started with.
static AT_START: OnceLock<Vec<String>> = OnceLock::new();

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    match given.split_first() {
        Some((role, _)) if role == COMPILE => return tool_hub_host::compile_for_parent(),
        Some((role, rest)) if role == cache::LOAD => {
            runtime().block_on(cache::load_over_and_over(rest));
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap();
    let names = descriptors.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    AT_START.set(names.collect()).unwrap();
    let mut arguments = Arguments::from_args();
    // The memory of this process is measured.
    arguments.test_threads = Some(1);
    let tests = [compiler::tests(), cache::tests(), bombs::tests()].concat();
    let trials = tests.into_iter().map(|(name, run)| {
        Trial::test(name, move || {
            runtime().block_on(run());
            Ok(())
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn runtime() -> Runtime {
    Runtime::new().unwrap()
}

/// A test by its name.
type Test = (&'static str, fn() -> Pin<Box<dyn Future<Output = ()>>>);

//! Runs tests in which components attack the host, each in a process of its own, within bounds.
//! So the cost of each can be measured. The command is
//! `cargo test -p tool-hub-host --test hostile`.
//!
//! A case says what the attack must come to. The [`Fixture`](fixture::Fixture) that it runs in
//! holds every step to bounds of time and memory, and every case to the canaries: a file outside of
//! every grant, a server, a variable of the process, and a secret that another tool was granted.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(
    clippy::disallowed_methods,
    reason = "the canaries stand in the environment and in files of a test"
)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the process of a case tells the one that started it"
)]

mod canaries;
mod case;
mod cpu;
mod crowd;
mod fixture;
mod forgery;
mod guest;
mod handles;
mod instruments;
mod isolation;
mod kept;
mod memory;
mod process;
mod refused;
mod security_md;
#[path = "../it/stream_guest.rs"]
mod stream_guest;
mod streams;
#[allow(dead_code, reason = "the tests of the other target use the rest")]
#[path = "../it/support.rs"]
mod support;
mod tasks;
mod transfer;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use self::case::Case;

fn main() -> ExitCode {
    let cases: Vec<Case> = [
        cpu::cases(),
        memory::cases(),
        handles::cases(),
        transfer::cases(),
        refused::cases(),
        forgery::cases(),
        isolation::cases(),
        crowd::cases(),
        tasks::cases(),
        streams::cases(),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(name) = process::chosen() {
        return process::attack(&cases, &name);
    }
    let mut arguments = Arguments::from_args();
    // Two attacks at once would be measured as one.
    arguments.test_threads = Some(1);
    let documented = security_md::trial(&cases);
    let trials = cases.into_iter().map(Case::trial);
    let trials: Vec<Trial> = trials.chain([documented]).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

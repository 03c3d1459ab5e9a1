//! Real programs in cages: what they reach, what they try, and servers that other people wrote.
//! This program is also the launcher, and a process that is killed while it has a cage.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::disallowed_methods,
    reason = "files of a test need not survive a crash, and tests look for interpreters"
)]

#[cfg(target_os = "linux")]
mod bombs;
#[cfg(target_os = "linux")]
mod directories;
#[cfg(target_os = "linux")]
mod ends;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
#[allow(dead_code, reason = "the end-to-end tests use the rest")]
#[path = "../../../tests/clients/packages.rs"]
mod packages;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod refused;
#[cfg(target_os = "linux")]
mod servers;
#[cfg(target_os = "linux")]
mod support;

use std::process::ExitCode;

use libtest_mimic::Arguments;
use tool_hub_cage::Cage;

/// The argument with which this program is the launcher.
const LAUNCH: &str = "launch-for-parent";

fn main() -> ExitCode {
    let role = std::env::args().nth(1);
    if role.as_deref() == Some(LAUNCH) {
        return tool_hub_cage::launch_for_parent();
    }
    #[cfg(target_os = "linux")]
    if role.as_deref() == Some(ends::HOLD) {
        return ends::hold();
    }
    let arguments = Arguments::from_args();
    #[cfg(target_os = "linux")]
    let trials = trials(&arguments);
    #[cfg(not(target_os = "linux"))]
    let trials = Vec::new();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The tests, of which those are ignored, loudly, that cannot run here.
#[cfg(target_os = "linux")]
fn trials(arguments: &Arguments) -> Vec<libtest_mimic::Trial> {
    let support = Cage::support();
    let missing = (!support.is_complete()).then(|| support.to_string());
    let hostile = [
        bombs::tests(),
        directories::tests(),
        ends::tests(),
        network::tests(),
        processes::tests(),
        refused::tests(),
    ]
    .concat();
    let counts = || {
        let counts_none = || support::kernel_bounds().is_empty();
        let reason = || "the kernel counts no tasks for this user here".to_owned();
        missing.clone().or_else(|| counts_none().then(reason))
    };
    let dash = || missing.clone().or_else(processes::dash_missing);
    let python = || missing.clone().or_else(packages::python_missing);
    let node = || missing.clone().or_else(packages::node_missing);
    [
        support::trials(arguments, hostile, || missing.clone()),
        support::trials(arguments, bombs::tests_of_the_kernel(), counts),
        support::trials(arguments, processes::dash_tests(), dash),
        support::trials(arguments, servers::python_tests(), python),
        support::trials(arguments, servers::node_tests(), node),
    ]
    .into_iter()
    .flatten()
    .collect()
}

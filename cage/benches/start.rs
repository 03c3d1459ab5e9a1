//! Compares the start of a program in a cage with its start without one, both in one run.
//! This program is also the launcher.

#![allow(
    clippy::unwrap_used,
    reason = "a measurement that cannot go on has failed"
)]
#![allow(clippy::print_stdout, reason = "figures are printed")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt as _;
use tool_hub_cage::{Cage, Launcher, Program};
use tool_hub_manifest::Grants;

/// The argument with which this program is the launcher.
const LAUNCH: &str = "launch-for-parent";
/// Starts of each kind, when they are measured and when they are only tried.
const ROUNDS: usize = 40;
const ROUNDS_TRIED: usize = 3;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(LAUNCH) {
        return tool_hub_cage::launch_for_parent();
    }
    let support = Cage::support();
    if !support.is_complete() {
        println!("SKIPPED: {support}");
        return ExitCode::SUCCESS;
    }
    // Given by `cargo bench`.
    let is_measured = std::env::args().any(|argument| argument == "--bench");
    let rounds = if is_measured { ROUNDS } else { ROUNDS_TRIED };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (name, path, arguments) in [
        ("true", "/bin/true", &[][..]),
        ("sh", "/bin/sh", &["-c", "echo ready"]),
        (
            "python",
            "/usr/bin/python3",
            &["-I", "-c", "print('ready')"],
        ),
        ("node", "/usr/bin/node", &["-e", "console.log('ready')"]),
    ] {
        if !Path::new(path).exists() {
            println!("{name:8} SKIPPED: there is no {path}");
            continue;
        }
        let program = Program::new(path, arguments.iter().copied());
        let mut plain = Vec::new();
        let mut caged = Vec::new();
        // In turns, so that whatever else the machine does meets both.
        for _ in 0..rounds {
            plain.push(plain_start(&program));
            caged.push(runtime.block_on(caged_start(&program)));
        }
        let (plain, caged) = (median(plain), median(caged));
        let ratio = caged.as_secs_f64() / plain.as_secs_f64();
        println!("{name:8} plain {plain:>10.2?}  caged {caged:>10.2?}  ratio {ratio:.2}");
    }
    ExitCode::SUCCESS
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// From the start to the end of what the program says.
fn plain_start(program: &Program) -> Duration {
    let begun = Instant::now();
    let output = Command::new(&program.path)
        .args(&program.arguments)
        .env_clear()
        .stdin(Stdio::null())
        .output();
    assert!(output.unwrap().status.success());
    begun.elapsed()
}

async fn caged_start(program: &Program) -> Duration {
    let launcher = Launcher::new("/proc/self/exe", [LAUNCH]);
    let cage = Cage::new(launcher, std::env::temp_dir());
    let begun = Instant::now();
    let process = cage
        .start(program, &Grants::none(), &BTreeMap::new())
        .await
        .unwrap();
    let (stdin, mut stdout, _stderr, mut handle) = process.into_parts();
    drop(stdin);
    stdout.read_to_end(&mut Vec::new()).await.unwrap();
    handle.wait().await;
    begun.elapsed()
}

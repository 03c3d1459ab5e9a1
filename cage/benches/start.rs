//! Compares the start of a program in a cage, and forks in it, with those without one, in one run.
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
use tool_hub_cage::{Cage, Launcher, Program, TaskBound};
use tool_hub_manifest::Grants;

/// The argument with which this program is the launcher.
const LAUNCH: &str = "launch-for-parent";
/// Forks a thousand times, each time waits, and says how many microseconds one of them took.
const FORKS: &str = "
import os, time
begun = time.monotonic()
for _ in range(1000):
    child = os.fork()
    if child == 0: os._exit(0)
    os.waitpid(child, 0)
print(round((time.monotonic() - begun) * 1000))
";

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
    let python = Path::new("/usr/bin/python3");
    if python.exists() {
        let program = Program::new(python, ["-I", "-c", FORKS]);
        for bound in support.task_bounds() {
            let forks = |said: String| Duration::from_micros(said.trim().parse().unwrap());
            let mut plain = Vec::new();
            let mut caged = Vec::new();
            for _ in 0..rounds.div_ceil(4) {
                plain.push(forks(plain_run(&program)));
                caged.push(forks(runtime.block_on(caged_run(&program, Some(*bound)))));
            }
            let (plain, caged) = (median(plain), median(caged));
            println!("fork     plain {plain:>10.2?}  caged {caged:>10.2?}  {bound:?}");
        }
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
    plain_run(program);
    begun.elapsed()
}

/// Returns what the program says.
fn plain_run(program: &Program) -> String {
    let output = Command::new(&program.path)
        .args(&program.arguments)
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

async fn caged_start(program: &Program) -> Duration {
    let begun = Instant::now();
    caged_run(program, None).await;
    begun.elapsed()
}

async fn caged_run(program: &Program, bound: Option<TaskBound>) -> String {
    let launcher = Launcher::new("/proc/self/exe", [LAUNCH]);
    let mut cage = Cage::new(launcher, std::env::temp_dir());
    if let Some(bound) = bound {
        cage = cage.task_bound(bound);
    }
    let process = cage
        .start(program, &Grants::none(), &BTreeMap::new())
        .await
        .unwrap();
    let (stdin, mut stdout, _stderr, mut handle) = process.into_parts();
    drop(stdin);
    let mut said = String::new();
    stdout.read_to_string(&mut said).await.unwrap();
    handle.wait().await;
    said
}

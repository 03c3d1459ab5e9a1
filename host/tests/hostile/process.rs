//! Runs an attack in a process of its own, with canaries in its environment and a time limit.

use std::io::Read;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;

use crate::canaries::{self, VARIABLE};
use crate::case::Case;
use crate::fixture::Fixture;

/// The case that a process shall run.
const CASE: &str = "TOOL_HUB_HOSTILE_CASE";
/// The longest time of a case, with all that surrounds it.
const PATIENCE: Duration = Duration::from_secs(180);
/// The last words of a process whose host has withstood.
const WITHSTOOD: &str = "the host has withstood";

/// The case that this process shall run, where it was started for one.
pub(crate) fn chosen() -> Option<String> {
    std::env::var(CASE).ok()
}

/// Runs the case called `name` in this process.
pub(crate) fn attack(cases: &[Case], name: &str) -> ExitCode {
    let case = cases.iter().find(|case| case.test_name() == name);
    let case = case.expect("a case of that name");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut fixture = Fixture::new().await;
        (case.attack)(&mut fixture).await;
        fixture.close().await;
    });
    println!("{WITHSTOOD} {name}");
    ExitCode::SUCCESS
}

/// Runs the case called `name` in a process of its own.
pub(crate) fn run(name: &str) -> Result<(), Failed> {
    let canary = canaries::marker("variable");
    let child = Command::new(std::env::current_exe().unwrap())
        .env(CASE, name)
        .env(VARIABLE, &canary)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = wait(child)?;
    if !output.ok
        || !output
            .stdout
            .trim_end()
            .ends_with(&format!("{WITHSTOOD} {name}"))
    {
        let ProcessOutput { stdout, stderr, .. } = output;
        return Err(format!("the host has not withstood\n{stdout}\n{stderr}").into());
    }
    // A guest's output reaches neither stream of the process, and the canary nobody.
    for text in [&output.stdout, &output.stderr] {
        for forbidden in [canary.as_str(), canaries::GUEST_OUTPUT] {
            if text.contains(forbidden) {
                return Err(format!("{forbidden} was written to a stream of the process").into());
            }
        }
    }
    // What was measured, for those who look at the output.
    eprint!("{}", output.stderr);
    Ok(())
}

struct ProcessOutput {
    ok: bool,
    stdout: String,
    stderr: String,
}

fn wait(mut child: Child) -> Result<ProcessOutput, Failed> {
    let stdout = read(child.stdout.take().unwrap());
    let stderr = read(child.stderr.take().unwrap());
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        // The standard library cannot wait for a process with a time limit.
        std::thread::sleep(Duration::from_millis(5));
    };
    let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
    match status {
        Some(status) => Ok(ProcessOutput {
            ok: status.success(),
            stdout,
            stderr,
        }),
        None => Err(format!("no end after {PATIENCE:?}\n{stdout}\n{stderr}").into()),
    }
}

fn read(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

//! The end of a cage: of its program, of the value that holds it, and of the process that has it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt as _;
use tokio::runtime::Runtime;
use tool_hub_cage::Ended;
use tool_hub_manifest::Grants;

use crate::support::{Test, place, python};

/// The argument with which this program has a cage until it is killed.
pub(crate) const HOLD: &str = "hold-a-cage";

/// Makes descendants that do all they can to stay, says their numbers, and goes on.
const STAY: &str = r#"
import os, signal, sys, time
for n in range(1, 65):
    try: signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError): pass
for _ in range(3):
    if os.fork() == 0:
        for leave in [os.setsid, lambda: os.setpgid(0, 0), os.daemon if hasattr(os, "daemon") else os.setsid]:
            try: leave()
            except OSError: pass
        # Twice removed, so that nobody but the launcher is its parent.
        if os.fork() != 0: os._exit(0)
        os.write(1, f"{os.getpid()}\n".encode())
        time.sleep(60)
        os._exit(0)
os.write(1, f"{os.getpid()}\n".encode())
"#;

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("ends::nothing_outlives_its_program", || {
            Box::pin(nothing_outlives_its_program())
        }),
        ("ends::nothing_outlives_the_value", || {
            Box::pin(nothing_outlives_the_value())
        }),
        ("ends::nothing_outlives_a_killed_parent", || {
            Box::pin(nothing_outlives_a_killed_parent())
        }),
        ("ends::nothing_outlives_a_killed_launcher", || {
            Box::pin(nothing_outlives_a_killed_launcher())
        }),
        ("ends::the_end_is_told", || Box::pin(the_end_is_told())),
    ]
}

/// The numbers of four processes, as the program says them.
async fn numbers(stdout: &mut (impl tokio::io::AsyncRead + Unpin)) -> Vec<u32> {
    let mut said = String::new();
    let mut byte = [0];
    while said.lines().count() < 4 || !said.ends_with('\n') {
        assert_eq!(stdout.read(&mut byte).await.unwrap(), 1, "{said}");
        said.push(char::from(byte[0]));
    }
    said.lines().map(|line| line.parse().unwrap()).collect()
}

fn is_there(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

/// That all of `processes` are gone, or go within seconds.
fn check_gone(processes: &[u32]) {
    let begun = Instant::now();
    while processes.iter().any(|process| is_there(*process)) {
        assert!(begun.elapsed() < Duration::from_secs(10), "{processes:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

async fn nothing_outlives_its_program() {
    let place = place();
    // It ends when its input does.
    let script = format!("{STAY}\nsys.stdin.read(); os._exit(7)");
    let process = place
        .start(&python(&["-I", "-c", &script]), &Grants::none())
        .await;
    let (stdin, mut stdout, _stderr, mut handle) = process.into_parts();
    let processes = numbers(&mut stdout).await;
    assert!(processes.iter().all(|process| is_there(*process)));
    drop(stdin);
    assert_eq!(handle.wait().await, Ended::Exited(7));
    // Not within seconds: when the end is told, they are gone.
    assert!(!processes.iter().any(|process| is_there(*process)));
    place.check_empty();
}

async fn nothing_outlives_the_value() {
    let place = place();
    let script = format!("{STAY}\ntime.sleep(60)");
    let mut process = place
        .start(&python(&["-I", "-c", &script]), &Grants::none())
        .await;
    let processes = numbers(&mut process.stdout).await;
    drop(process);
    check_gone(&processes);
}

async fn nothing_outlives_a_killed_launcher() {
    let place = place();
    let script = format!("{STAY}\nos.write(1, f'{{os.getppid()}}\\n'.encode()); time.sleep(60)");
    let mut process = place
        .start(&python(&["-I", "-c", &script]), &Grants::none())
        .await;
    let processes = numbers(&mut process.stdout).await;
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let launcher = status.lines().find_map(|it| it.strip_prefix("PPid:"));
    let launcher: i32 = launcher.unwrap().trim().parse().unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(launcher).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    assert_eq!(process.wait().await, Ended::LauncherLost);
    check_gone(&processes);
}

async fn nothing_outlives_a_killed_parent() {
    let mut holder = Command::new("/proc/self/exe")
        .arg(HOLD)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    let processes: Vec<u32> = lines
        .take(4)
        .map(|it| it.unwrap().parse().unwrap())
        .collect();
    assert!(processes.iter().all(|process| is_there(*process)));
    holder.kill().unwrap();
    holder.wait().unwrap();
    check_gone(&processes);
}

/// Says the numbers of a cage's processes, and waits to be killed.
#[allow(clippy::print_stdout, reason = "the test reads the numbers")]
pub(crate) fn hold() -> ExitCode {
    Runtime::new().unwrap().block_on(async {
        let place = place();
        let script = format!("{STAY}\ntime.sleep(60)");
        let mut process = place
            .start(&python(&["-I", "-c", &script]), &Grants::none())
            .await;
        for number in numbers(&mut process.stdout).await {
            println!("{number}");
        }
        process.wait().await;
    });
    ExitCode::SUCCESS
}

async fn the_end_is_told() {
    let place = place();
    for (script, expect) in [
        ("sys.exit(0)", Ended::Exited(0)),
        ("sys.exit(3)", Ended::Exited(3)),
        ("os.kill(os.getpid(), 9)", Ended::Signalled(9)),
        ("os.abort()", Ended::Signalled(6)),
    ] {
        let said = place.python(script, &Grants::none()).await;
        assert_eq!(said.ended, expect, "{script}: {said:?}");
    }
    let mut process = place
        .start(
            &python(&["-c", "import time; time.sleep(60)"]),
            &Grants::none(),
        )
        .await;
    process.kill();
    assert_eq!(process.wait().await, Ended::Signalled(9));
    assert_eq!(process.wait().await, Ended::Signalled(9));
}

//! Cages, interpreters and canaries for the tests, and scripts that say what they could do.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::runtime::Runtime;
use tool_hub_cage::{Cage, CageLimits, CagedProcess, Ended, Launcher, Program, TaskBound};
use tool_hub_manifest::{Grants, VariableName};

use crate::LAUNCH;

/// A test by its name.
pub(crate) type Test = (&'static str, fn() -> Pin<Box<dyn Future<Output = ()>>>);

/// The longest that any test takes.
const TEST_TIME_MAX: Duration = Duration::from_secs(120);

/// Makes trials of `tests`. If something is `missing`, those that would run are ignored, loudly.
pub(crate) fn trials(
    arguments: &Arguments,
    tests: Vec<Test>,
    missing: impl Fn() -> Option<String>,
) -> Vec<Trial> {
    let reason = OnceCell::new();
    tests
        .into_iter()
        .map(|(name, run)| {
            let trial = Trial::test(name, move || {
                let runtime = Runtime::new().unwrap();
                runtime.block_on(async {
                    let limited = tokio::time::timeout(TEST_TIME_MAX, run()).await;
                    assert!(limited.is_ok(), "it took longer than {TEST_TIME_MAX:?}");
                });
                Ok(())
            });
            if arguments.list || arguments.is_filtered_out(&trial) {
                return trial;
            }
            let reason: &Option<String> = reason.get_or_init(&missing);
            if let Some(reason) = reason {
                #[allow(clippy::print_stderr, reason = "a skipped test says so")]
                {
                    eprintln!("SKIPPED {name}: {reason}");
                }
            }
            trial.with_ignored_flag(reason.is_some())
        })
        .collect()
}

/// A directory for private directories, which has to be empty in the end.
pub(crate) struct Place {
    pub(crate) scratch: TempDir,
    pub(crate) cage: Cage,
}

pub(crate) fn place() -> Place {
    limited(|_| {})
}

pub(crate) fn limited(edit: impl FnOnce(&mut CageLimits)) -> Place {
    let scratch = tempfile::tempdir().unwrap();
    let mut limits = CageLimits::standard();
    edit(&mut limits);
    let launcher = Launcher::new("/proc/self/exe", [LAUNCH]);
    let cage = Cage::new(launcher, scratch.path()).limits(limits);
    Place { scratch, cage }
}

/// The ways in which the kernel can count tasks here.
pub(crate) fn kernel_bounds() -> Vec<TaskBound> {
    let mut bounds = Cage::support().task_bounds().to_vec();
    bounds.retain(|bound| *bound != TaskBound::Watch);
    bounds
}

impl Place {
    /// The same with tasks bounded by `bound`.
    pub(crate) fn bounded(self, bound: TaskBound) -> Self {
        let Self { scratch, cage } = self;
        let cage = cage.task_bound(bound);
        Self { scratch, cage }
    }

    pub(crate) async fn start(&self, program: &Program, grants: &Grants) -> CagedProcess {
        let started = self.cage.start(program, grants, &BTreeMap::new()).await;
        started.unwrap()
    }

    /// Runs `script` with Python, and returns all that it says.
    pub(crate) async fn python(&self, script: &str, grants: &Grants) -> Said {
        self.python_with(script, &[], grants, &BTreeMap::new())
            .await
    }

    pub(crate) async fn python_with(
        &self,
        script: &str,
        arguments: &[&str],
        grants: &Grants,
        values: &BTreeMap<VariableName, String>,
    ) -> Said {
        let script = format!("{PRELUDE}\n{script}");
        let mut all = vec!["-I", "-c", &script];
        all.extend(arguments);
        let program = python(&all);
        let process = self.cage.start(&program, grants, values).await.unwrap();
        said(process).await
    }

    /// Checks that nothing is left of any cage.
    pub(crate) fn check_empty(&self) {
        let left: Vec<_> = std::fs::read_dir(self.scratch.path()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// What a program said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) stdout: String,
    #[allow(dead_code, reason = "shown when a test fails")]
    pub(crate) stderr: String,
    pub(crate) ended: Ended,
}

pub(crate) async fn said(process: CagedProcess) -> Said {
    let (stdin, mut stdout, mut stderr, mut handle) = process.into_parts();
    drop(stdin);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (first, second) = tokio::join!(stdout.read_to_end(&mut out), stderr.read_to_end(&mut err));
    first.unwrap();
    second.unwrap();
    let ended = handle.wait().await;
    Said {
        stdout: String::from_utf8_lossy(&out).into_owned(),
        stderr: String::from_utf8_lossy(&err).into_owned(),
        ended,
    }
}

impl Said {
    /// What came of each attempt, by its name: `done`, or the name of the error.
    pub(crate) fn attempts(&self) -> BTreeMap<&str, &str> {
        assert_eq!(self.ended, Ended::Exited(0), "{self:?}");
        let lines = self.stdout.lines();
        lines
            .filter_map(|line| line.strip_prefix("attempt "))
            .map(|line| line.rsplit_once(": ").unwrap())
            .collect()
    }

    /// Checks that each attempt ended with one of these errors, and that there were `count`.
    #[track_caller]
    pub(crate) fn all_refused(&self, count: usize) {
        let attempts = self.attempts();
        let refused = [
            "EACCES",
            "EPERM",
            "ENOSYS",
            "EXDEV",
            "EAFNOSUPPORT",
            "ENOENT",
            "ENXIO",
            "ENOTSUP",
        ];
        let allowed: Vec<_> = attempts
            .iter()
            .filter(|(_, what)| !refused.contains(what))
            .collect();
        assert!(allowed.is_empty(), "{allowed:?}");
        assert_eq!(attempts.len(), count, "{attempts:?}");
    }
}

/// Says what comes of each attempt.
const PRELUDE: &str = r#"
import ctypes, errno, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, what):
    try:
        what()
        outcome = "done"
    except OSError as error:
        outcome = errno.errorcode.get(error.errno, str(error.errno))
    except Exception as error:
        outcome = type(error).__name__
    print(f"attempt {name}: {outcome}", flush=True)
def call(number, *arguments):
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    if libc.syscall(ctypes.c_long(number), *values) == -1:
        raise OSError(ctypes.get_errno(), "refused")
"#;

/// Python itself, and the directory of its packages where it is not the system's.
static PYTHON: LazyLock<(PathBuf, PathBuf)> = LazyLock::new(|| {
    let script = "import sys; print(sys.executable); print(sys.base_prefix)";
    let output = Command::new("python3").args(["-c", script]).output();
    let output = String::from_utf8(output.unwrap().stdout).unwrap();
    let mut lines = output.lines().map(PathBuf::from);
    (lines.next().unwrap(), lines.next().unwrap())
});

pub(crate) fn python(arguments: &[&str]) -> Program {
    with_packages(
        Program::new(&PYTHON.0, arguments.iter().copied()),
        &PYTHON.1,
    )
}

pub(crate) fn python_path() -> &'static Path {
    &PYTHON.0
}

pub(crate) fn node(arguments: &[&str]) -> Program {
    let script = "console.log(process.execPath)";
    let output = Command::new("node").args(["-e", script]).output().unwrap();
    let path = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
    let beside = path.parent().unwrap().parent().unwrap().to_owned();
    with_packages(Program::new(path, arguments.iter().copied()), &beside)
}

fn with_packages(program: Program, directory: &Path) -> Program {
    if directory.starts_with("/usr") {
        return program;
    }
    program.packages(directory)
}

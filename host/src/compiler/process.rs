//! The parent's side: starts the child, waits for it no longer than it may take, and says
//! which limit ended it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::CompilerProcess;
use super::child::OUT_OF_MEMORY;
use crate::HostError;
use crate::code::{Code, Image, anonymous_file};

/// How often the parent looks whether the child has ended.
const LOOK: Duration = Duration::from_millis(2);
/// As much of what the child says as is repeated.
const WORDS_MAX: u64 = 2 << 10;
/// What Rust's standard library says before it aborts because memory ran out.
const ALLOCATION_FAILED: &str = "memory allocation of ";

/// Why there is no code.
#[derive(Debug)]
pub(crate) enum CompileError {
    /// The component is not valid here.
    Invalid(HostError),
    /// The compiler does not take the component, or did not survive it.
    Refused(String),
    /// The component takes more than a limit of [`CompileLimits`](super::CompileLimits).
    Limit { limit: &'static str, value: u64 },
    /// The compiler could not be started or heard.
    Io(io::Error),
}

impl From<io::Error> for CompileError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl CompilerProcess {
    /// Compiles `component` in a new process. All that parent and child exchange are three
    /// files in memory, so that neither has to keep up with the other.
    #[expect(
        unsafe_code,
        reason = "the program is the embedder's own, and nobody else has the file it wrote to"
    )]
    pub(super) fn compile(&self, component: &[u8]) -> Result<Code, CompileError> {
        let mut input = anonymous_file()?;
        self.limits.write(&mut input)?;
        input.write_all(component)?;
        input.rewind()?;
        let (code, words) = (anonymous_file()?, anonymous_file()?);
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(input))
            .stdout(Stdio::from(code.try_clone()?))
            .stderr(Stdio::from(words.try_clone()?))
            .spawn()?;
        let Some(status) = wait(&mut child, self.limits.wall())? else {
            return Err(over("wall_ms", self.limits.wall_ms));
        };
        if !status.success() {
            return Err(self.death(status, &heard(words)?));
        }
        let image = Image::sealed(code)?;
        // SAFETY: a program that the embedder trusts as itself ended well after it wrote
        // this with `precompile_component`, and had the only other way to the file. The
        // component could choose what was compiled, not what the compiler makes of it.
        Ok(unsafe { Code::vouched(image) })
    }

    fn death(&self, status: ExitStatus, words: &str) -> CompileError {
        if status.code() == Some(OUT_OF_MEMORY.into()) || words.contains(ALLOCATION_FAILED) {
            return over("memory_bytes", self.limits.memory_bytes);
        }
        match ended_by(status) {
            Some(Ended::Cpu) => over("cpu_seconds", self.limits.cpu_seconds),
            Some(Ended::FileSize) => over("code_bytes", self.limits.code_bytes),
            None if status.code() == Some(1) => CompileError::Refused(words.to_owned()),
            None => CompileError::Refused(format!("the compiler ended with {status}: {words}")),
        }
    }
}

fn over(limit: &'static str, value: u64) -> CompileError {
    CompileError::Limit { limit, value }
}

/// Waits for the end of `child` and kills it when that takes longer than `wall`.
fn wait(child: &mut Child, wall: Duration) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() >= wall {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

/// What the child said, as far as it is worth repeating.
fn heard(mut words: File) -> io::Result<String> {
    let mut said = Vec::new();
    words.rewind()?;
    words.take(WORDS_MAX).read_to_end(&mut said)?;
    Ok(String::from_utf8_lossy(&said).trim().to_owned())
}

/// Limits at which the system ends a process with a signal of its own.
enum Ended {
    Cpu,
    FileSize,
}

#[cfg(unix)]
fn ended_by(status: ExitStatus) -> Option<Ended> {
    use std::os::unix::process::ExitStatusExt as _;

    use rustix::process::Signal;
    let signal = status.signal()?;
    if signal == Signal::XCPU.as_raw() {
        Some(Ended::Cpu)
    } else if signal == Signal::XFSZ.as_raw() {
        Some(Ended::FileSize)
    } else {
        None
    }
}

#[cfg(not(unix))]
fn ended_by(_: ExitStatus) -> Option<Ended> {
    None
}

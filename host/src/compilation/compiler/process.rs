//! Starts the compiler's child process, waits a limited time, and says which limit ended it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::compilation::code::{Code, Image, anonymous_file};
use crate::compilation::compile_error::CompileError;
use crate::compilation::compiler::child::OUT_OF_MEMORY;
use crate::compilation::compiler::limits::CompileLimits;

/// The interval at which the parent looks whether the child has ended.
const LOOK: Duration = Duration::from_millis(2);
/// At most so much of the child's standard error is repeated.
const STDERR_BYTES_MAX: u64 = 2 << 10;
/// The message of Rust's standard library before it aborts because memory ran out.
const ALLOCATION_FAILED: &str = "memory allocation of ";

/// The program that compiles, and how much of the machine it gets.
///
/// The host runs the code that this program makes, so it has to be one that the embedder
/// trusts as itself and that has the same version of this crate: the embedder's own
/// executable, or the command `tool` beside it. It is given the `arguments` and calls
/// [`compile_for_parent`](crate::compile_for_parent). It gets no environment, and of files only
/// those that the embedder marked as inheritable, which Rust does with none.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CompilerProcess {
    /// The program's path.
    pub program: PathBuf,
    /// The arguments that tell the program to compile.
    pub arguments: Vec<OsString>,
    /// The limits of one compilation. Memory is limited on Linux, processor time and code on Unix,
    /// time everywhere.
    pub limits: CompileLimits,
}

impl CompilerProcess {
    /// `program`, called with `arguments`, within [`CompileLimits::standard`].
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            limits: CompileLimits::standard(),
        }
    }

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
        let (code, stderr) = (anonymous_file()?, anonymous_file()?);
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(input))
            .stdout(Stdio::from(code.try_clone()?))
            .stderr(Stdio::from(stderr.try_clone()?))
            .spawn()?;
        let Some(status) = wait(&mut child, self.limits.time_max())? else {
            return Err(over("wall_ms", self.limits.wall_ms));
        };
        if !status.success() {
            return Err(self.failure(status, &read_stderr(stderr)?));
        }
        let image = Image::sealed(code)?;
        // SAFETY: a program that the embedder trusts as itself ended well after it wrote
        // this with `precompile_component`, and had the only other way to the file. The
        // component could choose what was compiled, not what the compiler makes of it.
        Ok(unsafe { Code::from_trusted(image) })
    }

    fn failure(&self, status: ExitStatus, stderr: &str) -> CompileError {
        if status.code() == Some(OUT_OF_MEMORY.into()) || stderr.contains(ALLOCATION_FAILED) {
            return over("memory_bytes", self.limits.memory_bytes);
        }
        if let Some(error) = ended_by_system(status, &self.limits) {
            return error;
        }
        match status.code() {
            Some(1) => CompileError::Refused(stderr.to_owned()),
            _ => CompileError::Refused(format!("the compiler ended with {status}: {stderr}")),
        }
    }
}

fn over(limit: &'static str, value: u64) -> CompileError {
    CompileError::Limit { limit, value }
}

/// Waits for the end of `child` and kills it when that takes longer than `time_max`.
fn wait(child: &mut Child, time_max: Duration) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() >= time_max {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

/// The beginning of what the child wrote to standard error.
fn read_stderr(mut file: File) -> io::Result<String> {
    let mut text = Vec::new();
    file.rewind()?;
    file.take(STDERR_BYTES_MAX).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).trim().to_owned())
}

/// The limit at which the system ended the process with a signal of its own.
#[cfg(unix)]
fn ended_by_system(status: ExitStatus, limits: &CompileLimits) -> Option<CompileError> {
    use std::os::unix::process::ExitStatusExt as _;

    use rustix::process::Signal;
    let signal = status.signal()?;
    if signal == Signal::XCPU.as_raw() {
        Some(over("cpu_seconds", limits.cpu_seconds))
    } else if signal == Signal::XFSZ.as_raw() {
        Some(over("code_bytes", limits.code_bytes))
    } else {
        None
    }
}

/// Other systems end no process so.
#[cfg(not(unix))]
fn ended_by_system(_: ExitStatus, _: &CompileLimits) -> Option<CompileError> {
    None
}

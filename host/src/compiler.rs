//! Compiling components. A compiler takes time and memory out of proportion to hostile
//! input, so it can run in a process of its own, with limits, and be killed.

mod child;
mod confinement;
mod limits;
mod process;
mod turns;

use std::ffi::OsString;
use std::path::PathBuf;

use wasmtime::Engine;

use crate::code::{Code, Image};
use crate::validate::validate;

pub use child::compile_for_parent;
pub use confinement::Confinement;
pub use limits::CompileLimits;
pub(crate) use process::CompileError;
pub(crate) use turns::Turns;

/// Where a host compiles components.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Compiler {
    /// In the host's own process. A component within the limits of the scan can still take
    /// gigabytes of its memory and minutes of its processor; neither can be taken back.
    InProcess,
    /// In a child process for each component. It is killed at a limit, and has access to nothing
    /// but the component, as far as the system supports that: see [`Confinement`].
    Child(CompilerProcess),
}

/// The program that compiles, and how much of the machine it gets.
///
/// The host runs the code that this program makes, so it has to be one that the embedder
/// trusts as itself and that has the same version of this crate: the embedder's own
/// executable, or the command `tool` beside it. It is given the `arguments` and calls
/// [`compile_for_parent`]. It gets no environment, and of files only those that the embedder
/// marked as inheritable, which Rust does with none.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CompilerProcess {
    /// The program's path.
    pub program: PathBuf,
    /// What tells the program that it is to compile.
    pub arguments: Vec<OsString>,
    /// What one compilation gets. Memory, processor time and code are limited on Unix, time
    /// everywhere.
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
}

impl Compiler {
    /// Validates `component`, which takes longer than the scan but hardly any memory, and
    /// compiles it for `engine`.
    pub(crate) fn compile(&self, component: &[u8], engine: &Engine) -> Result<Code, CompileError> {
        match self {
            Self::InProcess => in_process(component, engine),
            Self::Child(child) => child.compile(component),
        }
    }
}

#[expect(unsafe_code, reason = "the engine's own output is what it can run")]
fn in_process(component: &[u8], engine: &Engine) -> Result<Code, CompileError> {
    validate(component).map_err(CompileError::Invalid)?;
    let code = engine
        .precompile_component(component)
        .map_err(|error| CompileError::Refused(format!("{error:#}")))?;
    let image = Image::written(&code).map_err(CompileError::Io)?;
    // SAFETY: this is what the engine made, whole.
    Ok(unsafe { Code::vouched(image) })
}

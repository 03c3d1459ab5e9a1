//! Compiles components in this process, or in a child process with limits that can be killed.
//! A compiler takes time and memory out of proportion to hostile input.

pub(crate) mod child;
pub(crate) mod confinement;
pub(crate) mod limits;
pub(crate) mod process;
pub(crate) mod slots;

use std::io;

use wasmtime::Engine;

use crate::compilation::code::{Code, Image};
use crate::compilation::compile_error::CompileError;
use crate::compilation::compiler::process::CompilerProcess;
use crate::component::validate::validate;

/// The place where a host compiles components.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Compiler {
    /// In the host's own process. A component within the limits of the scan can still take
    /// gigabytes of its memory and minutes of its processor; neither can be taken back.
    InProcess,
    /// In a child process for each component. It is killed at a limit, and has access to nothing
    /// but the component, as far as the system supports that: see
    /// [`Confinement`](crate::Confinement).
    Child(CompilerProcess),
}

impl Compiler {
    /// Validates `component`, which takes longer than the scan but hardly any memory, and
    /// compiles it for `engine`, which is of its kind.
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
    // The threads are this compilation's own. Those that the library keeps for the whole process
    // are not there any more in a child that it forks, which would wait for them for ever.
    let threads = rayon::ThreadPoolBuilder::new()
        .thread_name(|_| "tool-hub compiler".to_owned())
        .build()
        .map_err(io::Error::other)?;
    let code = threads
        .install(|| engine.precompile_component(component))
        .map_err(|error| CompileError::Refused(format!("{error:#}")))?;
    let image = Image::written(&code).map_err(CompileError::Io)?;
    // SAFETY: this is what the engine made, whole.
    Ok(unsafe { Code::from_trusted(image) })
}

//! The compiler's child process: confines itself, reads one component, writes its code and ends.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use wasmtime::OutOfMemory;

use crate::compilation::compiler::confinement::Confinement;
use crate::compilation::compiler::limits::CompileLimits;
use crate::compilation::engine;
use crate::component::engine_kind::EngineKind;
use crate::component::validate::validate;

/// The exit code when the compiler itself found that memory ran out.
pub(super) const OUT_OF_MEMORY: u8 = 3;

/// Compiles the component that a host sends to standard input, and answers on standard output. The
/// program that [`CompilerProcess`](crate::CompilerProcess) names calls this before anything else,
/// and exits with the returned code. Before it reads the first byte of the component it applies its
/// limits, and confines itself as far as the system supports that: see [`Confinement`].
pub fn compile_for_parent() -> ExitCode {
    match compile() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The parent shows it. If it cannot be written, there is nobody to tell.
            let _ = write!(io::stderr(), "{error:#}");
            if error.is::<OutOfMemory>() {
                ExitCode::from(OUT_OF_MEMORY)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn compile() -> wasmtime::Result<()> {
    let (mut input, mut output) = plain_files()?;
    CompileLimits::read(&mut input)?.apply()?;
    // This inspects the processor and no untrusted data, so it may come before the confinement.
    let single_task = engine::compiling(EngineKind::SingleTask)?;
    let multi_task = engine::compiling(EngineKind::MultiTask)?;
    Confinement::apply();
    let mut component = Vec::new();
    input.read_to_end(&mut component)?;
    validate(&component).map_err(wasmtime::Error::new)?;
    let engine = match EngineKind::of(&component) {
        EngineKind::SingleTask => single_task,
        EngineKind::MultiTask => multi_task,
    };
    let code = engine.precompile_component(&component)?;
    output.write_all(&code)?;
    Ok(())
}

/// Standard input and output as files. The standard library's input buffer would read ahead, and
/// its output buffer searches for line ends.
fn plain_files() -> io::Result<(File, File)> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        Ok((
            input.into(),
            io::stdout().as_fd().try_clone_to_owned()?.into(),
        ))
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::AsHandle as _;
        let input = io::stdin().as_handle().try_clone_to_owned()?;
        let output = io::stdout().as_handle().try_clone_to_owned()?;
        Ok((input.into(), output.into()))
    }
}

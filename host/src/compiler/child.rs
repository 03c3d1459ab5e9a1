//! The child's side: a process that reads one component, writes its code and ends.

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use wasmtime::OutOfMemory;

use super::CompileLimits;
use crate::engine;
use crate::validate::validate;

/// The exit code when the compiler itself found that memory ran out.
pub(super) const OUT_OF_MEMORY: u8 = 3;

/// Compiles what a host gives on standard input and answers on standard output. The program
/// that [`CompilerProcess`](super::CompilerProcess) names calls this, before it does
/// anything else, and ends with what this returns.
pub fn compile_for_parent() -> ExitCode {
    match compile() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The parent shows it; where nobody listens there is nobody to tell.
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
    let mut input = io::stdin().lock();
    CompileLimits::read(&mut input)?.impose()?;
    let mut component = Vec::new();
    input.read_to_end(&mut component)?;
    validate(&component).map_err(wasmtime::Error::new)?;
    let code = engine::compiling()?.precompile_component(&component)?;
    // Not `Stdout`, which would look for the ends of lines in native code.
    let mut output = output()?;
    output.write_all(&code)?;
    Ok(())
}

/// Standard output without the buffer that text has.
fn output() -> io::Result<std::fs::File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::AsHandle as _;
        Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
    }
}

//! The path and argument that start this program again as the process that compiles components.
//! In a process of its own, a hostile component can crash nothing else.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use tool_hub_host::CompilerProcess;

/// The only argument of the process that compiles. It is no command for people.
const ARGUMENT: &str = "compile-for-parent";

/// True if this process was started to compile.
pub(crate) fn is_wanted() -> bool {
    std::env::args_os().nth(1).as_deref() == Some(OsStr::new(ARGUMENT))
}

/// The process that a host starts to compile.
pub(crate) fn process() -> io::Result<CompilerProcess> {
    Ok(CompilerProcess::new(this_program()?, [ARGUMENT]))
}

/// The program that runs, even after its file was replaced by another version.
pub(crate) fn this_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok("/proc/self/exe".into())
    } else {
        std::env::current_exe()
    }
}

//! The path and argument that start this program again as the process that closes a cage.
//! It stays outside of the cage, and ends all that is left in it.

use std::ffi::OsStr;
use std::io;

use tool_hub_cage::Launcher;

use crate::compiler_process;

/// The only argument of the process that closes a cage. It is no command for people.
const ARGUMENT: &str = "cage-for-parent";

/// True if this process was started to close a cage.
pub(crate) fn is_wanted() -> bool {
    std::env::args_os().nth(1).as_deref() == Some(OsStr::new(ARGUMENT))
}

/// The process that closes a cage.
pub(crate) fn launcher() -> io::Result<Launcher> {
    Ok(Launcher::new(compiler_process::this_program()?, [ARGUMENT]))
}

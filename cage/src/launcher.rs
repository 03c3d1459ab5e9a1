//! The `Launcher`: the process between this one and a caged program, which closes the cage.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The program that closes cages.
///
/// It is the embedder's own executable, or the command `tool` beside it, called with `arguments`,
/// and calls [`launch_for_parent`] before anything else. It lives as long as the cage, ends all
/// that is left in it when the program ends, and also when its parent is killed.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// The program's path.
    pub program: PathBuf,
    /// The arguments that tell the program to close a cage.
    pub arguments: Vec<OsString>,
}

impl Launcher {
    /// `program`, called with `arguments`.
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
        }
    }
}

/// Starts the program that the parent names, in a cage, and waits until all of it has ended. The
/// program that [`Launcher`] names calls this before anything else, while it has one thread, and
/// exits with the returned code.
pub fn launch_for_parent() -> ExitCode {
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    return crate::linux::child::launch();
    #[cfg(not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )))]
    ExitCode::FAILURE
}

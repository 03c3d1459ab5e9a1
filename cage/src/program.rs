//! The `Program` that is caged: its file, its arguments, and the packages that it is made of.

use std::ffi::OsString;
use std::path::PathBuf;

/// A program that is to run in a cage.
///
/// It reads and starts what is in the system's directories of programs and libraries, such as
/// `/usr`, and in `packages`. Its own file and interpreter have to be there. It sees no other
/// file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The path of the file, absolute.
    pub path: PathBuf,
    /// The arguments after its name.
    pub arguments: Vec<OsString>,
    /// Directories of packages that it reads and starts programs from, such as a virtual
    /// environment or `node_modules`. They are shown to whoever approves, as granted directories
    /// are.
    pub packages: Vec<PathBuf>,
}

impl Program {
    /// The program at `path` with `arguments`, which needs no packages.
    pub fn new<A: Into<OsString>>(
        path: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            path: path.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            packages: Vec::new(),
        }
    }

    /// Also reads and starts what is in `directory`.
    #[must_use]
    pub fn packages(mut self, directory: impl Into<PathBuf>) -> Self {
        self.packages.push(directory.into());
        self
    }
}

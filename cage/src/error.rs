//! The `CageError`: a program was not started, or its cage could not be closed around it.

use std::io;
use std::path::PathBuf;

use tool_hub_manifest::{DirectoryName, VariableName};

use crate::support::Support;
use crate::task_bound::TaskBound;

/// A program was not started. Nothing of it runs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CageError {
    /// This system cannot cage programs.
    #[error("this system cannot cage programs: {0}")]
    Unsupported(Support),
    /// The bound that was asked for does not hold on this system.
    #[error("the number of tasks cannot be bounded here in the way that was asked for ({0:?})")]
    TaskBound(TaskBound),
    /// The program's file cannot be read.
    #[error("cannot find the program {}", path.display())]
    Program {
        /// Its path.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// A directory of packages is not one that a program may read whole.
    #[error("{} cannot be a directory of packages: {reason}", path.display())]
    Packages {
        /// Its path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A granted directory is not where it was granted.
    #[error("the directory `{name}` at {} cannot be granted: {reason}", path.display())]
    Directory {
        /// Its name.
        name: DirectoryName,
        /// Its path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A granted variable has no value.
    #[error("the granted variable {0} has no value")]
    Variable(VariableName),
    /// A granted variable would change the cage itself.
    #[error("the variable {0} is the cage's own and cannot be granted")]
    OwnVariable(VariableName),
    /// The private directories could not be made.
    #[error("cannot make a private directory in {}", path.display())]
    Scratch {
        /// The directory in which they were to be made.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// The process that starts the program did not start.
    #[error("cannot start {}, which closes the cage", path.display())]
    Launcher {
        /// Its path.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// A step of closing the cage, or the start of the program in it, failed.
    #[error("the cage could not be closed around the program: {0}")]
    Closing(String),
    /// The process that closes the cage could not be talked to.
    #[error("the process that closes the cage could not be talked to")]
    Talk(#[source] io::Error),
}

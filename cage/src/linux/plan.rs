//! The `Plan` of one cage, which this process sends to the launcher.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

/// Everything that the launcher and the program's process are told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(String, OsString)>,
    /// The private directory that is removed at the end.
    pub(super) scratch: OsString,
    /// The directory in which the program starts.
    pub(super) working: OsString,
    pub(super) rules: Vec<FileRule>,
    pub(super) resources: Resources,
    pub(super) counting: Counting,
    /// True if an origin is granted, so that the proxy may be connected to.
    pub(super) network: bool,
}

/// A file or directory, with all that is in it, that the program may use.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FileRule {
    pub(super) path: OsString,
    pub(super) use_: FileUse,
}

/// The uses of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FileUse {
    /// Read and start, and missing where the system has no such file.
    System,
    /// Read only, and missing where the system has no such file.
    SystemData,
    /// Read and write to; a device.
    Device,
    /// Read and start.
    Packages,
    /// Read.
    Read,
    /// Read and change, without links.
    Change,
    /// Read and change, with links.
    Scratch,
}

/// The ways to count tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Counting {
    /// By the kernel, in a user namespace.
    UserNamespace,
    /// By the kernel, in a control group that is made in this directory.
    ControlGroup(OsString),
    /// From outside.
    Watch,
}

/// The limits that the kernel keeps for one process, and for all tasks where it counts them.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Resources {
    pub(super) memory_bytes: u64,
    pub(super) file_bytes: u64,
    pub(super) cpu_seconds: u64,
    pub(super) open_files: u64,
    pub(super) tasks: u64,
}

//! The cage: runs a local program, such as an MCP server, with nothing but what was granted.
//!
//! It needs no root, no container and no daemon. On Linux, Landlock denies files and TCP, seccomp
//! the system calls that lead elsewhere, and this process connects the program to a proxy that
//! leads to granted origins only. [`Cage::support`] says what the system lacks, before anything
//! is started; what lacks something starts nothing.
//!
//! Limits of the cage, which cannot be closed without root. The program still learns, or may do:
//!
//! - whether a file exists, its size, owner and times, and where a link leads, by its full name;
//!   but no names in a directory, and nothing that is inside of a file;
//! - the number of processors, the load and the memory of the machine, and users' names;
//! - in a directory that it may change it may change everything, `.git` and other names that the
//!   host guards against components included;
//! - over TLS it may use every method: the proxy sees the host and the port, not the requests.
//!
//! ```
//! use tool_hub_cage::Cage;
//!
//! for missing in Cage::support().missing() {
//!     eprintln!("programs cannot be caged here: {missing}");
//! }
//! ```

mod cage;
mod caged_process;
mod error;
mod launcher;
mod limits;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod linux;
mod program;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod proxy;
mod support;
mod task_bound;

pub use cage::Cage;
pub use caged_process::{CagedProcess, Ended, Handle};
pub use error::CageError;
pub use launcher::{Launcher, launch_for_parent};
pub use limits::CageLimits;
pub use program::Program;
pub use support::{Missing, Support};
pub use task_bound::TaskBound;

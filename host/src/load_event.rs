//! The `LoadEvent`: a step of loading a tool, of which a caller can be told.

use std::time::Duration;

/// A step of loading a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadEvent {
    /// The compiled code was found in the cache.
    Cached,
    /// Compilation begins; a component of many megabytes takes seconds.
    Compiling {
        /// The component's size.
        bytes: u64,
    },
    /// Compilation is over.
    Compiled {
        /// The time it took.
        elapsed: Duration,
    },
}

//! The `CageLimits` of one cage: what its processes may take of the machine, each with its unit.

/// The limits of one cage. They end what goes beyond them, or refuse it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CageLimits {
    /// Memory that one process may write to. The system refuses more.
    pub memory_bytes: u64,
    /// Memory of all processes together. It is looked at every second, and the cage ends.
    pub memory_bytes_total: u64,
    /// One file. The system ends a process that goes on.
    pub file_bytes: u64,
    /// The private home and temporary directory together. They are looked at every second, and
    /// the cage ends.
    pub scratch_bytes: u64,
    /// Processor time of one process, in whole seconds because the system counts so. The system
    /// ends a process at it.
    pub cpu_seconds: u64,
    /// Open files of one process.
    pub open_files: u64,
    /// Processes and threads together. More are refused where the kernel counts them, and otherwise
    /// end the cage: see [`TaskBound`](crate::TaskBound).
    pub tasks: u64,
    /// Connections to the proxy at a time. More are refused.
    pub connections: u32,
}

impl CageLimits {
    /// 2 GiB of memory for a process and 4 for all, files of 1 GiB, 4 GiB of private files, an
    /// hour of processor time, 1,024 open files, 256 processes and threads, 64 connections. Node
    /// takes 11 threads and 150 MiB.
    pub const fn standard() -> Self {
        Self {
            memory_bytes: 2 << 30,
            memory_bytes_total: 4 << 30,
            file_bytes: 1 << 30,
            scratch_bytes: 4 << 30,
            cpu_seconds: 3_600,
            open_files: 1_024,
            tasks: 256,
            connections: 64,
        }
    }
}

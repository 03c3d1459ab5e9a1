//! The `CompileLimits` of one compilation: defaults, transfer to the child process, enforcement.

use std::io::{self, Read, Write};
use std::time::Duration;

/// The limits of one compilation. A refusal names the field and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompileLimits {
    /// The memory that the compiler may allocate.
    pub memory_bytes: u64,
    /// The compiled code.
    pub code_bytes: u64,
    /// Processor time, of all cores together, in whole seconds because systems count so.
    pub cpu_seconds: u64,
    /// Time from start to end.
    pub wall_ms: u64,
}

impl CompileLimits {
    /// 2 GiB of memory, 1 GiB of code, two minutes of processor time, five of time, which
    /// a busy machine needs. An interpreter of 18 MB takes 340 MiB and 16 seconds of
    /// processor time.
    pub const fn standard() -> Self {
        Self {
            memory_bytes: 2 << 30,
            code_bytes: 1 << 30,
            cpu_seconds: 120,
            wall_ms: 300_000,
        }
    }

    pub(super) fn time_max(&self) -> Duration {
        Duration::from_millis(self.wall_ms)
    }

    /// Tells the child its limits, ahead of the component.
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        for limit in [
            self.memory_bytes,
            self.code_bytes,
            self.cpu_seconds,
            self.wall_ms,
        ] {
            to.write_all(&limit.to_le_bytes())?;
        }
        Ok(())
    }

    /// Reads what [`write`](Self::write) wrote.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut limit = || {
            let mut bytes = [0; 8];
            from.read_exact(&mut bytes)
                .map(|()| u64::from_le_bytes(bytes))
        };
        Ok(Self {
            memory_bytes: limit()?,
            code_bytes: limit()?,
            cpu_seconds: limit()?,
            wall_ms: limit()?,
        })
    }

    /// Sets the resource limits of this process. It also writes no core dump, which would contain
    /// the component, is hidden from the user's other processes, and ends with the thread that
    /// waits for it.
    #[cfg(unix)]
    pub(super) fn apply(&self) -> io::Result<()> {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let limit = |resource, current, maximum| {
            let limit = Rlimit {
                current: Some(current),
                maximum: Some(maximum),
            };
            setrlimit(resource, limit)
        };
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{DumpableBehavior, Signal};
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
        }
        limit(Resource::Core, 0, 0)?;
        limit(Resource::Data, self.memory_bytes, self.memory_bytes)?;
        limit(Resource::Fsize, self.code_bytes, self.code_bytes)?;
        // At the soft limit the system says why it ends the process, at the hard one not.
        let hard = self.cpu_seconds.saturating_add(1);
        limit(Resource::Cpu, self.cpu_seconds, hard)?;
        Ok(())
    }

    #[cfg(not(unix))]
    pub(super) fn apply(&self) -> io::Result<()> {
        Ok(())
    }
}

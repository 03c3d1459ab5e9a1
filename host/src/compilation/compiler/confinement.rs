//! The `Confinement` of the compiler's process by Landlock and seccomp: applies and detects it.
//! The process is left its memory, its threads and the files it was started with. If a component
//! exploits a fault of the compiler, it reaches neither the user's files nor the network nor other
//! processes.

#[cfg(any(
    all(target_os = "linux", target_arch = "x86_64"),
    all(target_os = "linux", target_arch = "aarch64"),
))]
mod linux;

/// The confinement of the compiler's process. A system that supports only one of these mechanisms,
/// or an older version of one, applies what it has; both are Linux's, so others apply none.
/// [`CompileLimits`](crate::CompileLimits) apply everywhere as far as the system enforces them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Confinement {
    /// Landlock: the process can open no file, and, from Linux 6.7 on, make no TCP connection.
    pub landlock: bool,
    /// seccomp: the process can make only the system calls that compiling needs. It can open no
    /// file and no socket, start no process, and inspect none.
    pub seccomp: bool,
}

impl Confinement {
    /// The confinement that this machine supports, found out by confining a short-lived thread.
    pub fn detect() -> Self {
        let thread = std::thread::Builder::new().name("tool-hub confined".into());
        let entered = thread.spawn(Self::apply).ok();
        let entered = entered.and_then(|thread| thread.join().ok());
        entered.unwrap_or(Self {
            landlock: false,
            seccomp: false,
        })
    }

    /// Confines the calling thread, and all threads that it starts, as far as the system supports
    /// it. This cannot be undone.
    #[cfg(any(
        all(target_os = "linux", target_arch = "x86_64"),
        all(target_os = "linux", target_arch = "aarch64"),
    ))]
    pub(super) fn apply() -> Self {
        Self {
            landlock: linux::landlock(),
            // Last, because it denies the system calls that the others need.
            seccomp: linux::seccomp(),
        }
    }

    #[cfg(not(any(
        all(target_os = "linux", target_arch = "x86_64"),
        all(target_os = "linux", target_arch = "aarch64"),
    )))]
    pub(super) fn apply() -> Self {
        Self {
            landlock: false,
            seccomp: false,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;

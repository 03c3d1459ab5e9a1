//! What the compiler's process may ask of the system: memory, threads of its own, and the
//! files that it was started with. So a fault of the compiler that a component reaches leads
//! neither to the user's files nor to the network nor to other processes.

#[cfg(any(
    all(target_os = "linux", target_arch = "x86_64"),
    all(target_os = "linux", target_arch = "aarch64"),
))]
mod linux;

/// What a system holds the compiler's process to. A system that has one of them only, or an
/// older form of one, gives what it has; see [`CompileLimits`](super::CompileLimits) for what
/// holds everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Confinement {
    /// It finds no file, and makes no TCP connection where the kernel can refuse that
    /// (Linux 6.7). This is Landlock.
    pub landlock: bool,
    /// It makes no system call but those that compiling takes: it opens nothing, has no
    /// sockets, starts no process and sees into none. This is seccomp.
    pub seccomp: bool,
}

impl Confinement {
    /// What this machine holds a compiler's process to, found out by putting a thread under
    /// it that ends at once.
    pub fn of_this_machine() -> Self {
        let thread = std::thread::Builder::new().name("tool-hub confined".into());
        let entered = thread.spawn(Self::enter).ok();
        let entered = entered.and_then(|thread| thread.join().ok());
        entered.unwrap_or(Self {
            landlock: false,
            seccomp: false,
        })
    }

    /// Puts the calling thread, and all that it starts, under as much as there is. Nothing
    /// takes that back.
    #[cfg(any(
        all(target_os = "linux", target_arch = "x86_64"),
        all(target_os = "linux", target_arch = "aarch64"),
    ))]
    pub(super) fn enter() -> Self {
        Self {
            landlock: linux::landlock(),
            // Last: it takes the calls away that the others are made with.
            seccomp: linux::seccomp(),
        }
    }

    #[cfg(not(any(
        all(target_os = "linux", target_arch = "x86_64"),
        all(target_os = "linux", target_arch = "aarch64"),
    )))]
    pub(super) fn enter() -> Self {
        Self {
            landlock: false,
            seccomp: false,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;

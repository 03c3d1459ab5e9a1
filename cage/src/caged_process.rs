//! A `CagedProcess`: the pipes of a program that runs in a cage, and how it ended.

#![cfg_attr(
    not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )),
    allow(dead_code, reason = "other systems start nothing")
)]

use std::fmt;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

/// A program that runs in a cage. Dropping this ends it and all that it started.
pub struct CagedProcess {
    /// Its standard input.
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    /// Its standard output.
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    /// Its standard error.
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
    handle: Handle,
}

/// The way to end a caged program, apart from its pipes. Dropping it ends the program.
pub struct Handle {
    group: u32,
    end: Box<dyn Fn() + Send + Sync>,
    ended: watch::Receiver<Option<Ended>>,
}

/// The end of a caged program. All processes that it had started have ended too.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// It exited with this code.
    Exited(i32),
    /// A signal ended it: the system's, for a limit of one process or a fault, or this process's.
    Signalled(i32),
    /// The cage as a whole went beyond a limit.
    Limit {
        /// The field of [`CageLimits`](crate::CageLimits).
        limit: &'static str,
        /// Its value.
        value: u64,
    },
    /// The process that closed the cage is gone, and what it left was ended.
    LauncherLost,
}

impl CagedProcess {
    pub(crate) fn new(
        stdin: Box<dyn AsyncWrite + Send + Unpin>,
        stdout: Box<dyn AsyncRead + Send + Unpin>,
        stderr: Box<dyn AsyncRead + Send + Unpin>,
        handle: Handle,
    ) -> Self {
        Self {
            stdin,
            stdout,
            stderr,
            handle,
        }
    }

    /// The number of the program's process and process group.
    pub fn id(&self) -> u32 {
        self.handle.group
    }

    /// Ends the program and all that it started, at once.
    pub fn kill(&self) {
        self.handle.kill();
    }

    /// Waits until the program and all that it started have ended. May be awaited again, and
    /// given up.
    pub async fn wait(&mut self) -> Ended {
        self.handle.wait().await
    }

    /// The pipes, in their order, and what ends the program.
    #[allow(clippy::type_complexity, reason = "three pipes and a handle")]
    pub fn into_parts(
        self,
    ) -> (
        Box<dyn AsyncWrite + Send + Unpin>,
        Box<dyn AsyncRead + Send + Unpin>,
        Box<dyn AsyncRead + Send + Unpin>,
        Handle,
    ) {
        (self.stdin, self.stdout, self.stderr, self.handle)
    }
}

impl Handle {
    pub(crate) fn new(
        group: u32,
        end: Box<dyn Fn() + Send + Sync>,
        ended: watch::Receiver<Option<Ended>>,
    ) -> Self {
        Self { group, end, ended }
    }

    /// Ends the program and all that it started, at once.
    pub fn kill(&self) {
        (self.end)();
    }

    /// Waits until the program and all that it started have ended.
    pub async fn wait(&mut self) -> Ended {
        match self.ended.wait_for(Option::is_some).await {
            Ok(ended) => ended.clone().unwrap_or(Ended::LauncherLost),
            Err(_) => Ended::LauncherLost,
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.kill();
    }
}

impl fmt::Debug for CagedProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CagedProcess")
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("group", &self.group)
            .finish_non_exhaustive()
    }
}

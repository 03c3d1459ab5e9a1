//! The `Cage`: says what the system lacks for it, and starts programs in it.

#![cfg_attr(
    not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )),
    allow(dead_code, reason = "other systems start nothing")
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use tool_hub_manifest::{Grants, VariableName};

use crate::caged_process::CagedProcess;
use crate::error::CageError;
use crate::launcher::Launcher;
use crate::limits::CageLimits;
use crate::program::Program;
use crate::support::Support;
use crate::task_bound::TaskBound;

/// A cage that programs can be started in, each in its own.
#[derive(Debug, Clone)]
pub struct Cage {
    launcher: Launcher,
    scratch: PathBuf,
    limits: CageLimits,
    task_bound: Option<TaskBound>,
}

impl Cage {
    /// A cage that `launcher` closes, within [`CageLimits::standard`]. In `scratch`, a directory
    /// for temporary files, each program gets a private home and temporary directory, which are
    /// removed when it has ended.
    pub fn new(launcher: Launcher, scratch: impl Into<PathBuf>) -> Self {
        Self {
            launcher,
            scratch: scratch.into(),
            limits: CageLimits::standard(),
            task_bound: None,
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn limits(mut self, limits: CageLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The same with tasks bounded by `bound` and nothing else, in the place of the best that
    /// [`Support::task_bounds`] has.
    #[must_use]
    pub fn task_bound(mut self, bound: TaskBound) -> Self {
        self.task_bound = Some(bound);
        self
    }

    /// Tells what this system lacks. Nothing is started.
    pub fn support() -> Support {
        Support::detect()
    }

    /// Starts `program` with `grants` and with the `values` of the variables among them.
    ///
    /// It runs with these rights and no others:
    ///
    /// - It reads the system's programs and libraries, its packages and the granted directories
    ///   at their own paths, and changes the latter where that is granted. It makes no symbolic
    ///   links there, and changes no permissions, owners or times of files.
    /// - Of the environment it has the granted variables, `PATH`, `LANG`, `HOME`, `TMPDIR` and
    ///   those that name the proxy.
    /// - It has no sockets. Where origins are granted, a TCP connection to the address in
    ///   `HTTPS_PROXY` leads to a proxy in this process, which nobody else can reach, and from
    ///   there to granted origins. There is no DNS: the proxy looks names up.
    /// - It and its children form one group of processes, which none of them leaves, and which
    ///   ends when the program does, when the value returned here is dropped, and when this
    ///   process ends.
    ///
    /// Storage and credentials among the grants are for components: a program is given neither.
    ///
    /// Needs a Tokio runtime, which the proxy runs on.
    ///
    /// # Errors
    /// Something is missing on this system, for this program or these grants. Then nothing runs.
    pub async fn start(
        &self,
        program: &Program,
        grants: &Grants,
        values: &BTreeMap<VariableName, String>,
    ) -> Result<CagedProcess, CageError> {
        let support = Self::support();
        if !support.is_complete() {
            return Err(CageError::Unsupported(support));
        }
        #[cfg(all(
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        ))]
        {
            let wanted = self.task_bound;
            let mut bounds = support.task_bounds().iter().copied();
            let task_bound = bounds
                .find(|bound| wanted.is_none_or(|wanted| wanted == *bound))
                .ok_or(CageError::TaskBound(wanted.unwrap_or(TaskBound::Watch)))?;
            let setup = crate::linux::start::Setup {
                launcher: self.launcher.clone(),
                scratch: self.scratch.clone(),
                limits: self.limits,
                task_bound,
            };
            crate::linux::start::start(setup, program, grants, values).await
        }
        #[cfg(not(all(
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        )))]
        {
            let _ = (program, grants, values);
            Err(CageError::Unsupported(support))
        }
    }
}

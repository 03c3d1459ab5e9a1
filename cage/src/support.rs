//! The `Support` of this system for cages: everything that is missing, before anything is started.

use std::fmt;

use crate::task_bound::TaskBound;

/// The oldest version of Landlock (Linux 6.12) that keeps files, TCP and signals apart.
pub(crate) const LANDLOCK_MIN: u32 = 6;

/// Tells whether this system can cage programs. Where something is missing nothing is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    missing: Vec<Missing>,
    task_bounds: Vec<TaskBound>,
}

/// A mechanism that this system lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// The system is not Linux on x86-64 or ARM64, and nothing else has these mechanisms.
    System {
        /// The system's name and processor.
        found: String,
    },
    /// The kernel has no Landlock, or it is switched off.
    Landlock,
    /// The kernel's Landlock is older than 6.
    LandlockVersion {
        /// The version that there is.
        found: u32,
    },
    /// The kernel has no seccomp filters, or a container forbids them.
    Seccomp,
    /// The kernel lets no process decide another one's system calls.
    SeccompNotification,
}

impl Support {
    /// Finds out what this system lacks. Nothing is changed, and nothing started but, once, a copy
    /// of this process that tries whether a bound holds.
    pub(crate) fn detect() -> Self {
        let missing = missing();
        let task_bounds = match missing.is_empty() {
            true => task_bounds(),
            false => Vec::new(),
        };
        Self {
            missing,
            task_bounds,
        }
    }

    /// True if nothing is missing.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// The ways in which the tasks of a cage can be bounded here, the best first. There is none
    /// where something is missing.
    pub fn task_bounds(&self) -> &[TaskBound] {
        &self.task_bounds
    }

    /// What is missing.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_complete() {
            return f.write_str("this system can cage programs");
        }
        let missing: Vec<String> = self.missing.iter().map(Missing::to_string).collect();
        f.write_str(&missing.join("; "))
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System { found } => write!(
                f,
                "programs are caged on Linux (x86-64, ARM64) only, and this is {found}"
            ),
            Self::Landlock => write!(
                f,
                "the kernel has no Landlock, or it is switched off; Linux 6.12 or newer has it, \
                 with `landlock` in the kernel's parameter `lsm`"
            ),
            Self::LandlockVersion { found } => write!(
                f,
                "the kernel's Landlock has version {found}, and version {LANDLOCK_MIN} (Linux 6.12) \
                 is needed"
            ),
            Self::Seccomp => write!(
                f,
                "the kernel has no seccomp filters, or this container forbids them"
            ),
            Self::SeccompNotification => write!(
                f,
                "the kernel has no seccomp notifications, or this container forbids them"
            ),
        }
    }
}

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
fn missing() -> Vec<Missing> {
    use crate::linux::detection;
    let mut missing = Vec::new();
    match detection::landlock_version() {
        None => missing.push(Missing::Landlock),
        Some(found) if found < LANDLOCK_MIN => missing.push(Missing::LandlockVersion { found }),
        Some(_) => {}
    }
    if !detection::has_seccomp_action(libc::SECCOMP_RET_ERRNO) {
        missing.push(Missing::Seccomp);
    } else if !detection::has_seccomp_action(libc::SECCOMP_RET_USER_NOTIF) {
        missing.push(Missing::SeccompNotification);
    }
    missing
}

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
fn task_bounds() -> Vec<TaskBound> {
    use crate::linux::{control_group, user_namespace};
    let mut bounds = Vec::new();
    if user_namespace::bounds_tasks() {
        bounds.push(TaskBound::UserNamespace);
    }
    if control_group::parent().is_some() {
        bounds.push(TaskBound::ControlGroup);
    }
    bounds.push(TaskBound::Watch);
    bounds
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn task_bounds() -> Vec<TaskBound> {
    Vec::new()
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn missing() -> Vec<Missing> {
    let found = format!("{} ({})", std::env::consts::OS, std::env::consts::ARCH);
    vec![Missing::System { found }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_mechanism_is_named_in_one_sentence() {
        let lacking = Support {
            missing: vec![Missing::LandlockVersion { found: 4 }, Missing::Seccomp],
            task_bounds: vec![],
        };
        assert!(!lacking.is_complete());
        assert_eq!(
            lacking.to_string(),
            "the kernel's Landlock has version 4, and version 6 (Linux 6.12) is needed; the kernel \
             has no seccomp filters, or this container forbids them"
        );
        let nothing = Support {
            missing: vec![],
            task_bounds: vec![TaskBound::Watch],
        };
        assert!(nothing.is_complete() && nothing.missing().is_empty());
    }
}

//! The `TaskBound` of this system: what keeps a cage within its number of processes and threads.

use std::fmt;

/// The ways to keep a cage within [`CageLimits::tasks`](crate::CageLimits::tasks), the best first.
/// None of them has a process wait that starts another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskBound {
    /// The kernel refuses more, because it counts the tasks of a user namespace apart. It makes no
    /// difference to root.
    UserNamespace,
    /// The kernel refuses more, by a control group whose `pids.max` this process may set.
    ControlGroup,
    /// Nobody refuses more. The tasks are counted ten times a second, and a cage with more ends.
    Watch,
}

impl fmt::Display for TaskBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UserNamespace => "the kernel counts its processes, in a user namespace",
            Self::ControlGroup => "the kernel counts its processes, in a control group",
            Self::Watch => {
                "its processes are counted ten times a second; thousands may be there before it ends"
            }
        })
    }
}

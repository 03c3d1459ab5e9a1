//! The cage on Linux: Landlock, seccomp and its notifications, limits, one group of processes.
//!
//! Three processes take part. This one starts the launcher and keeps a socket to it. The launcher
//! (`child`) is outside of the cage: it forks the program's process, waits for its end, and ends
//! the group when the program or this process has ended. The program's process closes the cage
//! around itself (`closing`) before it becomes the program. It hands this process a listener, by
//! which the kernel asks about its connections. New processes and threads ask nobody: the kernel
//! counts them (`user_namespace`, `control_group`), or this process does from outside (`watch`).

pub(crate) mod child;
mod closing;
mod control;
pub(crate) mod control_group;
pub(crate) mod detection;
mod files;
mod launching;
mod listener;
mod members;
mod notification;
mod plan;
mod process_group;
pub(crate) mod start;
mod system_calls;
mod task_limit;
pub(crate) mod user_namespace;
mod watch;

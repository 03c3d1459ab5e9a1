//! The `ProcessGroup` of a started program, alone or with its descendants: ends or kills them.

use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::terminal::problem::Problem;
use crate::terminal::signals::stop_requested;

/// The time that programs have to end themselves, once they are told to.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// The processes that a signal is for. Where it is dropped before the program ended, the program is
/// killed.
pub(super) struct ProcessGroup {
    /// `None` once the program ended: its process id may be another program's then.
    process: Option<u32>,
    signalled: Signalled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signalled {
    /// The program alone, which ends those that it started.
    Alone,
    /// The program and its descendants.
    Descendants,
}

impl ProcessGroup {
    /// Has `command` started in a group of its own, so that its descendants can be told from
    /// everybody else.
    pub(super) fn separate(command: &mut Command) {
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(not(unix))]
        let _ = command;
    }

    /// A program that was started by a command made [`separate`](Self::separate).
    pub(super) fn with_descendants(child: &Child) -> Self {
        Self {
            process: child.id(),
            signalled: Signalled::Descendants,
        }
    }

    /// A program in this process's own group.
    pub(super) fn alone(child: &Child) -> Self {
        Self {
            process: child.id(),
            signalled: Signalled::Alone,
        }
    }

    /// Waits for `end`, which comes when the programs are gone.
    ///
    /// # Errors
    /// When the user asks to stop. The programs are gone then, or were killed.
    pub(super) async fn or_stopped<T>(
        &mut self,
        end: impl Future<Output = T>,
    ) -> anyhow::Result<T> {
        tokio::pin!(end);
        tokio::select! {
            ended = &mut end => {
                self.process = None;
                return Ok(ended);
            }
            () = stop_requested() => {}
        }
        self.signal(Ending::Asked);
        if timeout(GRACE, &mut end).await.is_ok() {
            self.process = None;
        }
        Err(Problem::interrupted().into())
    }

    /// Tells the programs to end. Those that still run when this is dropped are killed. Nobody may
    /// wait for the started program before that, since its process id could become another's.
    pub(super) fn ask_to_end(&self) {
        self.signal(Ending::Asked);
    }

    fn signal(&self, ending: Ending) {
        if let Some(process) = self.process {
            send(process, self.signalled, ending);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.signal(Ending::Forced);
    }
}

enum Ending {
    Asked,
    Forced,
}

#[cfg(unix)]
fn send(process: u32, signalled: Signalled, ending: Ending) {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) else {
        return;
    };
    let signal = match ending {
        Ending::Asked => Signal::TERM,
        Ending::Forced => Signal::KILL,
    };
    // Whoever is gone already needs no signal.
    let _ = match signalled {
        Signalled::Alone => kill_process(process, signal),
        Signalled::Descendants => kill_process_group(process, signal),
    };
}

/// The runtime kills the program itself when its handle is dropped; its descendants stay.
#[cfg(not(unix))]
fn send(_process: u32, _signalled: Signalled, _ending: Ending) {}

//! Starts the launcher, and talks with it until the program runs in its cage.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, Command, Stdio};

use rustix::process::Pid;

use crate::error::CageError;
use crate::launcher::Launcher;
use crate::linux::control::{self, kind};
use crate::linux::plan::Plan;
use crate::linux::process_group::ProcessGroup;
use crate::linux::user_namespace;

/// The parent's ends of the program's pipes.
pub(super) struct Pipes {
    pub(super) stdin: io::PipeWriter,
    pub(super) stdout: io::PipeReader,
    pub(super) stderr: io::PipeReader,
}

/// A launcher that has started the program.
pub(super) struct Launched {
    pub(super) launcher: Child,
    pub(super) control: OwnedFd,
    pub(super) listener: OwnedFd,
    pub(super) group: ProcessGroup,
    pub(super) pipes: Pipes,
}

/// Starts `launcher`, which starts the program.
pub(super) fn launch(launcher: &Launcher, plan: &Plan) -> Result<Launched, CageError> {
    let failed = |source| CageError::Launcher {
        path: launcher.program.clone(),
        source,
    };
    let (control, theirs) = control::pair().map_err(failed)?;
    let (stdin, to_program) = io::pipe().map_err(failed)?;
    let (from_program, stdout) = io::pipe().map_err(failed)?;
    let (errors, stderr) = io::pipe().map_err(failed)?;
    let child = Command::new(&launcher.program)
        .args(&launcher.arguments)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let pipes = Pipes {
        stdin: to_program,
        stdout: from_program,
        stderr: errors,
    };
    let text = serde_json::to_vec(plan).map_err(|error| CageError::Talk(error.into()))?;
    let descriptors = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
    let sent = control::send(&control, &text, &descriptors);
    let mut child = Some(child);
    let begun = sent.map_err(CageError::Talk).and_then(|()| begun(&control));
    match (begun, child.take()) {
        (Ok((listener, group)), Some(launcher)) => Ok(Launched {
            launcher,
            control,
            listener,
            group,
            pipes,
        }),
        (begun, child) => {
            // Its parent's end is gone with this, so it ends whatever it has started.
            drop(control);
            if let Some(mut child) = child {
                let _ = child.wait();
            }
            Err(begun.err().unwrap_or_else(lost))
        }
    }
}

fn lost() -> CageError {
    CageError::Closing("the launcher ended without a word".into())
}

/// Waits until the program runs in its cage.
fn begun(control: &OwnedFd) -> Result<(OwnedFd, ProcessGroup), CageError> {
    let mut listener = None;
    loop {
        let message = control::receive(control).map_err(CageError::Talk)?;
        let (kind, rest) = message.bytes.split_first().ok_or_else(lost)?;
        match *kind {
            kind::NAMESPACE => {
                let process = rest
                    .try_into()
                    .map(u32::from_le_bytes)
                    .map_err(|_| lost())?;
                user_namespace::map(process).map_err(|error| {
                    CageError::Closing(format!("cannot map the user into its namespace: {error}"))
                })?;
                control::send(control, &[kind::NAMESPACE], &[]).map_err(CageError::Talk)?;
            }
            kind::LISTENER => listener = message.descriptors.into_iter().next(),
            kind::STARTED => {
                let number = rest.try_into().ok().map(i32::from_le_bytes);
                let number = number.and_then(Pid::from_raw);
                let leader = message.descriptors.into_iter().next();
                let (Some(listener), Some(number), Some(leader)) = (listener, number, leader)
                else {
                    return Err(lost());
                };
                return Ok((listener, ProcessGroup::of(number, leader)));
            }
            _ => return Err(CageError::Closing(String::from_utf8_lossy(rest).into())),
        }
    }
}

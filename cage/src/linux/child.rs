//! The launcher: starts the program's process, waits, and ends all that is left of the cage.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::thread;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, WaitOptions};

use crate::linux::closing;
use crate::linux::control::{self, kind};
use crate::linux::control_group::ControlGroup;
use crate::linux::plan::{Counting, Plan};
use crate::linux::process_group::ProcessGroup;

/// See [`launch_for_parent`](crate::launch_for_parent).
pub(crate) fn launch() -> ExitCode {
    let Ok(control) = io::stdin().as_fd().try_clone_to_owned() else {
        return ExitCode::FAILURE;
    };
    match run(&control) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let message = [&[kind::FAILED], error.to_string().as_bytes()].concat();
            // If the parent is gone there is nobody to tell.
            let _ = control::send(&control, &message, &[]);
            ExitCode::FAILURE
        }
    }
}

fn run(control: &OwnedFd) -> io::Result<()> {
    closing::close_on_exec()?;
    // Without a terminal, and so that whatever the program leaves behind is this process's child.
    rustix::process::setsid()?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let message = control::receive(control)?;
    let plan: Plan = serde_json::from_slice(&message.bytes)?;
    let scratch = plan.scratch.clone();
    let counted = control_group(&plan)?.map(Arc::new);
    let child = start(
        plan,
        counted.clone(),
        message.descriptors,
        control.try_clone()?,
    )?;
    let leader = rustix::process::pidfd_open(child, PidfdFlags::empty())?;
    let group = Arc::new(ProcessGroup::of(child, leader.try_clone()?));
    end_with_parent(control.try_clone()?, Arc::clone(&group));
    let started = [&[kind::STARTED][..], &child.as_raw_pid().to_le_bytes()].concat();
    // If the parent is gone, the other thread ends the program.
    let _ = control::send(control, &started, &[leader.as_fd()]);
    let status = wait(child, &group)?;
    drop(counted);
    // What the program left there is of use to nobody.
    let _ = std::fs::remove_dir_all(Path::new(&scratch));
    let ended = [&[kind::ENDED][..], &status.to_le_bytes()].concat();
    let _ = control::send(control, &ended, &[]);
    Ok(())
}

/// The control group in which the kernel counts tasks, if it does.
fn control_group(plan: &Plan) -> io::Result<Option<ControlGroup>> {
    let Counting::ControlGroup(parent) = &plan.counting else {
        return Ok(None);
    };
    ControlGroup::make(Path::new(parent), plan.resources.tasks)
        .map(Some)
        .map_err(|error| io::Error::other(format!("cannot make a control group: {error}")))
}

/// Starts the program's process, the first of its group.
#[expect(
    unsafe_code,
    reason = "the process closes the cage around itself before it becomes the program"
)]
fn start(
    plan: Plan,
    counted: Option<Arc<ControlGroup>>,
    pipes: Vec<OwnedFd>,
    control: OwnedFd,
) -> io::Result<Pid> {
    let [stdin, stdout, stderr]: [OwnedFd; 3] = pipes
        .try_into()
        .map_err(|_| io::Error::other("there are not three pipes"))?;
    let mut command = Command::new(&plan.program);
    command
        .args(&plan.arguments)
        .env_clear()
        .envs(plan.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&plan.working)
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr))
        .process_group(0);
    // SAFETY: this process has one thread, so the memory of its copy is whole, and no lock in it
    // is held by a thread that the copy does not have.
    unsafe {
        command.pre_exec(move || closing::close(&plan, counted.as_deref(), control.as_fd()));
    }
    let child = command.spawn()?;
    Pid::from_raw(child.id().cast_signed()).ok_or_else(|| io::Error::other("there is no process"))
}

/// Ends the group when the parent is gone.
fn end_with_parent(control: OwnedFd, group: Arc<ProcessGroup>) {
    thread::spawn(move || {
        let _ = control::receive(&control);
        group.kill();
    });
}

/// Waits for `child`, ends the rest of its `group`, which nobody left, and waits for that too.
fn wait(child: Pid, group: &ProcessGroup) -> io::Result<i32> {
    let status = loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((dead, status))) if dead == child => break status,
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    group.kill();
    while let Ok(Some(_)) | Err(Errno::INTR) = rustix::process::wait(WaitOptions::empty()) {}
    Ok(status.as_raw())
}

//! The launcher: starts the program's process, waits, and ends all that is left of the cage.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, WaitOptions};

use crate::linux::closing;
use crate::linux::control::{self, kind};
use crate::linux::control_group::ControlGroup;
use crate::linux::plan::{Counting, Plan};

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
    let group = control_group(&plan)?.map(Arc::new);
    let child = start(
        plan,
        group.clone(),
        message.descriptors,
        control.try_clone()?,
    )?;
    let over = Arc::new(Mutex::new(false));
    end_with_parent(control.try_clone()?, child, Arc::clone(&over));
    let started = [
        &[kind::STARTED][..],
        &child.as_raw_nonzero().get().to_le_bytes(),
    ]
    .concat();
    // If the parent is gone, the other thread ends the program.
    let _ = control::send(control, &started, &[]);
    let status = wait(child, &over)?;
    drop(group);
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
    group: Option<Arc<ControlGroup>>,
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
        command.pre_exec(move || closing::close(&plan, group.as_deref(), control.as_fd()));
    }
    let child = command.spawn()?;
    Pid::from_raw(child.id().cast_signed()).ok_or_else(|| io::Error::other("there is no process"))
}

/// Ends the group when the parent asks for it or is gone. The two look alike.
fn end_with_parent(control: OwnedFd, child: Pid, over: Arc<Mutex<bool>>) {
    thread::spawn(move || {
        let _ = control::receive(&control);
        let over = over.lock().unwrap_or_else(PoisonError::into_inner);
        // Once it is over the number may belong to others.
        if !*over {
            let _ = rustix::process::kill_process_group(child, Signal::KILL);
        }
    });
}

/// Waits for `child`, ends the rest of its group, and waits for that too.
fn wait(child: Pid, over: &Mutex<bool>) -> io::Result<i32> {
    loop {
        let dead = next_dead()?;
        if dead == child {
            break;
        }
        rustix::process::waitpid(Some(dead), WaitOptions::empty())?;
    }
    let mut over = over.lock().unwrap_or_else(PoisonError::into_inner);
    // It is dead and not yet waited for, so the group's number is still its own. Nobody left the
    // group, and a process that is being forked is ended with the one that forks it.
    let _ = rustix::process::kill_process_group(child, Signal::KILL);
    let status = rustix::process::waitpid(Some(child), WaitOptions::empty())?;
    *over = true;
    drop(over);
    while let Ok(Some(_)) = rustix::process::wait(WaitOptions::empty()) {}
    Ok(status.map_or(0, |(_, status)| status.as_raw()))
}

/// A child that has ended and is not yet waited for, so that its number stays its own.
#[expect(unsafe_code, reason = "the library does not tell which child it was")]
fn next_dead() -> io::Result<Pid> {
    // SAFETY: all bits zero are a value of this type.
    let mut dead: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOWAIT;
    loop {
        // SAFETY: the kernel fills in the value that the pointer leads to.
        let result = unsafe { libc::waitid(libc::P_ALL, 0, &raw mut dead, options) };
        if result == 0 {
            // SAFETY: `waitid` filled in the fields of a child's end.
            let pid = unsafe { dead.si_pid() };
            return Pid::from_raw(pid).ok_or_else(|| io::Error::other("there is no child"));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

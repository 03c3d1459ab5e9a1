//! Starts a program in a cage: the plan, and the threads that serve the cage.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use tokio::net::unix::pipe;
use tokio::sync::{Semaphore, mpsc, watch};
use tool_hub_manifest::{Grants, VariableName};

use crate::caged_process::{CagedProcess, Ended, Handle};
use crate::error::CageError;
use crate::launcher::Launcher;
use crate::limits::CageLimits;
use crate::linux::control::{self, kind};
use crate::linux::control_group;
use crate::linux::files;
use crate::linux::launching::{Launched, launch};
use crate::linux::listener::{self, Judge};
use crate::linux::plan::{Counting, Plan, Resources};
use crate::linux::process_group::ProcessGroup;
use crate::linux::watch as usage;
use crate::program::Program;
use crate::proxy::{self, PROXY_ADDRESS};
use crate::task_bound::TaskBound;

/// The interval at which limits are looked at that the kernel does not keep.
const LOOK: Duration = Duration::from_secs(1);
/// The programs that a caged one finds by name, after those beside itself.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// The variables by which clients find a proxy, in the forms that they look for.
const PROXY_VARIABLES: [&str; 6] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
];

/// The limit that ended a cage.
type Exceeded = Arc<OnceLock<(&'static str, u64)>>;

/// What a cage is made with.
pub(crate) struct Setup {
    pub(crate) launcher: Launcher,
    pub(crate) scratch: PathBuf,
    pub(crate) limits: CageLimits,
    pub(crate) task_bound: TaskBound,
}

/// See [`Cage::start`](crate::Cage::start).
pub(crate) async fn start(
    setup: Setup,
    program: &Program,
    grants: &Grants,
    values: &BTreeMap<VariableName, String>,
) -> Result<CagedProcess, CageError> {
    let Setup {
        launcher,
        scratch,
        limits,
        task_bound,
    } = setup;
    let counting = counting(task_bound)?;
    let scratch = private_directory(&scratch)?;
    let plan = plan(limits, counting, program, grants, values, scratch.path())?;
    // It takes some milliseconds, in which others may need this thread.
    let launched = tokio::task::spawn_blocking(move || launch(&launcher, &plan)).await;
    let launched = launched.map_err(|error| CageError::Talk(io::Error::other(error)))??;
    let serving = serve((limits, task_bound), grants, launched, scratch);
    serving.map_err(CageError::Talk)
}

/// The way to count tasks, for the launcher.
fn counting(bound: TaskBound) -> Result<Counting, CageError> {
    match bound {
        TaskBound::UserNamespace => Ok(Counting::UserNamespace),
        TaskBound::ControlGroup => {
            let parent = control_group::parent().ok_or(CageError::TaskBound(bound))?;
            Ok(Counting::ControlGroup(parent.into_os_string()))
        }
        TaskBound::Watch => Ok(Counting::Watch),
    }
}

/// A private directory with a home and one for temporary files.
fn private_directory(within: &Path) -> Result<TempDir, CageError> {
    let made = || {
        let scratch = tempfile::Builder::new()
            .prefix("cage-")
            .tempdir_in(within)?;
        for name in ["home", "tmp"] {
            let path = scratch.path().join(name);
            DirBuilder::new().mode(0o700).create(path)?;
        }
        Ok(scratch)
    };
    made().map_err(|source| CageError::Scratch {
        path: within.to_owned(),
        source,
    })
}

fn plan(
    limits: CageLimits,
    counting: Counting,
    program: &Program,
    grants: &Grants,
    values: &BTreeMap<VariableName, String>,
    scratch: &Path,
) -> Result<Plan, CageError> {
    // By its real path, because granted paths are opened without following links.
    let scratch = scratch
        .canonicalize()
        .map_err(|source| CageError::Scratch {
            path: scratch.to_owned(),
            source,
        })?;
    let home = scratch.join("home").into_os_string();
    let network = !grants.network.is_empty();
    let mut environment = own_environment(program, &scratch, network);
    for name in &grants.variables {
        if environment.iter().any(|(own, _)| own == name.as_str()) {
            return Err(CageError::OwnVariable(name.clone()));
        }
        let value = values.get(name);
        let value = value.ok_or_else(|| CageError::Variable(name.clone()))?;
        environment.push((name.as_str().to_owned(), value.into()));
    }
    Ok(Plan {
        program: program.path.clone().into_os_string(),
        arguments: program.arguments.clone(),
        environment,
        rules: files::rules(program, grants, &scratch)?,
        scratch: scratch.into_os_string(),
        working: home,
        resources: Resources {
            memory_bytes: limits.memory_bytes,
            file_bytes: limits.file_bytes,
            cpu_seconds: limits.cpu_seconds,
            open_files: limits.open_files,
            tasks: limits.tasks,
        },
        counting,
        network,
    })
}

fn own_environment(program: &Program, scratch: &Path, network: bool) -> Vec<(String, OsString)> {
    let mut path = OsString::new();
    if let Some(directory) = program.path.parent() {
        path.push(directory);
        path.push(":");
    }
    path.push(PATH);
    let mut environment: Vec<(String, OsString)> = vec![
        ("PATH".into(), path),
        ("LANG".into(), "C.UTF-8".into()),
        ("HOME".into(), scratch.join("home").into()),
        ("TMPDIR".into(), scratch.join("tmp").into()),
    ];
    if network {
        let proxy: OsString = format!("http://{PROXY_ADDRESS}").into();
        let named = PROXY_VARIABLES.map(|name| (name.to_owned(), proxy.clone()));
        environment.extend(named);
        environment.push(("NODE_USE_ENV_PROXY".into(), "1".into()));
    }
    environment
}

/// Starts what serves the cage: the proxy, the answers to the kernel, and the wait for the end.
fn serve(
    (limits, task_bound): (CageLimits, TaskBound),
    grants: &Grants,
    launched: Launched,
    scratch: TempDir,
) -> io::Result<CagedProcess> {
    let Launched {
        launcher,
        control,
        listener,
        group,
        pipes,
    } = launched;
    let stdin = pipe::Sender::from_owned_fd(pipes.stdin.into())?;
    let stdout = pipe::Receiver::from_owned_fd(pipes.stdout.into())?;
    let stderr = pipe::Receiver::from_owned_fd(pipes.stderr.into())?;
    let group = Arc::new(group);
    let (proxy, arrivals) = mpsc::unbounded_channel();
    tokio::spawn(proxy::serve(Arc::new(grants.network.clone()), arrivals));
    let judge = Judge {
        connections: Arc::new(Semaphore::new(limits.connections as usize)),
        proxy,
    };
    thread::Builder::new()
        .name("cage listener".into())
        .spawn(move || listener::answer(&listener, &judge))?;
    let (tell, ended) = watch::channel(None);
    let exceeded = Exceeded::default();
    tokio::spawn(watch_usage(
        Arc::clone(&group),
        scratch.path().to_owned(),
        limits,
        (ended.clone(), Arc::clone(&exceeded)),
    ));
    if task_bound == TaskBound::Watch {
        let (group, exceeded) = (Arc::clone(&group), Arc::clone(&exceeded));
        let ended = ended.clone();
        let is_over = move || ended.borrow().is_some();
        thread::Builder::new()
            .name("cage tasks".into())
            .spawn(move || {
                if usage::has_too_many_tasks(group.number(), limits.tasks, is_over) {
                    let _ = exceeded.set(("tasks", limits.tasks));
                    group.kill();
                }
            })?;
    }
    let left = Arc::clone(&group);
    thread::Builder::new()
        .name("cage end".into())
        .spawn(move || {
            let end = end(&control, launcher, &left, &exceeded);
            drop(scratch);
            let _ = tell.send(Some(end));
        })?;
    let number = group.number().as_raw_pid().cast_unsigned();
    let kill = move || group.kill();
    let handle = Handle::new(number, Box::new(kill), ended);
    Ok(CagedProcess::new(
        Box::new(stdin),
        Box::new(stdout),
        Box::new(stderr),
        handle,
    ))
}

async fn watch_usage(
    group: Arc<ProcessGroup>,
    scratch: PathBuf,
    limits: CageLimits,
    (mut ended, exceeded): (watch::Receiver<Option<Ended>>, Exceeded),
) {
    let scratch = Arc::new(scratch);
    loop {
        let over = tokio::time::timeout(LOOK, ended.wait_for(Option::is_some));
        if over.await.is_ok() {
            return;
        }
        let scratch = Arc::clone(&scratch);
        let number = group.number();
        let looked =
            tokio::task::spawn_blocking(move || usage::exceeded(number, &scratch, &limits)).await;
        if let Ok(Some(limit)) = looked {
            let _ = exceeded.set(limit);
            group.kill();
            return;
        }
    }
}

/// Waits for the launcher's last word and its end.
fn end(control: &OwnedFd, mut launcher: Child, group: &ProcessGroup, exceeded: &Exceeded) -> Ended {
    let message = control::receive(control);
    let status = message.ok().and_then(|message| {
        let (kind, status) = message.bytes.split_first()?;
        let status = status.try_into().ok().map(i32::from_le_bytes)?;
        (*kind == kind::ENDED).then(|| ExitStatus::from_raw(status))
    });
    if status.is_none() {
        // Somebody ended the launcher, and nobody is left to end the program.
        group.kill();
    }
    let _ = launcher.wait();
    if let Some((limit, value)) = exceeded.get().copied() {
        return Ended::Limit { limit, value };
    }
    match status.map(|status| (status.code(), status.signal())) {
        Some((Some(code), _)) => Ended::Exited(code),
        Some((None, Some(signal))) => Ended::Signalled(signal),
        _ => Ended::LauncherLost,
    }
}

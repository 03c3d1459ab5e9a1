//! This process's one tokio runtime and sandbox host: made on first use, safe around forks.
//! At the end of the process its calls are stopped.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tool_hub_host::{Compiler, CompilerProcess, Host, HostConfig, SignalHandlers};
use tool_hub_toolbox::sandbox;

use crate::error::Error;
use crate::per_process::{self, PerProcess};
use crate::workspace::{CompilerProgram, Workspace};

/// The argument by which the command `tool` is told to compile for its parent.
const COMPILE: &str = "compile-for-parent";
/// The time that [`stop`] gives to calls which end.
const STOP_MAX: Duration = Duration::from_secs(2);
/// The most calls that are handed to the host at once, as many as it lets wait. It refuses further
/// ones, while a program may well begin thousands and wait for all.
const CALLS_MAX: usize = 256;
/// The most calls at once that may ask something of the program. Each keeps one of the host's 32
/// places while the program answers; and to answer, the program may call tools, for which there
/// have to be places left.
const ASKING_MAX: usize = 24;
/// The time for which such a call waits for its turn, as long as one waits for a place.
const ASKING_WAIT_MAX: Duration = Duration::from_secs(30);

static PROCESS: PerProcess<Process> = PerProcess::new();
/// Held while the process is built, so that it is built once.
static BUILDING: PerProcess<Mutex<()>> = PerProcess::new();

/// Held by each thread that loads a tool or builds the process, and exclusively by one that forks.
static LOADING: PerProcess<RwLock<()>> = PerProcess::new();

thread_local! {
    static FORKING: Cell<Option<RwLockWriteGuard<'static, ()>>> = const { Cell::new(None) };
}

/// One tokio runtime and one host, for all tools of this process.
pub struct Process {
    runtime: Runtime,
    host: Host,
    stop: CancellationToken,
    calls: AtomicUsize,
    places: Semaphore,
    asking: Semaphore,
}

/// This process's runtime and host. The first caller's workspace says where compiled code is kept.
///
/// # Errors
/// When the machine refuses threads or address space, or the cache cannot be used.
pub fn get(workspace: &Workspace) -> Result<&'static Process, Error> {
    if let Some(process) = PROCESS.get() {
        return Ok(process);
    }
    let _no_fork = loading();
    let building = BUILDING.get_or_try(|| Ok::<_, Error>(Mutex::new(())))?;
    let _one = building.lock().unwrap_or_else(PoisonError::into_inner);
    PROCESS.get_or_try(|| Process::build(workspace))
}

/// Waits until no tool is being loaded and no [`Process`] built, and holds both back until
/// [`forked_here`] or [`forked`]. Whoever forks calls this before, on the thread that forks:
/// loading and building take locks of the engine and of the runtime, and a child in which such a
/// lock is held could load nothing.
pub fn forks() {
    let Ok(loading) = LOADING.get_or_try(|| Ok::<_, Infallible>(RwLock::default()));
    let guard = loading.write().unwrap_or_else(PoisonError::into_inner);
    FORKING.set(Some(guard));
}

/// Ends in the parent what [`forks`] began: tools can be loaded again.
pub fn forked_here() {
    drop(FORKING.take());
}

/// Ends in the child what [`forks`] began, before the child uses anything else of this crate.
pub fn forked() {
    // The lock is the parent's.
    std::mem::forget(FORKING.take());
    per_process::forked();
}

/// Keeps this process from forking while a tool is loaded. A thread that has it must not take it
/// again, nor call [`get`]: it would wait for a fork that waits for it.
pub(crate) fn loading() -> RwLockReadGuard<'static, ()> {
    let Ok(loading) = LOADING.get_or_try(|| Ok::<_, Infallible>(RwLock::default()));
    loading.read().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all calls that run, and returns when they are over or two seconds have passed. Calls that
/// are made later fail. For the end of a process, whose threads would otherwise still run guests
/// while it is taken apart.
pub fn stop() {
    let Some(process) = PROCESS.get() else {
        return;
    };
    process.stop.cancel();
    let begun = Instant::now();
    while process.calls.load(SeqCst) > 0 && begun.elapsed() < STOP_MAX {
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Process {
    fn build(workspace: &Workspace) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread()
            .thread_name("tool-hub")
            .enable_all()
            .build()
            .map_err(|source| Error::Runtime { source })?;
        Ok(Self {
            host: Host::new(host_config(workspace))?,
            runtime,
            stop: CancellationToken::new(),
            calls: AtomicUsize::new(0),
            places: Semaphore::new(CALLS_MAX),
            asking: Semaphore::new(ASKING_MAX),
        })
    }

    /// Runs `future` on the calling thread until it is done.
    ///
    /// # Panics
    /// On a thread of the runtime.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Runs `future` on the runtime's threads.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        self.runtime.spawn(future)
    }

    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    /// Waits for the turn of a call that may ask something of the program, which lasts until what
    /// this gives is dropped. Absent if there were too many of them for too long: their answers may
    /// wait for this very call.
    pub(crate) async fn turn_to_ask(&self) -> Option<SemaphorePermit<'_>> {
        let turn = tokio::time::timeout(ASKING_WAIT_MAX, self.asking.acquire()).await;
        // It is never closed.
        turn.ok().and_then(Result::ok)
    }

    /// Makes a call, once fewer than [`CALLS_MAX`] are under way, unless the process ends before.
    /// The tool may have done what it was called for by then.
    pub(crate) async fn run<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        let _counted = Counted::new(&self.calls);
        let whole = async {
            // It is never closed.
            let _place = self.places.acquire().await;
            call.await
        };
        self.stop.run_until_cancelled(whole).await
    }
}

/// A call that is under way.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(calls: &'a AtomicUsize) -> Self {
        calls.fetch_add(1, SeqCst);
        Self(calls)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

fn host_config(workspace: &Workspace) -> HostConfig {
    let mut config = sandbox::host_config(workspace.settings());
    // The process is somebody else's, and so are its signals.
    config.signal_handlers = SignalHandlers::Shared;
    if let Some(CompilerProgram { path }) = workspace.compiler() {
        config.compiler = Compiler::Child(CompilerProcess::new(path, [COMPILE]));
    }
    config
}

//! The single-threaded runtimes that serve connections: one a processor, one for long requests.
//! The steps of an answer follow each other and wake no other thread.

use std::future::Future;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::error::ServeError;

/// The threads: one for each processor, and one for long requests.
pub(super) struct Workers {
    ordinary: Vec<Worker>,
    long: Worker,
    _stop: DropGuard,
}

struct Worker {
    runtime: Handle,
    /// Each task holds a clone; the number of clones is the load.
    load: Arc<()>,
}

impl Workers {
    pub(super) fn start() -> Result<Self, ServeError> {
        let count = thread::available_parallelism().map_or(1, NonZero::get);
        let stop = CancellationToken::new();
        let started = (0..count).map(|_| Worker::start("tool-hub http", stop.clone()));
        Ok(Self {
            long: Worker::start("tool-hub long", stop.clone())?,
            _stop: stop.clone().drop_guard(),
            ordinary: started.collect::<Result<_, _>>()?,
        })
    }

    /// The thread for long requests: reading one takes longer than others should wait.
    pub(super) fn for_long(&self) -> Handle {
        self.long.runtime.clone()
    }

    /// Spawns `task` on the thread with the fewest tasks. Returns the handle to abort it.
    pub(super) fn spawn(
        &self,
        tasks: &mut JoinSet<()>,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> AbortHandle {
        let fewest = (0..self.ordinary.len())
            .min_by_key(|&index| Arc::strong_count(&self.ordinary[index].load));
        let worker = &self.ordinary[fewest.unwrap_or_default()];
        let load = worker.load.clone();
        let task = async move {
            task.await;
            drop(load);
        };
        tasks.spawn_on(task, &worker.runtime)
    }
}

impl Worker {
    /// Starts a thread that runs tasks until `stop`.
    fn start(name: &str, stop: CancellationToken) -> Result<Self, ServeError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ServeError::Worker)?;
        let handle = runtime.handle().clone();
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                runtime.block_on(stop.cancelled());
                // Nobody waits for what is left.
                runtime.shutdown_background();
            })
            .map_err(ServeError::Worker)?;
        Ok(Self {
            runtime: handle,
            load: Arc::new(()),
        })
    }
}

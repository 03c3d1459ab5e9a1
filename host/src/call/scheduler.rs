//! The scheduler of guests: bounds those that run at any moment, and decides whose turn is next.
//!
//! A guest begins on its caller's thread, because most calls are over before the clock ticks. One
//! that the clock interrupts, or that finds every processor taken, moves to the host's own threads:
//! the caller's runtime keeps its timers and its other tasks, whatever guests do. There the guest
//! that has run least is next, so a short call waits for one tick and not for all those that spin.
//! A guest that waits for something else takes no processor.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use async_task::{Builder, Runnable, Task};
use tokio::runtime::Handle;

use crate::call::record::Record;
use crate::error::HostError;

/// The guest of a call: a future that owns all that the guest has.
pub(crate) type Guest<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The processors that guests may use, and the threads that run on them.
pub(crate) struct Scheduler {
    shared: Arc<SchedulerState>,
}

struct SchedulerState {
    count: usize,
    free: AtomicUsize,
    /// The number of turns in `queue`, for those who do not want to lock it.
    waiting: AtomicUsize,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    turns: BinaryHeap<Turn>,
    /// The number of turns that were ever queued.
    turns_total: u64,
    threads: usize,
    idle: usize,
    stopped: bool,
}

impl Scheduler {
    /// Scheduler for `count` guests at once, at least for one.
    ///
    /// # Errors
    /// When the machine refuses even one thread.
    pub(crate) fn new(count: u32) -> Result<Self, HostError> {
        let count = count.max(1) as usize;
        let shared = Arc::new(SchedulerState {
            count,
            free: AtomicUsize::new(count),
            waiting: AtomicUsize::new(0),
            queue: Mutex::default(),
            changed: Condvar::new(),
        });
        // The others follow when there is work for them.
        shared
            .start_thread(&mut shared.lock())
            .map_err(|error| HostError::Engine {
                reason: format!("no thread for guests: {error}"),
            })?;
        Ok(Self { shared })
    }

    /// Runs `guest`, whose time is counted in `record`.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        guest: Guest<T>,
        record: &Arc<Record>,
    ) -> RunningGuest<T> {
        RunningGuest {
            shared: self.shared.clone(),
            record: record.clone(),
            location: GuestLocation::Caller(guest),
        }
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
    }
}

/// A guest that runs. Dropping it ends the guest at once, or after its turn where it has one
/// on another thread.
pub(crate) struct RunningGuest<T> {
    shared: Arc<SchedulerState>,
    record: Arc<Record>,
    location: GuestLocation<T>,
}

/// The threads on which a guest has its turns.
enum GuestLocation<T> {
    /// On the thread of the caller.
    Caller(Guest<T>),
    /// On the threads of the scheduler.
    Scheduler(Task<T, Arc<Record>>),
    Gone,
}

impl<T> RunningGuest<T> {
    /// Ends the guest, and returns when it is gone.
    pub(crate) async fn stop(mut self) {
        if let GuestLocation::Scheduler(task) =
            std::mem::replace(&mut self.location, GuestLocation::Gone)
        {
            let mut gone = std::pin::pin!(task.cancel());
            // The first poll cancels it, after which it is in the queue or has its turn.
            if futures::poll!(gone.as_mut()).is_pending() {
                drop(self.shared.withdraw(&self.record));
                gone.await;
            }
        }
    }
}

impl<T> Drop for RunningGuest<T> {
    fn drop(&mut self) {
        if let GuestLocation::Scheduler(task) =
            std::mem::replace(&mut self.location, GuestLocation::Gone)
        {
            drop(task);
            drop(self.shared.withdraw(&self.record));
        }
    }
}

impl<T: Send + 'static> Future for RunningGuest<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let this = &mut *self;
        if let GuestLocation::Caller(guest) = &mut this.location
            && let Some(processor) = Processor::take(&this.shared)
        {
            let polled = this.record.time.turn(|| guest.as_mut().poll(context));
            drop(processor);
            if polled.is_ready() || !this.record.time.interrupted() {
                return polled;
            }
        }
        if let GuestLocation::Caller(_) = this.location
            && let GuestLocation::Caller(guest) =
                std::mem::replace(&mut this.location, GuestLocation::Gone)
        {
            this.location = GuestLocation::Scheduler(this.shared.schedule(guest, &this.record));
        }
        match &mut this.location {
            GuestLocation::Scheduler(task) => Pin::new(task).poll(context),
            GuestLocation::Caller(_) | GuestLocation::Gone => Poll::Pending,
        }
    }
}

impl SchedulerState {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes `guest` one that the host's own threads run.
    fn schedule<T: Send + 'static>(
        self: &Arc<Self>,
        guest: Guest<T>,
        record: &Arc<Record>,
    ) -> Task<T, Arc<Record>> {
        let guest = ScheduledGuest {
            guest: Some(guest),
            record: record.clone(),
            runtime: Handle::current(),
            span: tracing::Span::current(),
        };
        let shared = self.clone();
        let (runnable, task) = Builder::new()
            .metadata(record.clone())
            .propagate_panic(true)
            .spawn(|_| guest, move |runnable| shared.queue(runnable));
        runnable.schedule();
        task
    }

    fn queue(self: &Arc<Self>, runnable: Runnable<Arc<Record>>) {
        let mut queue = self.lock();
        let turn = Turn {
            ran: runnable.metadata().time.ran(),
            number: queue.turns_total,
            runnable,
        };
        queue.turns_total += 1;
        queue.turns.push(turn);
        self.waiting.store(queue.turns.len(), SeqCst);
        if queue.idle > 0 {
            self.changed.notify_one();
        } else if queue.threads < self.count
            && let Err(error) = self.start_thread(&mut queue)
        {
            // At least one thread runs, so guests only wait longer.
            tracing::warn!(%error, "no further thread for guests");
        }
    }

    /// Takes the turn of a call out of the queue, where it waits for one. Whoever drops the
    /// turn drops the guest, which need not wait for a processor to be gone.
    fn withdraw(&self, record: &Arc<Record>) -> Option<Turn> {
        let mut queue = self.lock();
        let mut turns = std::mem::take(&mut queue.turns).into_vec();
        let found = turns
            .iter()
            .position(|turn| Arc::ptr_eq(turn.runnable.metadata(), record));
        let turn = found.map(|index| turns.swap_remove(index));
        queue.turns = turns.into();
        self.waiting.store(queue.turns.len(), SeqCst);
        turn
    }

    fn start_thread(self: &Arc<Self>, queue: &mut Queue) -> std::io::Result<()> {
        let shared = self.clone();
        thread::Builder::new()
            .name("tool-hub guest".into())
            .spawn(move || {
                while let Some((processor, runnable)) = shared.next() {
                    runnable.run();
                    drop(processor);
                }
            })?;
        queue.threads += 1;
        Ok(())
    }

    /// Waits for a turn and for a processor; nothing once the host is gone.
    fn next(self: &Arc<Self>) -> Option<(Processor, Runnable<Arc<Record>>)> {
        let mut queue = self.lock();
        loop {
            if queue.stopped {
                return None;
            }
            if !queue.turns.is_empty()
                && let Some(processor) = Processor::take_free(self)
                && let Some(turn) = queue.turns.pop()
            {
                self.waiting.store(queue.turns.len(), SeqCst);
                return Some((processor, turn.runnable));
            }
            queue.idle += 1;
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }
}

/// A processor, taken until it is dropped.
struct Processor(Arc<SchedulerState>);

impl Processor {
    /// One that is free and for which nobody waits.
    fn take(shared: &Arc<SchedulerState>) -> Option<Self> {
        if shared.waiting.load(SeqCst) > 0 {
            return None;
        }
        Self::take_free(shared)
    }

    fn take_free(shared: &Arc<SchedulerState>) -> Option<Self> {
        let taken = shared
            .free
            .fetch_update(SeqCst, SeqCst, |free| free.checked_sub(1));
        taken.ok().map(|_| Self(shared.clone()))
    }
}

impl Drop for Processor {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, SeqCst);
        if self.0.waiting.load(SeqCst) > 0 {
            // A thread that finds no processor holds the lock until it waits, so it is notified.
            drop(self.0.lock());
            self.0.changed.notify_one();
        }
    }
}

/// A guest that is ready to run. The greatest is next.
struct Turn {
    ran: Duration,
    number: u64,
    runnable: Runnable<Arc<Record>>,
}

impl Turn {
    fn rank(&self) -> Reverse<(Duration, u64)> {
        Reverse((self.ran, self.number))
    }
}

impl PartialEq for Turn {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Turn {}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// A guest on the host's threads: it finds its caller's runtime and span there.
struct ScheduledGuest<T> {
    guest: Option<Guest<T>>,
    record: Arc<Record>,
    runtime: Handle,
    span: tracing::Span,
}

impl<T> Future for ScheduledGuest<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let this = &mut *self;
        let _runtime = this.runtime.enter();
        let _span = this.span.enter();
        match &mut this.guest {
            Some(guest) => this.record.time.turn(|| guest.as_mut().poll(context)),
            None => Poll::Pending,
        }
    }
}

impl<T> Drop for ScheduledGuest<T> {
    fn drop(&mut self) {
        let _runtime = self.runtime.enter();
        drop(self.guest.take());
    }
}

#[cfg(test)]
mod tests;

//! Tests of the scheduler, on plain futures as guests: bound, order, stopping, panics, runtime.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tool_hub_manifest::Limits;

use super::*;

/// A guest that runs for `turns` turns of a millisecond each.
struct Spinner {
    turns: u32,
    record: Arc<Record>,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Future for Spinner {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let running = self.running.fetch_add(1, SeqCst) + 1;
        self.most.fetch_max(running, SeqCst);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(1) {
            std::hint::spin_loop();
        }
        self.running.fetch_sub(1, SeqCst);
        if self.turns == 0 {
            return Poll::Ready(());
        }
        self.turns -= 1;
        self.record.time.interrupt();
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

struct Spinners {
    scheduler: Scheduler,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Spinners {
    fn new(count: u32) -> Self {
        Self {
            scheduler: Scheduler::new(count).unwrap(),
            running: Arc::default(),
            most: Arc::default(),
        }
    }

    fn spin(&self, turns: u32) -> RunningGuest<()> {
        let record = Arc::new(Record::blank(Limits::standard()));
        let spinner = Spinner {
            turns,
            record: record.clone(),
            running: self.running.clone(),
            most: self.most.clone(),
        };
        self.scheduler.run(Box::pin(spinner), &record)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 6)]
async fn no_more_guests_run_at_once_than_there_are_processors() {
    for count in [1, 2, 3] {
        let spinners = Spinners::new(count);
        let calls: Vec<_> = (0..24)
            .map(|number| tokio::spawn(spinners.spin(number % 5)))
            .collect();
        for call in calls {
            call.await.unwrap();
        }
        assert!(spinners.most.load(SeqCst) <= count as usize);
        assert_eq!(spinners.running.load(SeqCst), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_has_run_least_is_next() {
    let spinners = Spinners::new(1);
    let (ended, mut order) = mpsc::unbounded_channel();
    for turns in [400, 200, 20] {
        let (call, ended) = (spinners.spin(turns), ended.clone());
        tokio::spawn(async move {
            call.await;
            ended.send(turns).unwrap();
        });
    }
    for expected in [20, 200, 400] {
        assert_eq!(order.recv().await, Some(expected));
    }
}

/// Tells when it is dropped.
struct DropFlag(Arc<AtomicBool>);

impl Drop for DropFlag {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_that_is_stopped_is_gone() {
    let spinners = Spinners::new(1);
    for (moved, waits) in [(false, true), (true, true), (true, false)] {
        let gone = Arc::new(AtomicBool::new(false));
        let drop_flag = DropFlag(gone.clone());
        let record = Arc::new(Record::blank(Limits::standard()));
        let time = record.clone();
        let guest = async move {
            let _drop_flag = drop_flag;
            if moved {
                time.time.interrupt();
                tokio::task::yield_now().await;
            }
            if waits {
                std::future::pending::<()>().await;
            }
            loop {
                tokio::task::yield_now().await;
            }
        };
        let mut running = spinners.scheduler.run(Box::pin(guest), &record);
        let patience = Duration::from_millis(30);
        let ended = tokio::time::timeout(patience, &mut running).await;
        assert!(ended.is_err());
        assert_eq!(
            matches!(running.location, GuestLocation::Scheduler(_)),
            moved
        );
        assert!(!gone.load(SeqCst));
        running.stop().await;
        assert!(gone.load(SeqCst));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_that_waits_for_its_turn_is_gone_when_it_is_dropped() {
    let spinners = Spinners::new(1);
    let spinning = tokio::spawn(spinners.spin(2_000));
    while spinners.most.load(SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    for _ in 0..50 {
        let gone = Arc::new(AtomicBool::new(false));
        let drop_flag = DropFlag(gone.clone());
        let record = Arc::new(Record::blank(Limits::standard()));
        let guest = async move {
            let _drop_flag = drop_flag;
            std::future::pending::<()>().await;
        };
        let mut running = spinners.scheduler.run(Box::pin(guest), &record);
        assert!(futures::poll!(&mut running).is_pending());
        drop(running);
        // It was in the queue, or on the only processor until the end of its turn.
        let begun = Instant::now();
        while !gone.load(SeqCst) {
            assert!(begun.elapsed() < Duration::from_secs(1));
            tokio::task::yield_now().await;
        }
    }
    spinning.abort();
}

/// A guest that panics in its second turn.
struct Panicker(Arc<Record>);

impl Future for Panicker {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        assert!(!self.0.time.interrupted(), "the guest's own panic");
        self.0.time.interrupt();
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_reaches_the_caller_and_leaves_the_scheduler_well() {
    let spinners = Spinners::new(1);
    for _ in 0..3 {
        let record = Arc::new(Record::blank(Limits::standard()));
        let guest: Guest<()> = Box::pin(Panicker(record.clone()));
        let call = tokio::spawn(spinners.scheduler.run(guest, &record));
        assert!(call.await.unwrap_err().is_panic());
    }
    spinners.spin(3).await;
}

/// A guest that moves to the scheduler's threads and spawns a task there, which needs its caller's
/// runtime.
struct Spawner(Arc<Record>, Option<JoinHandle<()>>);

impl Future for Spawner {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if !self.0.time.interrupted() {
            self.0.time.interrupt();
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let task = self.1.get_or_insert_with(|| tokio::spawn(async {}));
        Pin::new(task).poll(context).map(Result::unwrap)
    }
}

#[tokio::test]
async fn a_guest_that_moved_finds_the_runtime_of_its_caller() {
    let scheduler = Scheduler::new(1).unwrap();
    let record = Arc::new(Record::blank(Limits::standard()));
    let guest: Guest<()> = Box::pin(Spawner(record.clone(), None));
    scheduler.run(guest, &record).await;
}

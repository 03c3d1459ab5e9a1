//! Measures the time of a call: in total, while its guest ran, and while it waited for a person.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::compilation::trap_signals;

/// The time of a call. One thread at a time gives the guest its turns, so the counters order
/// nothing between threads.
#[derive(Debug)]
pub(crate) struct Time {
    begun: Instant,
    /// The time of the turns that are over.
    ran_ns: AtomicU64,
    /// The beginning of the latest turn, counted from `begun`.
    turn_ns: AtomicU64,
    in_turn: AtomicBool,
    interrupted: AtomicBool,
    paused: Mutex<PauseTime>,
}

#[derive(Debug, Default)]
struct PauseTime {
    since: Option<Instant>,
    total: Duration,
}

impl Time {
    pub(crate) fn new() -> Self {
        Self {
            begun: Instant::now(),
            ran_ns: AtomicU64::new(0),
            turn_ns: AtomicU64::new(0),
            in_turn: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
            paused: Mutex::default(),
        }
    }

    /// The time since the call was made.
    pub(crate) fn total(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Gives the guest a turn.
    pub(crate) fn turn<R>(&self, run: impl FnOnce() -> R) -> R {
        self.turn_ns.store(self.now_ns(), Relaxed);
        self.in_turn.store(true, Relaxed);
        let done = trap_signals::turn(run);
        self.in_turn.store(false, Relaxed);
        let took = self.now_ns() - self.turn_ns.load(Relaxed);
        self.ran_ns.fetch_add(took, Relaxed);
        done
    }

    /// The time that the guest ran, its present turn included.
    pub(crate) fn ran(&self) -> Duration {
        Duration::from_nanos(self.ran_ns.load(Relaxed)) + self.current_turn()
    }

    /// The time of the present turn so far.
    pub(crate) fn current_turn(&self) -> Duration {
        if !self.in_turn.load(Relaxed) {
            return Duration::ZERO;
        }
        Duration::from_nanos(self.now_ns() - self.turn_ns.load(Relaxed))
    }

    /// Notes that the guest was interrupted rather than that it waits.
    pub(crate) fn interrupt(&self) {
        self.interrupted.store(true, Relaxed);
    }

    /// True if the guest was ever interrupted.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupted.load(Relaxed)
    }

    /// The time for which a person was waited for so far. It grows while the wait lasts.
    pub(crate) fn paused(&self) -> Duration {
        let paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        let present = paused.since.map(|since| since.elapsed());
        paused.total + present.map_or(Duration::ZERO, |it| it.max(Duration::from_millis(1)))
    }

    /// A person is waited for.
    pub(crate) fn pause(&self) {
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        paused.since = Some(Instant::now());
    }

    /// A person is no longer waited for.
    pub(crate) fn resume(&self) {
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(since) = paused.since.take() {
            paused.total += since.elapsed();
        }
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_add_up() {
        let time = Time::new();
        let millisecond = Duration::from_millis(1);
        let run = || {
            let begun = Instant::now();
            while begun.elapsed() < millisecond {
                std::hint::spin_loop();
            }
        };
        time.turn(run);
        assert!(time.ran() >= millisecond);
        assert_eq!(time.current_turn(), Duration::ZERO);
        time.turn(|| {
            run();
            assert!(time.current_turn() >= millisecond);
            assert!(time.ran() >= 2 * millisecond);
        });
    }

    #[test]
    fn a_pause_grows_until_it_ends() {
        let time = Time::new();
        assert_eq!(time.paused(), Duration::ZERO);
        time.pause();
        assert!(time.paused() >= Duration::from_millis(1));
        time.resume();
        let paused = time.paused();
        assert!(!paused.is_zero());
        assert_eq!(time.paused(), paused);
    }
}

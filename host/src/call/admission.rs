//! Admits calls of a host: bounds those that run and wait, and refuses more because it is busy.
//! No caller can take all places, and the waiting caller with the fewest running calls is next.

pub(crate) mod caller;
mod fair_share;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tool_hub_manifest::contract::{Failure, FailureKind};

use crate::call::admission::caller::CallerKey;
use crate::call::admission::fair_share::{FairShares, next_waiter};
use crate::call::limit;

/// The limits of a host on its calls.
#[derive(Debug, Clone)]
pub(crate) struct CallLimiter(Arc<Limiter>);

#[derive(Debug)]
struct Limiter {
    in_flight_max: u32,
    waiting_max: u32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    inside: FairShares,
    queue: FairShares,
    /// In order of arrival.
    waiting: Vec<Waiter>,
    tickets: u64,
}

#[derive(Debug)]
struct Waiter {
    ticket: u64,
    caller: Option<CallerKey>,
    places: u32,
    admit: oneshot::Sender<CallPermit>,
}

/// The permission to run a call, given back when this is dropped.
#[derive(Debug)]
pub(crate) struct CallPermit {
    shared: Arc<Limiter>,
    caller: Option<CallerKey>,
    places: u32,
}

impl CallLimiter {
    pub(crate) fn new(in_flight_max: u32, waiting_max: u32) -> Self {
        Self(Arc::new(Limiter {
            in_flight_max,
            waiting_max,
            state: Mutex::new(State {
                inside: FairShares::new(in_flight_max),
                queue: FairShares::new(waiting_max),
                waiting: Vec::new(),
                tickets: 0,
            }),
        }))
    }

    /// Waits at most `timeout` for a call of `caller` to be admitted, which takes `places`: one for
    /// each guest that it has at once. Drop the permit only when the guests have ended.
    pub(crate) async fn acquire(
        &self,
        caller: Option<&CallerKey>,
        places: u32,
        timeout: Duration,
    ) -> Result<CallPermit, Failure> {
        let max = self.0.in_flight_max;
        if places > max {
            let why = "it calls so many tools in a row that no place is left for it";
            return Err(limit::failure("calls_in_flight_max", max.into(), why));
        }
        let (_queued, admitted) = {
            let mut state = self.0.lock();
            if state.inside.admit(caller, places) {
                return Ok(CallPermit {
                    shared: self.0.clone(),
                    caller: caller.cloned(),
                    places,
                });
            }
            if !state.queue.admit(caller, 1) {
                let wait = format!("{} wait", state.waiting.len());
                return Err(self.busy(&state, &wait));
            }
            let (admit, admitted) = oneshot::channel();
            let ticket = state.enqueue(caller, places, admit);
            (QueueGuard(&self.0, ticket), admitted)
        };
        match tokio::time::timeout(timeout, admitted).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => {
                let waited = format!("this one waited for {} ms", timeout.as_millis());
                Err(self.busy(&self.0.lock(), &waited))
            }
        }
    }

    fn busy(&self, state: &State, why: &str) -> Failure {
        let (in_flight, waiting) = (self.0.in_flight_max, self.0.waiting_max);
        let inside = state.inside.total();
        Failure::new(
            FailureKind::Unavailable,
            format!(
                "the host is busy: {inside} calls run and {why} (limits \
                 calls_in_flight_max = {in_flight}, calls_waiting_max = {waiting})"
            ),
        )
        .with_fix("call again in a few seconds")
        .retryable()
    }
}

impl Limiter {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn enqueue(
        &mut self,
        caller: Option<&CallerKey>,
        places: u32,
        admit: oneshot::Sender<CallPermit>,
    ) -> u64 {
        self.tickets += 1;
        self.waiting.push(Waiter {
            ticket: self.tickets,
            caller: caller.cloned(),
            places,
            admit,
        });
        self.tickets
    }

    fn leave(&mut self, ticket: u64) {
        let waiting = self.waiting.iter();
        let mut tickets = waiting.map(|waiting| waiting.ticket);
        if let Some(index) = tickets.position(|waiting| waiting == ticket) {
            self.take_out(index);
        }
    }

    /// The next waiting call, if there is a place for one.
    fn next(&mut self) -> Option<Waiter> {
        let callers = self.waiting.iter();
        let callers = callers.map(|waiting| (waiting.caller.as_ref(), waiting.places));
        let index = next_waiter(&self.inside, callers)?;
        let next = self.take_out(index);
        let admitted = self.inside.admit(next.caller.as_ref(), next.places);
        admitted.then_some(next)
    }

    fn take_out(&mut self, index: usize) -> Waiter {
        let waiting = self.waiting.remove(index);
        self.queue.release(waiting.caller.as_ref(), 1);
        waiting
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.inside.release(self.caller.as_ref(), self.places);
        let admitted: Vec<Waiter> = std::iter::from_fn(|| state.next()).collect();
        drop(state);
        for waiter in admitted {
            let Waiter {
                caller,
                places,
                admit,
                ..
            } = waiter;
            let shared = self.shared.clone();
            // A caller that gave up meanwhile drops the permit, which then goes to the next one.
            drop(admit.send(CallPermit {
                shared,
                caller,
                places,
            }));
        }
    }
}

/// Removes a call from the queue when dropped, whether it was admitted or gave up.
struct QueueGuard<'a>(&'a Limiter, u64);

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().leave(self.1);
    }
}

#[cfg(test)]
mod tests;

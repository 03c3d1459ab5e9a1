//! Bounds the calls that run and those that wait; further calls fail because the host is busy. The
//! callers that the embedder tells apart share the places: none can take all of them, and the
//! waiting caller with the fewest running calls is next.

mod share;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::{Failure, FailureKind};

use self::share::{Holders, fewest};

/// Identifies a caller, so that each has a fair share of the host's places. The embedder chooses
/// the text; the host only compares it and never shows it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CallerKey(Arc<str>);

impl CallerKey {
    /// The same key for the same text.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().into())
    }
}

/// Hides the text: an embedder may use a secret as the key.
impl fmt::Debug for CallerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallerKey")
    }
}

/// The places of a host.
#[derive(Debug)]
pub(crate) struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    in_flight_max: u32,
    waiting_max: u32,
    crowd: Mutex<Crowd>,
}

#[derive(Debug)]
struct Crowd {
    inside: Holders,
    queue: Holders,
    /// In order of arrival.
    waiting: Vec<Waiting>,
    tickets: u64,
}

#[derive(Debug)]
struct Waiting {
    ticket: u64,
    caller: Option<CallerKey>,
    admit: oneshot::Sender<Place>,
}

/// A place, which is freed when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    shared: Arc<Shared>,
    caller: Option<CallerKey>,
}

impl Places {
    pub(crate) fn new(in_flight_max: u32, waiting_max: u32) -> Self {
        Self(Arc::new(Shared {
            in_flight_max,
            waiting_max,
            crowd: Mutex::new(Crowd {
                inside: Holders::new(in_flight_max),
                queue: Holders::new(waiting_max),
                waiting: Vec::new(),
                tickets: 0,
            }),
        }))
    }

    /// Waits at most `patience` for a place for a call of `caller`. Drop the place only when the
    /// guest has ended.
    pub(crate) async fn enter(
        &self,
        caller: Option<&CallerKey>,
        patience: Duration,
    ) -> Result<Place, Failure> {
        let (_leaving, admitted) = {
            let mut crowd = self.0.lock();
            if crowd.inside.admit(caller) {
                return Ok(Place {
                    shared: self.0.clone(),
                    caller: caller.cloned(),
                });
            }
            if !crowd.queue.admit(caller) {
                let wait = format!("{} wait", crowd.waiting.len());
                return Err(self.busy(&crowd, &wait));
            }
            let (admit, admitted) = oneshot::channel();
            let ticket = crowd.join(caller, admit);
            (Leaving(&self.0, ticket), admitted)
        };
        match tokio::time::timeout(patience, admitted).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => {
                let waited = format!("this one waited for {} ms", patience.as_millis());
                Err(self.busy(&self.0.lock(), &waited))
            }
        }
    }

    fn busy(&self, crowd: &Crowd, why: &str) -> Failure {
        let (in_flight, waiting) = (self.0.in_flight_max, self.0.waiting_max);
        let inside = crowd.inside.total();
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

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Crowd> {
        self.crowd.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Crowd {
    fn join(&mut self, caller: Option<&CallerKey>, admit: oneshot::Sender<Place>) -> u64 {
        self.tickets += 1;
        self.waiting.push(Waiting {
            ticket: self.tickets,
            caller: caller.cloned(),
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
    fn next(&mut self) -> Option<Waiting> {
        let callers = self.waiting.iter();
        let callers = callers.map(|waiting| waiting.caller.as_ref());
        let index = fewest(&self.inside, callers)?;
        let next = self.take_out(index);
        self.inside.admit(next.caller.as_ref()).then_some(next)
    }

    fn take_out(&mut self, index: usize) -> Waiting {
        let waiting = self.waiting.remove(index);
        self.queue.release(waiting.caller.as_ref());
        waiting
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut crowd = self.shared.lock();
        crowd.inside.release(self.caller.as_ref());
        let admitted: Vec<Waiting> = std::iter::from_fn(|| crowd.next()).collect();
        drop(crowd);
        for Waiting { caller, admit, .. } in admitted {
            let shared = self.shared.clone();
            // A caller that gave up meanwhile drops the place, which then goes to the next one.
            drop(admit.send(Place { shared, caller }));
        }
    }
}

/// Removes a call from the queue when dropped, whether it was admitted or gave up.
struct Leaving<'a>(&'a Shared, u64);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.lock().leave(self.1);
    }
}

#[cfg(test)]
mod tests;

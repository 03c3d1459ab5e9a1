//! Limits open connections; when full, closes the one that waited longest for a whole request.
//! There is a limit for all and one per address. Those that have sent nothing, half a head or half
//! a body may be closed.

use std::collections::HashMap;
use std::future::pending;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::task::{AbortHandle, Id};

/// The most connections that are open at once.
const CONNECTIONS_MAX: usize = 1_024;
/// The most connections of one address. This machine's own addresses may have all, because all
/// local users share them, and so do all clients behind a proxy.
const ADDRESS_CONNECTIONS_MAX: usize = CONNECTIONS_MAX / 2;
/// The number of connections from which heads get less time.
const PRESSURE: usize = CONNECTIONS_MAX / 2;

/// The number of requests of one of `callers` callers that are answered at once. Strangers, and the
/// next request of anybody, have as much as a caller.
pub(super) fn share(callers: usize) -> usize {
    (CONNECTIONS_MAX / (callers + 1)).max(1)
}

#[derive(Default)]
pub(super) struct Connections {
    open: HashMap<Id, Open>,
    /// Counts the times that a connection began to wait. It orders the waiting ones by age.
    turns: Arc<AtomicU64>,
}

struct Open {
    address: IpAddr,
    state: Arc<State>,
    task: AbortHandle,
}

/// The decision about a new connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is admitted. `is_under_pressure` if there are many connections already.
    Admitted { is_under_pressure: bool },
    /// It is refused: all connections that could be closed for it are being answered.
    Refused,
}

impl Connections {
    /// True if the limit is reached and no connection is waiting for a request.
    pub(super) fn is_full_of_active(&self) -> bool {
        self.open.len() >= CONNECTIONS_MAX
            && !self
                .open
                .values()
                .any(|open| open.state.waits_since().is_some())
    }

    /// Makes room for another connection of `address`, by closing the one that has waited longest
    /// for a request, or the rest of one: one of the same address if that has used up its limit,
    /// else any.
    pub(super) fn make_room(&mut self, address: IpAddr) -> Admission {
        let network = network(address);
        // Below this number, no address can have reached its limit.
        if self.open.len() >= ADDRESS_CONNECTIONS_MAX && !network.is_loopback() {
            let of_address = |open: &Open| open.address == network;
            let count = self.open.values().filter(|open| of_address(open)).count();
            if count >= ADDRESS_CONNECTIONS_MAX && !self.evict_oldest(of_address) {
                return Admission::Refused;
            }
        }
        if self.open.len() >= CONNECTIONS_MAX && !self.evict_oldest(|_| true) {
            return Admission::Refused;
        }
        let is_under_pressure = self.open.len() >= PRESSURE;
        Admission::Admitted { is_under_pressure }
    }

    /// The state of a new connection, which waits for its first head.
    pub(super) fn waiting(&self) -> Arc<State> {
        Arc::new(State {
            since: AtomicU64::new(turn(&self.turns)),
            turns: self.turns.clone(),
        })
    }

    /// Adds the connection of `address` that `task` answers.
    pub(super) fn opened(&mut self, address: IpAddr, state: Arc<State>, task: AbortHandle) {
        let opened = Open {
            address: network(address),
            state,
            task,
        };
        self.open.insert(opened.task.id(), opened);
    }

    /// Removes the connection whose task has ended.
    pub(super) fn ended(&mut self, task: Id) {
        self.open.remove(&task);
    }

    fn evict_oldest(&mut self, may_go: impl Fn(&Open) -> bool) -> bool {
        loop {
            let waiting = self.open.iter().filter(|(_, open)| may_go(open));
            let waiting = waiting.filter_map(|(id, open)| Some((open.state.waits_since()?, *id)));
            let Some((since, id)) = waiting.min_by_key(|(since, _)| *since) else {
                return false;
            };
            // If its request was completed meanwhile, it stays.
            let is_evicted = |open: &mut Open| open.state.change(since, EVICTED);
            if self.open.get_mut(&id).is_some_and(is_evicted)
                && let Some(oldest) = self.open.remove(&id)
            {
                oldest.task.abort();
                return true;
            }
        }
    }
}

/// The network that an address is counted as: for IPv6 a /64, because a client usually has a whole
/// one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let network = u128::from(address) >> 64 << 64;
            Ipv6Addr::from(network).into()
        }
        address => address,
    }
}

pub(super) struct State {
    /// The turn in which it began to wait, or one of the constants below.
    since: AtomicU64,
    turns: Arc<AtomicU64>,
}

const ANSWERING: u64 = 0;
const EVICTED: u64 = 1;
const FIRST_TURN: u64 = 2;

fn turn(turns: &AtomicU64) -> u64 {
    FIRST_TURN + turns.fetch_add(1, Ordering::Relaxed)
}

impl State {
    /// The turn since which it waits for a request, or the rest of one; `None` if it does not wait.
    fn waits_since(&self) -> Option<u64> {
        let since = self.since.load(Ordering::Relaxed);
        (since >= FIRST_TURN).then_some(since)
    }

    fn change(&self, from: u64, to: u64) -> bool {
        let changed = self
            .since
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed);
        changed.is_ok()
    }
}

/// A request of which not all is here. Its connection may be closed for another one.
pub(super) struct IncompleteRequest(Arc<State>);

impl IncompleteRequest {
    /// Begins with a whole head, the body of which is awaited from now on.
    pub(super) fn begin(state: &Arc<State>) -> Self {
        // One that was just given up stays so.
        if let Some(since) = state.waits_since() {
            state.change(since, turn(&state.turns));
        }
        Self(state.clone())
    }

    /// Begins the answer, now that all of the request is here. It never returns if the connection
    /// was given up: its task is about to be aborted.
    pub(super) async fn complete(self) -> ActiveRequest {
        match ActiveRequest::begin(&self.0) {
            Some(active) => active,
            None => pending().await,
        }
    }
}

/// A request that is being answered. Its connection is not closed for another one.
pub(super) struct ActiveRequest(Arc<State>);

impl ActiveRequest {
    /// Begins an answer; `None` if the connection was closed for another one.
    fn begin(state: &Arc<State>) -> Option<Self> {
        // The previous answer may not have ended yet.
        let is_evicted = match state.waits_since() {
            Some(since) => !state.change(since, ANSWERING),
            None => state.since.load(Ordering::Relaxed) == EVICTED,
        };
        (!is_evicted).then(|| Self(state.clone()))
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.change(ANSWERING, turn(&self.0.turns));
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use tokio::task::JoinSet;

    use super::*;

    impl State {
        fn waits(&self) -> bool {
            self.waits_since().is_some()
        }
    }

    struct Opened {
        connections: Connections,
        tasks: JoinSet<()>,
    }

    impl Opened {
        fn new() -> Self {
            Self {
                connections: Connections::default(),
                tasks: JoinSet::new(),
            }
        }

        /// Adds a connection that waits for a head, if there is room.
        fn open(&mut self, address: &str) -> Option<Arc<State>> {
            let address = address.parse().unwrap();
            if self.connections.make_room(address) == Admission::Refused {
                return None;
            }
            let state = self.connections.waiting();
            let task = self.tasks.spawn(std::future::pending());
            self.connections.opened(address, state.clone(), task);
            Some(state)
        }
    }

    #[tokio::test]
    async fn who_waits_the_longest_gives_way() {
        let mut opened = Opened::new();
        let busy = opened.open("127.0.0.1").unwrap();
        let busy = ActiveRequest::begin(&busy).unwrap();
        let oldest = opened.open("127.0.0.1").unwrap();
        let second = opened.open("127.0.0.1").unwrap();
        for _ in 3..CONNECTIONS_MAX {
            assert!(opened.open("127.0.0.1").is_some());
        }
        assert!(oldest.waits());
        assert!(opened.open("127.0.0.1").is_some());
        assert!(!oldest.waits() && second.waits());
        assert!(ActiveRequest::begin(&oldest).is_none(), "it was given up");
        assert_eq!(opened.connections.open.len(), CONNECTIONS_MAX);
        // A connection that was answered waits again, as the one that has waited the least.
        let answered = busy.0.clone();
        drop(busy);
        assert!(answered.waits() && opened.open("127.0.0.1").is_some());
        assert!(answered.waits() && !second.waits());
        assert!(opened.tasks.join_next().await.unwrap().is_err());
    }

    #[tokio::test]
    async fn half_a_body_gives_way_as_half_a_head_does() {
        let mut opened = Opened::new();
        let slow = opened.open("127.0.0.1").unwrap();
        let oldest = opened.open("127.0.0.1").unwrap();
        for _ in 2..CONNECTIONS_MAX {
            opened.open("127.0.0.1");
        }
        // It waits for its body since now.
        let body = IncompleteRequest::begin(&slow);
        opened.open("127.0.0.1");
        assert!(!oldest.waits() && slow.waits());
        for _ in 1..CONNECTIONS_MAX {
            opened.open("127.0.0.1");
        }
        assert!(!slow.waits());
        assert!(body.complete().now_or_never().is_none(), "it was given up");
    }

    #[tokio::test]
    async fn who_is_answered_stays() {
        let mut opened = Opened::new();
        let mut busy = Vec::new();
        for _ in 0..CONNECTIONS_MAX {
            let state = opened.open("127.0.0.1").unwrap();
            busy.push(ActiveRequest::begin(&state).unwrap());
        }
        assert!(opened.connections.is_full_of_active());
        assert!(opened.open("127.0.0.1").is_none());
        busy.pop();
        assert!(!opened.connections.is_full_of_active());
        assert!(opened.open("127.0.0.1").is_some());
    }

    #[tokio::test]
    async fn an_address_has_its_share() {
        let mut opened = Opened::new();
        let here = opened.open("127.0.0.1").unwrap();
        let mut theirs = Vec::new();
        for number in 0..2 * CONNECTIONS_MAX {
            // All of these belong to one network.
            theirs.push(opened.open(&format!("2001:db8::{:x}", number + 1)));
        }
        assert!(here.waits(), "others give way among themselves");
        assert_eq!(opened.connections.open.len(), 1 + ADDRESS_CONNECTIONS_MAX);
        let theirs = theirs.into_iter().flatten();
        let busy: Vec<_> = theirs
            .filter_map(|state| ActiveRequest::begin(&state))
            .collect();
        assert_eq!(busy.len(), ADDRESS_CONNECTIONS_MAX);
        assert!(opened.open("2001:db8::a").is_none());
        assert!(opened.open("2001:db8:1::a").is_some());
        assert!(opened.open("::ffff:192.0.2.1").is_some());
        assert_eq!(
            network("::ffff:192.0.2.1".parse().unwrap()).to_string(),
            "192.0.2.1"
        );
    }

    #[tokio::test]
    async fn many_are_pressure() {
        let mut opened = Opened::new();
        for _ in 0..PRESSURE {
            let room = opened.connections.make_room("127.0.0.1".parse().unwrap());
            assert_eq!(
                room,
                Admission::Admitted {
                    is_under_pressure: false
                }
            );
            opened.open("127.0.0.1");
        }
        let room = opened.connections.make_room("127.0.0.1".parse().unwrap());
        assert_eq!(
            room,
            Admission::Admitted {
                is_under_pressure: true
            }
        );
    }
}

//! Limits a listener's connections, in all and per address, and closes idle ones to make room.
//!
//! A connection costs a client little, and their number is limited. Without further rules, one
//! address with half-sent request heads could keep all other clients out. A connection with a
//! request under way is never closed for another one.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, oneshot};

use crate::limits::Limits;

/// The open connections of a listener. Cloning gives another handle to the same ones.
#[derive(Debug, Clone)]
pub(super) struct Connections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    all_max: usize,
    address_max: usize,
    timeouts: Timeouts,
    table: Mutex<Table>,
    left: Notify,
}

/// The time a connection may wait for its first request, and, under pressure, for any request.
#[derive(Debug)]
struct Timeouts {
    first: Duration,
    pressed: Duration,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    all: HashMap<u64, Connection>,
    waiting: IdleQueue,
    by_address: HashMap<IpAddr, AddressEntry>,
}

/// The idle connections, in the order in which they are closed.
type IdleQueue = BTreeSet<(Idle, u64)>;

/// The kind of request a connection waits for, and since when. In the order in which connections
/// are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Idle {
    /// The whole head of its first request.
    BeforeFirst(Instant),
    /// The head of a later request, part of which may have arrived. Clients that pool connections
    /// keep them open like this.
    BetweenRequests(Instant),
}

#[derive(Debug)]
struct Connection {
    /// The address it is counted for; `None` if many clients share it.
    address: Option<IpAddr>,
    waits: Option<Idle>,
    leave: Option<oneshot::Sender<()>>,
}

#[derive(Debug, Default)]
struct AddressEntry {
    count: usize,
    waiting: IdleQueue,
}

/// The reason why a connection is not admitted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AdmitError {
    /// All connections that its address may have are busy.
    Address,
    /// All connections that the listener may have are busy.
    All,
}

/// The slot of a connection, freed when the last clone is dropped.
#[derive(Debug, Clone)]
pub(super) struct Slot(Arc<SlotGuard>);

#[derive(Debug)]
struct SlotGuard {
    id: u64,
    connections: Connections,
}

/// A request under way, until this is dropped.
pub(super) struct ActiveRequest(Slot);

impl Connections {
    pub(super) fn new(limits: &Limits) -> Self {
        Self(Arc::new(Inner {
            all_max: limits.connections_max.max(1),
            address_max: limits.address_connections_max.max(1),
            timeouts: Timeouts {
                first: limits.head_max,
                pressed: limits.pressed_head_max,
            },
            table: Mutex::default(),
            left: Notify::new(),
        }))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a new connection could get a slot.
    pub(super) async fn room(&self) {
        loop {
            let left = self.0.left.notified();
            {
                let table = self.table();
                if table.all.len() < self.0.all_max || !table.waiting.is_empty() {
                    return;
                }
            }
            left.await;
        }
    }

    /// Admits a connection, if necessary by closing an idle one. The receiver is notified when this
    /// connection is to be closed in turn.
    pub(super) fn admit(
        &self,
        address: Option<IpAddr>,
        now: Instant,
    ) -> Result<(Slot, oneshot::Receiver<()>), AdmitError> {
        let mut table = self.table();
        if let Some(by_address) = address.and_then(|address| table.by_address.get(&address))
            && by_address.count >= self.0.address_max
        {
            let (_, longest) = *by_address.waiting.first().ok_or(AdmitError::Address)?;
            table.evict(longest);
        }
        if table.all.len() >= self.0.all_max {
            let (_, longest) = *table.waiting.first().ok_or(AdmitError::All)?;
            table.evict(longest);
        }
        let (leave, left) = oneshot::channel();
        let id = table.add(Connection {
            address,
            waits: Some(Idle::BeforeFirst(now)),
            leave: Some(leave),
        });
        let connections = self.clone();
        Ok((Slot(Arc::new(SlotGuard { id, connections })), left))
    }

    /// True if less than half of the slots are free.
    pub(super) fn is_under_pressure(&self) -> bool {
        self.table().all.len() > self.0.all_max / 2
    }

    /// Closes the connections that have waited too long.
    pub(super) fn evict_expired(&self, now: Instant) {
        let is_under_pressure = self.is_under_pressure();
        let timeouts = &self.0.timeouts;
        let has_expired = |wait: &Idle| match wait {
            Idle::BeforeFirst(since) if is_under_pressure => {
                now - *since > timeouts.pressed.min(timeouts.first)
            }
            Idle::BeforeFirst(since) => now - *since > timeouts.first,
            Idle::BetweenRequests(since) => is_under_pressure && now - *since > timeouts.pressed,
        };
        let mut table = self.table();
        let late: Vec<u64> = table
            .waiting
            .iter()
            .filter(|(wait, _)| has_expired(wait))
            .map(|(_, id)| *id)
            .collect();
        for id in late {
            table.evict(id);
        }
    }
}

impl Slot {
    /// Records that the head of a request has arrived.
    pub(super) fn begin(&self) -> ActiveRequest {
        self.0.connections.table().set_waiting(self.0.id, None);
        ActiveRequest(self.clone())
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let SlotGuard { id, connections } = &*self.0.0;
        let wait = Idle::BetweenRequests(Instant::now());
        connections.table().set_waiting(*id, Some(wait));
        // A new connection that waits for room may replace this one.
        connections.0.left.notify_one();
    }
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        self.connections.table().remove(self.id);
        self.connections.0.left.notify_one();
    }
}

impl Table {
    fn add(&mut self, connection: Connection) -> u64 {
        let id = self.next;
        self.next += 1;
        let entry = connection.waits.map(|wait| (wait, id));
        if let Some(address) = connection.address {
            let by_address = self.by_address.entry(address).or_default();
            by_address.count += 1;
            by_address.waiting.extend(entry);
        }
        self.waiting.extend(entry);
        self.all.insert(id, connection);
        id
    }

    fn set_waiting(&mut self, id: u64, wait: Option<Idle>) {
        let Some(connection) = self.all.get_mut(&id) else {
            return;
        };
        let before = std::mem::replace(&mut connection.waits, wait);
        let address = connection.address;
        let by_address = address.and_then(|address| self.by_address.get_mut(&address));
        let own = by_address.map(|by_address| &mut by_address.waiting);
        for waiting in [Some(&mut self.waiting), own].into_iter().flatten() {
            if let Some(before) = before {
                waiting.remove(&(before, id));
            }
            waiting.extend(wait.map(|wait| (wait, id)));
        }
    }

    /// Closes a connection. Its slot is free at once; the socket is closed when its task runs next.
    fn evict(&mut self, id: u64) {
        if let Some(leave) = self.remove(id) {
            // It may be closing already.
            let _ = leave.send(());
        }
    }

    fn remove(&mut self, id: u64) -> Option<oneshot::Sender<()>> {
        self.set_waiting(id, None);
        let connection = self.all.remove(&id)?;
        if let Some(address) = connection.address
            && let Some(by_address) = self.by_address.get_mut(&address)
        {
            by_address.count -= 1;
            if by_address.count == 0 {
                self.by_address.remove(&address);
            }
        }
        connection.leave
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn connections(all: usize, of_one: usize) -> Connections {
        let mut limits = Limits::standard();
        limits.connections_max = all;
        limits.address_connections_max = of_one;
        limits.head_max = 30 * SECOND;
        limits.pressed_head_max = 5 * SECOND;
        Connections::new(&limits)
    }

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    fn was_evicted(left: &mut oneshot::Receiver<()>) -> bool {
        left.try_recv().is_ok()
    }

    #[test]
    fn the_longest_without_a_request_goes_first() {
        let (connections, start) = (connections(3, 9), Instant::now());
        let (idle, mut idle_left) = connections.admit(address(1), start).unwrap();
        drop(idle.begin());
        let (_old, mut old_left) = connections.admit(address(2), start + SECOND).unwrap();
        let (young, mut young_left) = connections.admit(address(3), start + 2 * SECOND).unwrap();
        let busy = young.begin();
        // A connection without any request is closed first, even if another one is idle for longer.
        let (fourth, _) = connections.admit(address(4), start + 3 * SECOND).unwrap();
        assert!(was_evicted(&mut old_left) && !was_evicted(&mut idle_left));
        let _fourth = (fourth.begin(), fourth);
        let (fifth, _) = connections.admit(address(5), start + 4 * SECOND).unwrap();
        assert!(was_evicted(&mut idle_left) && !was_evicted(&mut young_left));
        let _fifth = (fifth.begin(), fifth);
        // Connections with a request under way are never closed.
        let sixth = connections.admit(address(6), start + 5 * SECOND);
        assert_eq!(sixth.unwrap_err(), AdmitError::All);
        drop(busy);
        assert!(connections.admit(address(6), start + 6 * SECOND).is_ok());
        assert!(was_evicted(&mut young_left));
    }

    #[test]
    fn an_address_has_its_share_and_its_own_go_first() {
        let (connections, start) = (connections(9, 2), Instant::now());
        let (_other, mut other_left) = connections.admit(address(1), start).unwrap();
        let (_first, mut first_left) = connections.admit(address(2), start + SECOND).unwrap();
        let (second, mut second_left) = connections.admit(address(2), start + 2 * SECOND).unwrap();
        let (third, mut third_left) = connections.admit(address(2), start + 3 * SECOND).unwrap();
        assert!(was_evicted(&mut first_left) && !was_evicted(&mut other_left));
        let _busy = (second.begin(), third.begin());
        let refused = connections.admit(address(2), start + 4 * SECOND);
        assert_eq!(refused.unwrap_err(), AdmitError::Address);
        assert!(connections.admit(address(1), start + 4 * SECOND).is_ok());
        assert!(!was_evicted(&mut second_left) && !was_evicted(&mut third_left));
        // Connections of a proxy are not counted for an address.
        let many: Vec<_> = (0..5)
            .map(|_| connections.admit(None, start).unwrap())
            .collect();
        assert_eq!(many.len(), 5);
    }

    #[test]
    fn patience_ends_sooner_when_it_is_crowded() {
        let (connections, start) = (connections(4, 9), Instant::now());
        let (idle, mut idle_left) = connections.admit(None, start).unwrap();
        drop(idle.begin());
        let (_half, mut half_left) = connections.admit(None, start).unwrap();
        connections.evict_expired(start + 20 * SECOND);
        assert!(!was_evicted(&mut half_left));
        let (_third, mut third_left) = connections.admit(None, start + 20 * SECOND).unwrap();
        assert!(connections.is_under_pressure());
        connections.evict_expired(start + 21 * SECOND);
        assert!(was_evicted(&mut half_left) && was_evicted(&mut idle_left));
        assert!(!was_evicted(&mut third_left) && !connections.is_under_pressure());
        connections.evict_expired(start + 49 * SECOND);
        assert!(!was_evicted(&mut third_left));
        connections.evict_expired(start + 51 * SECOND);
        assert!(was_evicted(&mut third_left));
    }

    #[test]
    fn who_has_left_takes_no_place() {
        let (connections, start) = (connections(9, 2), Instant::now());
        for _ in 0..100 {
            let (place, _) = connections.admit(address(1), start).unwrap();
            drop(place.begin());
        }
        let table = connections.table();
        assert!(table.all.is_empty() && table.waiting.is_empty() && table.by_address.is_empty());
    }
}

//! The `Usage` report of a call, and the counters behind it: time, memory and bytes.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use serde::{Serialize, Serializer};

/// The usage of a call, from the moment it was made to its outcome. Instructions are not counted:
/// the engine interrupts guests by the clock, which costs them less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Usage {
    /// The whole call.
    #[serde(rename = "total_us", serialize_with = "microseconds")]
    pub total: Duration,
    /// Of it, until the call had one of the host's places or was told that there is none.
    #[serde(rename = "queued_us", serialize_with = "microseconds")]
    pub queued: Duration,
    /// Of it, the guest's turns on a processor, with the host's functions that it called there.
    #[serde(rename = "guest_us", serialize_with = "microseconds")]
    pub guest: Duration,
    /// The rest: what the guest waited for (its turn, a network, its storage, a person),
    /// reading the arguments and writing the outcome.
    #[serde(rename = "host_us", serialize_with = "microseconds")]
    pub host: Duration,
    /// The arguments.
    pub input_bytes: u64,
    /// The texts and bytes of the outcome, the latter as base64.
    pub output_bytes: u64,
    /// The guest's memories and tables when they were largest.
    pub memory_bytes: u64,
    /// HTTP requests that were sent.
    pub http_requests: u64,
    /// The bodies of HTTP requests.
    pub http_sent_bytes: u64,
    /// The bodies of HTTP responses.
    pub http_received_bytes: u64,
    /// Operations on the tool's storage.
    pub storage_operations: u64,
}

fn microseconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(micros(*time))
}

pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The counters of a call while it runs.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) queued_ns: Count,
    pub(crate) input_bytes: Count,
    pub(crate) memory_bytes: Count,
    pub(crate) http_requests: Count,
    pub(crate) http_sent_bytes: Count,
    pub(crate) http_received_bytes: Count,
    pub(crate) storage_operations: Count,
}

/// A counter that gives no ordering between threads.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

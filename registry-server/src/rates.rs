//! Limits the rate of requests of each token or address, by token buckets.
//! Their table is of bounded size.
//!
//! A bucket is one number, the moment at which it will be full again. Every request moves that
//! moment on by the time one request takes to come back; who would move it further than a whole
//! bucket has to wait.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};

use crate::database::keys::TokenKey;
use crate::http::Refusal;
use crate::limits::{Limits, RateLimit};

/// The subject whose requests are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// A valid token.
    Token(TokenKey),
    /// Whoever has no valid token, by address.
    Address(IpAddr),
}

/// The address a request came from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Peer {
    /// The subject that stands for this address.
    ///
    /// One customer of a network provider has at least 64 bits of IPv6 addresses to choose from, so
    /// these count as one. Loopback is nobody: it is the operator's own machine, or a proxy behind
    /// which everybody would share one bucket.
    pub(crate) fn subject(self) -> Option<Subject> {
        let address = match self.0.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (!0 << 64))),
            v4 => v4,
        };
        (!self.0.to_canonical().is_loopback()).then_some(Subject::Address(address))
    }
}

/// All buckets of a process; other processes on the same registry have their own.
#[derive(Debug)]
pub(crate) struct Rates {
    token: Option<RateLimit>,
    address: Option<RateLimit>,
    subjects_max: usize,
    started: Instant,
    /// The time at which each bucket is full again, in microseconds since the start.
    full_at_us: Mutex<HashMap<Subject, u64>>,
}

impl Rates {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            token: limits.token_rate,
            address: limits.address_rate,
            subjects_max: limits.rate_subjects_max,
            started: Instant::now(),
            full_at_us: Mutex::default(),
        }
    }

    /// Counts a request, or refuses it with 429 and the seconds to wait.
    pub(crate) fn count(&self, subject: Subject) -> Result<(), Refusal> {
        let rate = match &subject {
            Subject::Token(_) => self.token,
            Subject::Address(_) => self.address,
        };
        let Some(rate) = rate else { return Ok(()) };
        let now_us = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let mut table = self
            .full_at_us
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if table.len() >= self.subjects_max && !table.contains_key(&subject) {
            make_room(&mut table, self.subjects_max, now_us);
        }
        let full_at_us = table.entry(subject).or_default();
        take(full_at_us, rate, now_us).map_err(|wait| refusal(rate, wait))
    }
}

/// Takes one request out of a bucket, or tells how long until there is one.
fn take(full_at_us: &mut u64, rate: RateLimit, now_us: u64) -> Result<(), Duration> {
    let one_us = 60_000_000 / u64::from(rate.per_minute.max(1));
    let whole_us = one_us * u64::from(rate.burst.max(1));
    let then_us = (*full_at_us).max(now_us) + one_us;
    match (then_us - now_us).checked_sub(whole_us) {
        None | Some(0) => {
            *full_at_us = then_us;
            Ok(())
        }
        Some(over_us) => Err(Duration::from_micros(over_us)),
    }
}

/// Forgets full buckets, which are as good as none, and when that is not enough the fuller half of
/// the others: who asked most keeps being counted.
fn make_room(table: &mut HashMap<Subject, u64>, subjects_max: usize, now_us: u64) {
    table.retain(|_, full_at_us| *full_at_us > now_us);
    if table.len() > subjects_max / 2 {
        let mut times: Vec<u64> = table.values().copied().collect();
        let middle = times.len() / 2;
        let (_, median, _) = times.select_nth_unstable(middle);
        let median = *median;
        table.retain(|_, full_at_us| *full_at_us > median);
    }
}

fn refusal(rate: RateLimit, wait: Duration) -> Refusal {
    // Clients read whole seconds only, and 0 would send them straight back.
    let seconds = wait.as_secs() + 1;
    let message = format!(
        "too many requests: {} a minute are allowed; try again in {seconds} s",
        rate.per_minute
    );
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, message)
        .header(RETRY_AFTER, HeaderValue::from(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: RateLimit = RateLimit {
        per_minute: 60,
        burst: 3,
    };
    const SECOND: u64 = 1_000_000;

    #[test]
    fn a_bucket_empties_and_fills() {
        let mut full_at = 0;
        for _ in 0..3 {
            assert_eq!(take(&mut full_at, RATE, 0), Ok(()));
        }
        assert_eq!(take(&mut full_at, RATE, 0), Err(Duration::from_secs(1)));
        assert_eq!(
            take(&mut full_at, RATE, SECOND / 2),
            Err(Duration::from_millis(500))
        );
        assert_eq!(take(&mut full_at, RATE, SECOND), Ok(()));
        assert_eq!(
            take(&mut full_at, RATE, SECOND),
            Err(Duration::from_secs(1))
        );
        // However long nobody asked, there is no more than one bucket.
        for _ in 0..3 {
            assert_eq!(take(&mut full_at, RATE, 1_000 * SECOND), Ok(()));
        }
        assert!(take(&mut full_at, RATE, 1_000 * SECOND).is_err());
    }

    #[test]
    fn the_table_is_bounded_and_keeps_the_busiest() {
        let mut limits = Limits::standard();
        limits.token_rate = Some(RateLimit {
            per_minute: 1,
            burst: 5,
        });
        limits.rate_subjects_max = 100;
        let rates = Rates::new(&limits);
        let subject = |at: usize| Subject::Token(TokenKey::from(at.to_string().as_str()));
        while rates.count(subject(0)).is_ok() {}
        for at in 1..10_000 {
            assert!(rates.count(subject(at)).is_ok());
            assert!(rates.full_at_us.lock().unwrap().len() <= 100);
        }
        assert!(
            rates.count(subject(0)).is_err(),
            "the busiest was forgotten"
        );
    }

    #[track_caller]
    fn check(address: &str, expect: Option<&str>) {
        let subject = Peer(address.parse().unwrap()).subject();
        let expect = expect.map(|text| Subject::Address(text.parse().unwrap()));
        assert_eq!(subject, expect, "{address}");
    }

    #[test]
    fn addresses() {
        check("192.0.2.1", Some("192.0.2.1"));
        check("::ffff:192.0.2.1", Some("192.0.2.1"));
        check("2001:db8:1:2:3:4:5:6", Some("2001:db8:1:2::"));
        check("127.0.0.1", None);
        check("127.8.8.8", None);
        check("::1", None);
        check("::ffff:127.0.0.1", None);
    }
}

//! Measures if a client sends or takes bytes at the least speed that is asked of it.

use std::time::Duration;

/// The interval at which a wait for a client checks if other clients have to wait.
pub(super) const PRESSURE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Measures if a client moves enough bytes in the time that is spent waiting for it.
///
/// A bound on silences alone is not enough: a client that moves a byte a minute is never silent for
/// long, and never done.
#[derive(Debug)]
pub(crate) struct Pace {
    wait_max: Duration,
    bytes_min: u64,
    waited: Duration,
    bytes: u64,
}

impl Pace {
    /// A client may be waited for as long as `wait_max` until it has moved `bytes_min` more bytes.
    pub(crate) fn new(wait_max: Duration, bytes_min: u64) -> Self {
        Self {
            wait_max,
            bytes_min,
            waited: Duration::ZERO,
            bytes: 0,
        }
    }

    /// The time that the client may still be waited for.
    pub(crate) fn left(&self) -> Duration {
        self.wait_max.saturating_sub(self.waited)
    }

    /// The remaining time, if the total were at most `wait_max`.
    pub(crate) fn left_of(&self, wait_max: Duration) -> Duration {
        self.wait_max.min(wait_max).saturating_sub(self.waited)
    }

    /// Records that the client moved bytes, after a wait of this length.
    pub(crate) fn moved(&mut self, bytes: u64, waited: Duration) {
        self.waited += waited;
        self.bytes += bytes;
        if self.bytes >= self.bytes_min {
            self.waited = Duration::ZERO;
            self.bytes = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_so_long_for_so_many_bytes() {
        let second = Duration::from_secs(1);
        let mut pace = Pace::new(10 * second, 100);
        pace.moved(40, 4 * second);
        assert_eq!(pace.left(), 6 * second);
        pace.moved(59, 4 * second);
        assert_eq!(pace.left(), 2 * second);
        pace.moved(1, second);
        assert_eq!(pace.left(), 10 * second);
        pace.moved(0, 11 * second);
        assert_eq!(pace.left(), Duration::ZERO);
    }
}

//! The current time, and conversions between the database's milliseconds and the protocol's dates.

use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

/// The Python client reads dates with exactly this pattern: a final `Z`, never `+00:00`.
const DATE: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

/// Milliseconds since 1970 UTC.
pub(crate) fn now_ms() -> i64 {
    to_ms(OffsetDateTime::now_utc())
}

/// Milliseconds since 1970 UTC of a date.
pub(crate) fn to_ms(date: OffsetDateTime) -> i64 {
    i64::try_from(date.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

/// A span of time in milliseconds.
pub(crate) fn span_ms(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

/// The date of a number of milliseconds since 1970 UTC; the first second of 1970 when out of range.
pub(crate) fn from_ms(ms: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// The whole second of a number of milliseconds since 1970.
pub(crate) fn seconds(ms: i64) -> OffsetDateTime {
    from_ms(ms - ms.rem_euclid(1_000))
}

/// A time as the protocol writes it: `2026-11-20T23:00:00.000Z`.
pub(crate) fn date(ms: i64) -> String {
    from_ms(ms).format(DATE).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_end_in_z() {
        assert_eq!(date(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(date(1_700_000_000_123), "2023-11-14T22:13:20.123Z");
        assert_eq!(to_ms(from_ms(1_700_000_000_123)), 1_700_000_000_123);
    }
}

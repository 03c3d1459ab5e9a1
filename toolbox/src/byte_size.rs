//! Parses amounts of bytes, whole numbers such as `500MB`, and formats them, such as `1.5 GiB`.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// Units that can be written, each with its bytes.
const UNITS: [(&str, u64); 9] = [
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];
/// Units that are shown.
const SHOWN: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];

/// An amount of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ByteSize(pub u64);

impl TryFrom<String> for ByteSize {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for ByteSize {
    type Err = String;

    /// Reads a whole number and a unit in either case; without one the number is of bytes.
    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.find(|c: char| !c.is_ascii_digit());
        let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
        let unit = unit.trim();
        let bytes = UNITS
            .iter()
            .find(|(name, _)| unit.is_empty() || name.eq_ignore_ascii_case(unit));
        let number = number.parse::<u64>().ok();
        let size = number.zip(bytes).and_then(|(number, (_, bytes))| {
            let size = number.checked_mul(*bytes)?;
            // The registry counts in signed numbers of 64 bits.
            i64::try_from(size).is_ok().then_some(size)
        });
        size.map(Self).ok_or_else(|| {
            "write a whole number and a unit, such as 500MB, 20GiB or 2TiB".to_owned()
        })
    }
}

impl fmt::Display for ByteSize {
    /// Bytes below 1 KiB as they are, more in the largest unit with at most one decimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut unit = None;
        // In tenths, rounded once at the end, so that no float shows more than there is.
        let mut bytes_of_unit = 1u64;
        for name in SHOWN {
            if self.0 / bytes_of_unit < 1024 {
                break;
            }
            bytes_of_unit <<= 10;
            unit = Some(name);
        }
        let Some(unit) = unit else {
            return write!(f, "{} B", self.0);
        };
        let tenths = u128::from(self.0) * 10 / u128::from(bytes_of_unit);
        match tenths % 10 {
            0 => write!(f, "{} {unit}", tenths / 10),
            tenth => write!(f, "{}.{tenth} {unit}", tenths / 10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<(u64, &str)>) {
        let size = text.parse::<ByteSize>().ok();
        let read = size.map(|size| (size.0, size.to_string()));
        let expect = expect.map(|(bytes, shown)| (bytes, shown.to_owned()));
        assert_eq!(read, expect, "{text}");
    }

    #[test]
    fn sizes_are_read_and_shown() {
        check("0", Some((0, "0 B")));
        check("1023", Some((1023, "1023 B")));
        check("1024b", Some((1024, "1 KiB")));
        check("1kb", Some((1_000, "1000 B")));
        check("500MB", Some((500_000_000, "476.8 MiB")));
        check("20 GiB", Some((20 << 30, "20 GiB")));
        check("1536gib", Some((1536 << 30, "1.5 TiB")));
        check("8388607TiB", Some((8_388_607 << 40, "8388607 TiB")));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "GiB", "1.5GiB", "-1", "1 apple", "8388608TiB", "1G"] {
            check(text, None);
        }
    }
}

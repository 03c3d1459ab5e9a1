//! Checks the names of counters, and reads their totals from stored bytes.

const NAME_LENGTH_MAX: usize = 64;

/// Holds a name against what names are made of.
///
/// # Errors
/// The rule for names, for the agent that gave an invalid one.
pub fn check(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=NAME_LENGTH_MAX).contains(&name.len()) && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(format!(
        "a counter is called by 1 to {NAME_LENGTH_MAX} of a-z, 0-9 and `-`, such as `cups-of-tea`"
    ))
}

/// The total that `value` stands for: its decimal digits, as the host counts. Anything else
/// counts as nothing.
pub fn total(value: &[u8]) -> u64 {
    std::str::from_utf8(value)
        .ok()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for name in ["a", "cups-of-tea", "2", &"a".repeat(64)] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in ["", "Tea", "a b", "tee_", "té", &"a".repeat(65)] {
            assert!(check(name).is_err(), "{name}");
        }
    }

    #[test]
    fn totals_are_digits() {
        assert_eq!(total(b"42"), 42);
        assert_eq!(total(b""), 0);
        assert_eq!(total(b"many"), 0);
        assert_eq!(total(b"\xff"), 0);
    }
}

//! Numbers as Python reads and rounds them.

use crate::text::trim;

/// A text as an integer in a base, 0 for that of its prefix.
pub(crate) fn parsed_integer(text: &str, base: i128) -> Option<i128> {
    let text = trim(text);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = unsigned.get(..2).unwrap_or_default().to_ascii_lowercase();
    let prefixed = match lower.as_str() {
        "0b" => 2,
        "0o" => 8,
        "0x" => 16,
        _ => 10,
    };
    let (radix, digits) = match (base, prefixed) {
        (0, 10) => (10, unsigned),
        (0, prefixed) => (prefixed, &unsigned[2..]),
        (base, prefixed) if prefixed != 10 && base == i128::from(prefixed) => {
            (prefixed, &unsigned[2..])
        }
        (base, _) => (
            u32::try_from(base)
                .ok()
                .filter(|it| (2..=36).contains(it))?,
            unsigned,
        ),
    };
    let digits = match radix == prefixed && radix != 10 {
        true => digits.strip_prefix('_').unwrap_or(digits),
        false => digits,
    };
    let number = i128::from_str_radix(&without_underscores(digits)?, radix).ok()?;
    Some(if text.starts_with('-') {
        -number
    } else {
        number
    })
}

/// A text as a float.
pub(crate) fn parsed_float(text: &str) -> Option<f64> {
    let text = trim(text);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.starts_with(['+', '-']) {
        return None;
    }
    without_underscores(unsigned)?
        .parse::<f64>()
        .ok()
        .map(|number| match text.starts_with('-') {
            true => -number,
            false => number,
        })
}

/// The text without underscores, which stand between digits; nothing where it has no digits.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_alphanumeric)
    };
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'_' && !(is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))) {
            return None;
        }
    }
    (!text.is_empty() && !text.starts_with(['+', '-'])).then(|| text.replace('_', ""))
}

/// A float without what is behind its point, where that is an integer of ours.
pub(crate) fn truncated(number: f64) -> Option<i128> {
    let whole = number.trunc();
    (whole.abs() < 2_f64.powi(126)).then_some(whole as i128)
}

/// To so many digits behind the point, halves to the even one.
pub(crate) fn rounded(number: f64, digits: i32) -> f64 {
    if !number.is_finite() {
        return number;
    }
    match usize::try_from(digits) {
        Ok(digits) => format!("{number:.digits$}").parse().unwrap_or(number),
        Err(_) => {
            let scale = 10_f64.powi(-digits);
            let scaled = number / scale;
            if scaled.abs() < 0.5 {
                return 0.0_f64.copysign(number);
            }
            scaled.round_ties_even() * scale
        }
    }
}

pub(crate) fn rounded_integer(number: i128, digits: i32) -> i128 {
    let Some(scale) = digits.checked_neg().filter(|it| *it > 0) else {
        return number;
    };
    let Some(scale) = 10_i128.checked_pow(scale as u32) else {
        return 0;
    };
    let (quotient, rest) = (number.div_euclid(scale), number.rem_euclid(scale));
    let rounds_up = rest * 2 > scale || rest * 2 == scale && quotient % 2 != 0;
    (quotient + i128::from(rounds_up)).saturating_mul(scale)
}

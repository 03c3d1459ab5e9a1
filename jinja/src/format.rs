//! Values in a layout: `'%5.2f' % x` and `'{:>5}'.format(x)`.

mod braces;
mod percent;

use crate::error::{Outcome, failed};
use crate::repr;
use crate::text;

/// How wide or exact a layout may be.
const WIDTH_MAX: usize = 100_000;
/// How many digits a float may have behind its point: there are no more than that.
const PRECISION_MAX: usize = 1_100;

/// How one value is laid out.
#[derive(Debug, Clone, Copy)]
struct Layout {
    filling: char,
    /// `<`, `>`, `^` or `=`; none by kind.
    align: Option<char>,
    /// What a number that is not negative begins with: `+` or a space.
    sign: Option<char>,
    /// `#`.
    is_alternate: bool,
    width: usize,
    /// What stands between thousands.
    grouping: Option<char>,
    precision: Option<usize>,
    /// The letter; none by kind.
    kind: Option<char>,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            filling: ' ',
            align: None,
            sign: None,
            is_alternate: false,
            width: 0,
            grouping: None,
            precision: None,
            kind: None,
        }
    }
}

impl Layout {
    fn check(&self) -> Outcome<()> {
        match self.width > WIDTH_MAX || self.precision.is_some_and(|it| it > WIDTH_MAX) {
            true => failed("a layout is too wide"),
            false => Ok(()),
        }
    }

    /// `text` filled up to the width.
    fn padded(&self, text: &str, default: char) -> String {
        let missing = self.width.saturating_sub(text::length(text));
        let filling = |count: usize| self.filling.to_string().repeat(count);
        match self.align.unwrap_or(default) {
            '<' | '=' => format!("{text}{}", filling(missing)),
            '^' => {
                let before = missing / 2;
                format!("{}{text}{}", filling(before), filling(missing - before))
            }
            _ => format!("{}{text}", filling(missing)),
        }
    }

    /// A number, whose sign stands before what fills it up where that is asked for.
    fn number(&self, is_negative: bool, prefix: &str, digits: &str) -> String {
        let sign = match (is_negative, self.sign) {
            (true, _) => "-".to_owned(),
            (false, Some('-')) | (false, None) => String::new(),
            (false, Some(sign)) => sign.to_string(),
        };
        if self.align != Some('=') {
            return self.padded(&format!("{sign}{prefix}{digits}"), '>');
        }
        let taken = sign.len() + prefix.len();
        let mut digits = digits.to_owned();
        if let (Some(separator), '0') = (self.grouping, self.filling) {
            digits = grouped_to(&digits, separator, self.width.saturating_sub(taken));
        }
        let missing = self.width.saturating_sub(taken + text::length(&digits));
        let filling = self.filling.to_string().repeat(missing);
        format!("{sign}{prefix}{filling}{digits}")
    }

    fn integer(&self, number: i128) -> Outcome<String> {
        let magnitude = number.unsigned_abs();
        let (prefix, digits) = match self.kind {
            Some('b') => ("0b", format!("{magnitude:b}")),
            Some('o') => ("0o", format!("{magnitude:o}")),
            Some('x') => ("0x", format!("{magnitude:x}")),
            Some('X') => ("0X", format!("{magnitude:X}")),
            _ => ("", magnitude.to_string()),
        };
        let digits = match self.grouping {
            Some(separator) => {
                let size = if prefix.is_empty() { 3 } else { 4 };
                grouped(&digits, separator, size)
            }
            None => digits,
        };
        let prefix = if self.is_alternate { prefix } else { "" };
        Ok(self.number(number < 0, prefix, &digits))
    }

    fn float(&self, number: f64) -> Outcome<String> {
        let magnitude = number.abs();
        let is_negative = number.is_sign_negative() && !number.is_nan();
        if !number.is_finite() {
            let mut digits = if number.is_nan() { "nan" } else { "inf" }.to_owned();
            if self.kind.is_some_and(char::is_uppercase) {
                digits.make_ascii_uppercase();
            }
            if self.kind == Some('%') {
                digits.push('%');
            }
            return Ok(self.number(is_negative, "", &digits));
        }
        let precision = self.precision.unwrap_or(6).min(PRECISION_MAX);
        let mut digits = match self.kind {
            Some('e' | 'E') => scientific(magnitude, precision, self.is_alternate),
            Some('f' | 'F') => fixed(magnitude, precision, self.is_alternate),
            Some('%') => fixed(magnitude * 100.0, precision, self.is_alternate) + "%",
            None if self.precision.is_none() => repr::float(magnitude),
            None => general(magnitude, precision, self.is_alternate, true),
            _ => general(magnitude, precision, self.is_alternate, false),
        };
        if self.kind.is_some_and(char::is_uppercase) {
            digits.make_ascii_uppercase();
        }
        if let Some(separator) = self.grouping {
            let whole = digits.find(|it: char| !it.is_ascii_digit());
            let (whole, rest) = digits.split_at(whole.unwrap_or(digits.len()));
            digits = grouped(whole, separator, 3) + rest;
        }
        Ok(self.number(is_negative, "", &digits))
    }

    fn text(&self, text: &str) -> String {
        let kept = self.precision.unwrap_or(usize::MAX);
        self.padded(text::between(text, 0..kept), '<')
    }
}

fn grouped(digits: &str, separator: char, size: usize) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(size) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// Digits with as many zeros before them as fill a width, in groups as well.
fn grouped_to(digits: &str, separator: char, width: usize) -> String {
    let whole = digits.find(|it: char| !it.is_ascii_digit() && it != separator);
    let (whole, rest) = digits.split_at(whole.unwrap_or(digits.len()));
    let mut plain = whole.replace(separator, "");
    loop {
        let text = grouped(&plain, separator, 3) + rest;
        if text.len() >= width {
            return text;
        }
        plain.insert(0, '0');
    }
}

fn fixed(number: f64, precision: usize, is_alternate: bool) -> String {
    let point = if is_alternate && precision == 0 {
        "."
    } else {
        ""
    };
    format!("{number:.precision$}{point}")
}

fn scientific(number: f64, precision: usize, is_alternate: bool) -> String {
    let written = format!("{number:.precision$e}");
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let point = if is_alternate && precision == 0 {
        "."
    } else {
        ""
    };
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}{point}e{sign}{exponent:0>2}")
}

/// The shorter of both, with so many digits. A float without a letter has one behind its point.
fn general(number: f64, precision: usize, is_alternate: bool, has_fraction: bool) -> String {
    let precision = precision.max(1);
    let written = format!("{number:.0$e}", precision - 1);
    let exponent = written
        .split_once('e')
        .and_then(|(_, it)| it.parse::<i64>().ok());
    let exponent = exponent.unwrap_or(0);
    let high = precision as i64 - i64::from(has_fraction && precision > 1);
    let is_fixed = (-4..high.max(1)).contains(&exponent);
    let mut digits = match is_fixed {
        true => {
            let decimals = (precision as i64 - 1 - exponent).max(0) as usize;
            fixed(number, decimals, is_alternate)
        }
        false => scientific(number, precision - 1, is_alternate),
    };
    if !is_alternate {
        let (mantissa, exponent) = match digits.split_once('e') {
            Some((mantissa, exponent)) => (mantissa, format!("e{exponent}")),
            None => (digits.as_str(), String::new()),
        };
        let mantissa = match mantissa.contains('.') {
            true => mantissa.trim_end_matches('0').trim_end_matches('.'),
            false => mantissa,
        };
        digits = format!("{mantissa}{exponent}");
    }
    if has_fraction && is_fixed && !digits.contains('.') {
        digits.push_str(".0");
    }
    digits
}

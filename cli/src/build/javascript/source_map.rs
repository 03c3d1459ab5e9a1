//! Reads a source map of the bundler, to tell which line of the project a line of the bundle is.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::module_names::Shift;
use super::packages::IN_PACKAGES;
use crate::files;

/// The longest source map that is read.
const BYTES_MAX: u64 = 64 << 20;

/// A source map, as ECMA-426 defines it.
#[derive(Deserialize, Serialize)]
pub(super) struct SourceMap {
    sources: Vec<String>,
    mappings: String,
}

impl SourceMap {
    /// Reads the file at `path`; nothing where it is no source map.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let bytes = files::read_regular(path, BYTES_MAX).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The map of a bundle in `place` with the names of sources as they are in `directory`, or
    /// below the directory of packages, and none for others.
    pub(super) fn named(mut self, place: &Path, directory: &Path) -> Self {
        let directory = directory.canonicalize();
        for source in &mut self.sources {
            let path = place.join(&*source).canonicalize();
            let (Ok(path), Ok(directory)) = (path, &directory) else {
                source.clear();
                continue;
            };
            let name = path.strip_prefix(directory).ok();
            let name = name.map(|name| name.display().to_string());
            let full = path.display().to_string();
            let package = full
                .rsplit_once(IN_PACKAGES)
                .map(|(_, name)| name.to_owned());
            *source = name.or(package).unwrap_or_default();
        }
        self
    }

    /// The map once text was put into the bundle, or taken out of it, at the `shifts`, which are in
    /// order. None if it cannot be read.
    pub(super) fn shifted(self, shifts: &[Shift]) -> Option<Self> {
        let mut shifts = shifts.iter().peekable();
        let mut lines = Vec::new();
        for (number, line) in self.mappings.split(';').enumerate() {
            let (mut column, mut segments) = (0, Vec::new());
            for segment in line.split(',').filter(|segment| !segment.is_empty()) {
                let mut numbers = numbers(segment)?;
                let step = numbers.first_mut()?;
                column += *step;
                while let Some(shift) =
                    shifts.next_if(|it| (it.line, it.column) <= (number, column))
                {
                    if shift.line == number {
                        *step += shift.by;
                    }
                }
                segments.push(numbers.into_iter().map(digits).collect::<String>());
            }
            lines.push(segments.join(","));
        }
        Some(Self {
            mappings: lines.join(";"),
            ..self
        })
    }

    /// The source and the line in it of a place in the bundle; lines and columns are from 1.
    pub(super) fn original(&self, line: usize, column: i64) -> Option<(&str, i64)> {
        let (mut source, mut source_line) = (0, 0);
        for (index, segments) in self.mappings.split(';').enumerate().take(line) {
            let (mut generated, mut found) = (0, None);
            for segment in segments.split(',').filter(|segment| !segment.is_empty()) {
                let numbers = numbers(segment)?;
                generated += numbers.first()?;
                if let [_, source_step, line_step, ..] = numbers[..] {
                    source += source_step;
                    source_line += line_step;
                }
                if generated < column || found.is_none() {
                    found = Some((source, source_line + 1));
                }
            }
            if index + 1 == line {
                let (source, line) = found?;
                let source = usize::try_from(source).ok()?;
                return Some((self.sources.get(source)?, line));
            }
        }
        None
    }
}

/// The digits of numbers in a segment.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Set in a digit that is not a number's last.
const MORE: i64 = 32;

/// The numbers of a segment, in the base 64 of variable length that source maps use.
fn numbers(segment: &str) -> Option<Vec<i64>> {
    let (mut numbers, mut value, mut shift) = (Vec::new(), 0_i64, 0_u32);
    for byte in segment.bytes() {
        let digit = DIGITS.iter().position(|digit| *digit == byte)?;
        let digit = i64::try_from(digit).ok()?;
        value |= (digit & (MORE - 1)).checked_shl(shift)?;
        shift += 5;
        if digit & MORE == 0 {
            let magnitude = value >> 1;
            numbers.push(if value & 1 == 1 {
                -magnitude
            } else {
                magnitude
            });
            (value, shift) = (0, 0);
        }
    }
    Some(numbers)
}

/// The digits of a number, as [`numbers`] reads them.
fn digits(number: i64) -> String {
    let mut rest = (number.abs() << 1) | i64::from(number < 0);
    let mut written = String::new();
    loop {
        let digit = rest & (MORE - 1);
        rest >>= 5;
        let more = if rest == 0 { 0 } else { MORE };
        let digit = usize::try_from(digit | more).unwrap_or_default();
        written.push(char::from(DIGITS[digit]));
        if rest == 0 {
            return written;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_bundle_leads_to_its_source() {
        let map = SourceMap {
            sources: vec!["a.js".to_owned(), "b.js".to_owned()],
            // Line 1: a.js 1; line 2: nothing; line 3: at column 0 a.js 2, at column 10 b.js 1.
            mappings: "AAAA;;AACA,UCDA".to_owned(),
        };
        assert_eq!(map.original(1, 1), Some(("a.js", 1)));
        assert_eq!(map.original(2, 1), None);
        assert_eq!(map.original(3, 4), Some(("a.js", 2)));
        assert_eq!(map.original(3, 11), Some(("b.js", 1)));
        assert_eq!(map.original(9, 1), None);
        assert_eq!(numbers("gB"), Some(vec![16]));
        assert_eq!(numbers("!"), None);
    }

    #[test]
    fn a_map_follows_what_moves() {
        for number in [0, 1, -1, 15, 16, -16, 1_000_000] {
            assert_eq!(numbers(&digits(number)), Some(vec![number]));
        }
        let map = || SourceMap {
            sources: vec!["a.js".to_owned()],
            // Line 1 at column 0 and line 2 at column 10 of the second line, line 3 in the third.
            mappings: ";AAAA,UACA;AACA".to_owned(),
        };
        let shift = |line, column| Shift {
            line,
            column,
            by: -4,
        };
        let moved = map().shifted(&[shift(0, 3), shift(1, 5)]).unwrap();
        assert_eq!(moved.mappings, ";AAAA,MACA;AACA");
        assert_eq!(moved.original(2, 6), Some(("a.js", 1)));
        assert_eq!(moved.original(2, 7), Some(("a.js", 2)));
        assert_eq!(
            map().shifted(&[shift(1, 11)]).unwrap().mappings,
            map().mappings
        );
    }
}

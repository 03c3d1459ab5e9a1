//! Where the next marker of a place stands.

use std::ops::Range;

use super::super::family::{Certainty, Family, PLACES, Place, Row};
use super::super::scan::Seen;
use super::Engine;

/// What there is from some point on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Found {
    Nothing,
    /// Something that may become a marker.
    Beginning(usize),
    Marker(usize, Row),
}

/// Which bytes begin what leads on from each place.
pub(super) fn first_bytes(family: &Family) -> Vec<[bool; 256]> {
    let mut first = vec![[false; 256]; PLACES];
    for place in PLACES_WITH_MARKERS {
        let bytes = &mut first[place as usize];
        for row in family.rows.iter().filter(|row| leads_from(row, place)) {
            bytes[usize::from(row.marker.as_bytes()[0])] = true;
        }
        if matches!(place, Place::Name | Place::Between) {
            (bytes[usize::from(b'{')], bytes[usize::from(b'[')]) = (true, true);
        }
    }
    if let Some((bracket, to)) = family.bare {
        let bytes = &mut first[Place::Text as usize];
        bytes[usize::from(bracket)] = true;
        bytes[usize::from(b'[')] |= to == Place::Calls;
    }
    first
}

const PLACES_WITH_MARKERS: [Place; PLACES] = [
    Place::Text,
    Place::Reasoning,
    Place::Considered,
    Place::Header,
    Place::Between,
    Place::Within,
    Place::Name,
    Place::Id,
    Place::Key,
    Place::Value,
    Place::Lines,
    Place::Verbatim,
    Place::Elements,
    Place::Calls,
    Place::Arguments,
    Place::Python,
    Place::Lax,
    Place::Broken,
];

/// Whether a row's marker counts in a place.
fn leads_from(row: &Row, place: Place) -> bool {
    let is_own = row.from == place;
    let is_text = row.from == Place::Text && row.certainty == Certainty::Sure;
    match place {
        // Whose reasoning the prompt began ends it all the same.
        Place::Text => is_own || row.from == Place::Reasoning,
        Place::Between => is_own || is_text || row.ends_reasoning(),
        Place::Reasoning => is_own || row.begins_call(),
        Place::Considered => row.from == Place::Reasoning && row.to != Place::Reasoning,
        Place::Broken => {
            row.begins_call() || row.begins_next() || row.ends_call() || row.ends_reasoning()
        }
        // A broken call is reported, and must not swallow the next one.
        place if place.is_head_of_call() => {
            is_own || row.begins_call() || row.ends_call() || row.ends_reasoning()
        }
        // What is outside of the strings of a value and no part of any.
        place if place.is_value() => is_own || is_text || row.ends_reasoning(),
        _ => is_own,
    }
}

impl Engine<'_> {
    /// True if the row's marker has a meaning at the reader's current place.
    fn leads_on(&self, row: &Row) -> bool {
        // Inside of a call, the end of reasoning only counts if the call may be reasoning.
        let is_stray = row.ends_reasoning()
            && !self.may_have_thought
            && (self.place.is_in_call() || self.place == Place::Between);
        let is_again = self.is_unclosed && row.to == Place::Reasoning;
        leads_from(row, self.place) && !is_stray && !is_again
    }

    /// The first marker of this place that begins in a part of the buffer.
    pub(super) fn find(&self, part: Range<usize>, is_end: bool) -> Found {
        let bytes = &self.buffer.as_bytes()[..part.end];
        let first = &self.first[self.place as usize];
        let mut from = part.start;
        while let Some(ahead) = bytes[from..].iter().position(|it| first[usize::from(*it)]) {
            let here = from + ahead;
            match self.marker(here, is_end) {
                Found::Nothing => from = here + 1,
                found => return found,
            }
        }
        Found::Nothing
    }

    /// The longest marker that stands at `at`, or what leads on without one.
    pub(super) fn marker(&self, at: usize, is_end: bool) -> Found {
        let rest = &self.buffer.as_bytes()[at..];
        let is_doubtful = at < self.doubtful_before;
        let mut longest: Option<Row> = None;
        for row in self.family.rows {
            let is_open = row.certainty == Certainty::Sure || !is_doubtful;
            if !is_open || !self.leads_on(row) {
                continue;
            }
            let marker = row.marker.as_bytes();
            if rest.starts_with(marker) {
                let is_longer = longest.is_none_or(|it| {
                    let is_own = row.from == self.place && it.from != self.place;
                    row.marker.len() > it.marker.len()
                        || (row.marker.len() == it.marker.len() && is_own)
                });
                longest = if is_longer { Some(*row) } else { longest };
            } else if !is_end && marker.starts_with(rest) {
                return Found::Beginning(at);
            }
        }
        // A name that nothing was written of is in the JSON that follows.
        let is_json = longest.is_none_or(|row| row.marker == "{");
        match self.bracket(at, is_end) {
            found @ (Found::Marker(..) | Found::Beginning(_)) if is_json => found,
            _ => longest.map_or(Found::Nothing, |row| Found::Marker(at, row)),
        }
    }

    /// A bracket that begins calls where it stands.
    fn bracket(&self, at: usize, is_end: bool) -> Found {
        let bracket = self.buffer.as_bytes()[at];
        if !matches!(bracket, b'{' | b'[') {
            return Found::Nothing;
        }
        let before = &self.buffer[self.at..at];
        let row = |to, certainty| Row {
            from: self.place,
            marker: "",
            to,
            certainty,
        };
        match (self.place, self.family.bare) {
            (Place::Name | Place::Between, _) => {
                let is_blank = self.is_place_blank && before.trim().is_empty();
                let certainty = self.region.map_or(Certainty::Sure, |(_, it)| it);
                match is_blank {
                    true => Found::Marker(at, row(Place::Calls, certainty)),
                    false => Found::Nothing,
                }
            }
            (Place::Text, Some((usual, to))) => {
                let is_meant = bracket == usual || to == Place::Calls;
                let line = before.trim_end_matches([' ', '\t']);
                let is_first = line.ends_with('\n') || (line.is_empty() && self.is_line_blank);
                if at < self.doubtful_before || !is_meant || !is_first {
                    return Found::Nothing;
                }
                match self.buffer[at + 1..].trim_start().bytes().next() {
                    None if is_end => Found::Nothing,
                    None => Found::Beginning(at),
                    Some(next) if may_follow(bracket, next, to) => {
                        Found::Marker(at, row(to, Certainty::Maybe))
                    }
                    Some(_) => Found::Nothing,
                }
            }
            _ => Found::Nothing,
        }
    }

    /// Whether a text that follows begins with a marker that ends a value.
    pub(super) fn seen(&self, rest: &str, is_end: bool) -> Seen {
        let Some(&byte) = rest.as_bytes().first() else {
            return Seen::Nothing;
        };
        if !self.first[self.place as usize][usize::from(byte)] {
            return Seen::Nothing;
        }
        let mut rows = self.family.rows.iter().filter(|row| self.leads_on(row));
        if rows.clone().any(|row| rest.starts_with(row.marker)) {
            Seen::Marker
        } else if !is_end && rows.any(|row| row.marker.starts_with(rest)) {
            Seen::Beginning
        } else {
            Seen::Nothing
        }
    }
}

/// What may stand after the bracket that begins calls.
fn may_follow(bracket: u8, next: u8, to: Place) -> bool {
    match (to, bracket) {
        (Place::Python, _) => next.is_ascii_alphabetic() || next == b'_',
        (_, b'[') => next == b'{',
        _ => matches!(next, b'"' | b'\''),
    }
}

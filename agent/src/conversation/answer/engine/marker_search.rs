//! Finds the next marker in the text that has a meaning in the current state.

use std::ops::Range;

use super::Engine;
use super::marker_match::MarkerMatch;
use super::markers::leads_from;
use crate::conversation::answer::family::{Certainty, State, Transition};
use crate::conversation::answer::scan::Lookahead;

impl Engine<'_> {
    /// True if the row's marker has a meaning at the reader's current state.
    fn applies(&self, row: &Transition) -> bool {
        // Inside of a call, the end of reasoning only counts if the call may be reasoning.
        let is_stray = row.ends_reasoning()
            && !self.may_be_reasoning
            && (self.state.is_in_call() || self.state == State::Between);
        let is_again = self.is_unclosed && row.to == State::Reasoning;
        leads_from(row, self.state) && !is_stray && !is_again
    }

    /// The first marker of this state that begins in a part of the buffer.
    pub(super) fn find(&self, part: Range<usize>, is_end: bool) -> MarkerMatch {
        let bytes = &self.buffer.as_bytes()[..part.end];
        let first = &self.first[self.state as usize];
        let mut from = part.start;
        while let Some(ahead) = bytes[from..].iter().position(|it| first[usize::from(*it)]) {
            let here = from + ahead;
            match self.marker(here, is_end) {
                MarkerMatch::Nothing => from = here + 1,
                found => return found,
            }
        }
        MarkerMatch::Nothing
    }

    /// The longest marker at `at`, or a bracket that begins calls without one.
    pub(super) fn marker(&self, at: usize, is_end: bool) -> MarkerMatch {
        let rest = &self.buffer.as_bytes()[at..];
        let is_doubtful = at < self.doubtful_before;
        let mut longest: Option<Transition> = None;
        for row in self.family.rows {
            let is_open = row.certainty == Certainty::Sure || !is_doubtful;
            if !is_open || !self.applies(row) {
                continue;
            }
            let marker = row.marker.as_bytes();
            if rest.starts_with(marker) {
                let is_longer = longest.is_none_or(|it| {
                    let is_own = row.from == self.state && it.from != self.state;
                    row.marker.len() > it.marker.len()
                        || (row.marker.len() == it.marker.len() && is_own)
                });
                longest = if is_longer { Some(*row) } else { longest };
            } else if !is_end && marker.starts_with(rest) {
                return MarkerMatch::Beginning(at);
            }
        }
        // If no name was written, it is in the JSON that follows.
        let is_json = longest.is_none_or(|row| row.marker == "{");
        match self.bracket(at, is_end) {
            found @ (MarkerMatch::Marker(..) | MarkerMatch::Beginning(_)) if is_json => found,
            _ => longest.map_or(MarkerMatch::Nothing, |row| MarkerMatch::Marker(at, row)),
        }
    }

    /// A bracket that begins calls without a marker.
    fn bracket(&self, at: usize, is_end: bool) -> MarkerMatch {
        let bracket = self.buffer.as_bytes()[at];
        if !matches!(bracket, b'{' | b'[') {
            return MarkerMatch::Nothing;
        }
        let before = &self.buffer[self.at..at];
        let row = |to, certainty| Transition {
            from: self.state,
            marker: "",
            to,
            certainty,
        };
        match (self.state, self.family.bare) {
            (State::Name | State::Between, _) => {
                let is_blank = self.is_state_blank && before.trim().is_empty();
                let certainty = self.region.map_or(Certainty::Sure, |(_, it)| it);
                match is_blank {
                    true => MarkerMatch::Marker(at, row(State::Calls, certainty)),
                    false => MarkerMatch::Nothing,
                }
            }
            (State::Text, Some((usual, to))) => {
                let is_meant = bracket == usual || to == State::Calls;
                let line = before.trim_end_matches([' ', '\t']);
                let is_first = line.ends_with('\n') || (line.is_empty() && self.is_line_blank);
                if at < self.doubtful_before || !is_meant || !is_first {
                    return MarkerMatch::Nothing;
                }
                match self.buffer[at + 1..].trim_start().bytes().next() {
                    None if is_end => MarkerMatch::Nothing,
                    None => MarkerMatch::Beginning(at),
                    Some(next) if may_follow(bracket, next, to) => {
                        MarkerMatch::Marker(at, row(to, Certainty::Maybe))
                    }
                    Some(_) => MarkerMatch::Nothing,
                }
            }
            _ => MarkerMatch::Nothing,
        }
    }

    /// Tells if the text that follows begins with a marker that ends a value.
    pub(super) fn seen(&self, rest: &str, is_end: bool) -> Lookahead {
        let Some(&byte) = rest.as_bytes().first() else {
            return Lookahead::Nothing;
        };
        if !self.first[self.state as usize][usize::from(byte)] {
            return Lookahead::Nothing;
        }
        let mut rows = self.family.rows.iter().filter(|row| self.applies(row));
        if rows.clone().any(|row| rest.starts_with(row.marker)) {
            Lookahead::Marker
        } else if !is_end && rows.any(|row| row.marker.starts_with(rest)) {
            Lookahead::Beginning
        } else {
            Lookahead::Nothing
        }
    }
}

/// True if `next` can follow the bracket that begins calls.
fn may_follow(bracket: u8, next: u8, to: State) -> bool {
    match (to, bracket) {
        (State::Python, _) => next.is_ascii_alphabetic() || next == b'_',
        (_, b'[') => next == b'{',
        _ => matches!(next, b'"' | b'\''),
    }
}

//! The engine at a value of a call: finds its end, has it parsed, emits its calls, and goes on.
//! A value is JSON, a call in Python syntax or an object with unquoted names. Arguments that are
//! nested elements are set here as well.

use super::marker_match::MarkerMatch;
use super::{Engine, Failure, Step};
use crate::conversation::answer::family::{Certainty, Shape, State};
use crate::conversation::answer::problem::AnswerProblem;
use crate::conversation::answer::scan::{Lookahead, Quotes, Scan, ScanResult};
use crate::conversation::answer::{call, literal, xml_arguments};
use crate::conversation::message::ToolCall;

impl Engine<'_> {
    /// Scans for the end of the current value, and reads it.
    pub(super) fn read_value(&mut self, is_end: bool) -> Step {
        let mut scan = match self.scan.take() {
            Some(scan) => scan,
            None => match self.begin_value(is_end) {
                Ok(scan) => scan,
                Err(step) => return step,
            },
        };
        let scanned = scan.step(&self.buffer, |rest| self.seen(rest, is_end));
        let start = scan.start;
        self.scan = Some(scan);
        match scanned {
            ScanResult::Complete(end) => self.take_value(start, end),
            ScanResult::Broken(_) => self.fail(Failure::unreadable("its brackets do not match")),
            ScanResult::Open if is_end => self.fail(Failure::CutOff),
            ScanResult::Open => return Step::Wait,
        }
        Step::On
    }

    /// Finds where the value begins.
    fn begin_value(&mut self, is_end: bool) -> Result<Scan, Step> {
        let rest = self.buffer[self.at..].trim_start();
        self.at = self.buffer.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            return Err(if is_end { self.end() } else { Step::Wait });
        };
        // The list must contain calls in JSON or in Python syntax.
        let item = match (self.state, first) {
            (State::Python, '[') => rest[1..].trim_start().chars().next(),
            _ => Some(first),
        };
        let Some(item) = item else {
            return Err(if is_end { self.end() } else { Step::Wait });
        };
        if self.state == State::Python && item == '{' {
            self.state = State::Calls;
        }
        let quotes = match (self.state, first) {
            (State::Calls, '{' | '[') | (State::Arguments, '{' | '"') => Quotes::Double,
            (State::Python, it) if it == '[' || it == '_' || it.is_alphabetic() => Quotes::Either,
            (State::UnquotedObject, '{') => Quotes::Marker(self.family.quote),
            _ => return Err(self.without_value(is_end)),
        };
        Ok(Scan::new(quotes, self.at))
    }

    /// Continues without a value: a function may need no arguments.
    fn without_value(&mut self, is_end: bool) -> Step {
        match self.seen(&self.buffer[self.at..], is_end) {
            Lookahead::Beginning => return Step::Wait,
            Lookahead::Marker if self.state == State::Arguments => {
                self.is_read = true;
                self.complete();
            }
            _ => self.fail(Failure::unreadable(match self.state {
                State::Arguments | State::UnquotedObject => "the arguments must be an object",
                _ => "a call must be an object with `name` and `arguments`",
            })),
        }
        Step::On
    }

    fn take_value(&mut self, start: usize, end: usize) {
        let text = &self.buffer[start..end];
        let calls: Result<Vec<Result<ToolCall, String>>, String> = match self.state {
            State::Python => literal::calls(text)
                .map(|calls| calls.into_iter().map(Ok).collect())
                .map_err(str::to_owned),
            State::Calls => match call::json(text) {
                Ok(value) if self.family.shape == Shape::Keyed => Ok(call::calls_by_name(value)),
                Ok(value) if self.is_sure() || call::is_calls(&value) => Ok(call::calls(value)),
                Ok(_) => Err(String::new()),
                Err(why) => Err(why.to_owned()),
            },
            _ => return self.take_arguments(start, end),
        };
        let written = text.to_owned();
        let calls = match calls {
            Ok(calls) => calls,
            Err(reason) => {
                if self.is_sure() {
                    self.at = end;
                }
                return self.fail(Failure::Unreadable(reason));
            }
        };
        self.at = end;
        self.is_read = true;
        self.scan = None;
        for call in calls {
            match call {
                Ok(call) => self.emit_call(call),
                Err(reason) => {
                    self.problem(|| AnswerProblem::Unreadable {
                        written: written.clone(),
                        reason,
                    });
                }
            }
        }
    }

    fn take_arguments(&mut self, start: usize, end: usize) {
        let text = &self.buffer[start..end];
        let value = match self.state {
            State::UnquotedObject => literal::value(text, Quotes::Marker(self.family.quote)),
            _ => call::json(text),
        };
        match value.and_then(call::arguments) {
            Ok(arguments) => {
                if let Some(call) = &mut self.call {
                    call.arguments = arguments;
                }
                self.at = end;
                self.is_read = true;
                self.scan = None;
                self.complete();
            }
            Err(reason) => {
                if self.is_sure() {
                    self.at = end;
                }
                self.fail(Failure::unreadable(reason));
            }
        }
    }

    /// Sets all arguments of the call from nested elements.
    pub(super) fn set_elements(&mut self, written: &str) {
        match xml_arguments::arguments(written, &self.name, self.offered) {
            Ok(arguments) => {
                if let Some(call) = &mut self.call {
                    call.arguments = arguments;
                }
            }
            Err(reason) => {
                self.call = None;
                let written = self.written(self.at);
                self.problem(|| Failure::unreadable(reason).problem(written));
            }
        }
    }

    /// Continues after a value: at a marker, with another value, or with text.
    pub(super) fn leave_value(&mut self, is_end: bool) -> Step {
        let is_filler = |c: char| c.is_whitespace() || matches!(c, ',' | ';');
        let rest = self.buffer[self.at..].trim_start_matches(is_filler);
        let next = self.buffer.len() - rest.len();
        let Some(first) = rest.bytes().next() else {
            if !is_end {
                return Step::Wait;
            }
            self.at = next;
            self.enter(State::Text, next, Certainty::Sure);
            return Step::On;
        };
        match self.marker(next, is_end) {
            MarkerMatch::Beginning(_) => return Step::Wait,
            MarkerMatch::Marker(_, row) => {
                self.at = next;
                self.follow(row);
            }
            MarkerMatch::Nothing => {
                let is_list = matches!(self.state, State::Calls | State::Python);
                // Calls outside of a list are on separate lines.
                let is_line = self.state == State::Python && self.buffer[..self.at].ends_with(')');
                let is_name = first.is_ascii_alphabetic() || first == b'_';
                if (is_list && matches!(first, b'{' | b'[')) || (is_line && is_name) {
                    self.text.divide();
                    self.at = next;
                    self.is_read = false;
                    self.region = Some((next, self.certainty_of_next()));
                } else {
                    self.enter(State::Text, next, Certainty::Sure);
                }
            }
        }
        Step::On
    }

    /// An item after a call in a list is as certain to be a call as the list itself, if a marker
    /// closes the list. Otherwise it may be text.
    fn certainty_of_next(&self) -> Certainty {
        let mut rows = self.family.rows.iter();
        let is_closed = rows.any(|row| row.from == self.state && row.ends_call());
        match self.region {
            Some((_, certainty)) if is_closed => certainty,
            _ => Certainty::Maybe,
        }
    }
}

//! The streaming parser of answers of all model families: a state machine driven by markers.
//! Text that may become a marker is held back.

mod head;
mod marker_match;
mod marker_search;
mod markers;
mod pending;
mod reasoning;
mod value;

use tool_hub_manifest::FunctionSpec;

use super::bare_argument;
use super::event::{AnswerEvent, CALLS_MAX};
use super::family::{Certainty, Family, State, Transition};
use super::problem::{AnswerProblem, Problems};
use super::scan::Scan;
use super::trimmed_text::Sink;
use crate::conversation::message::ToolCall;
use marker_match::MarkerMatch;
use markers::first_bytes;
use pending::PendingCall;

/// The longest name of a function or an argument, in bytes.
const NAME_BYTES_MAX: usize = 256;

const NO_NAME: &str = "expected the name of a function";
const NO_KEY: &str = "expected the name of an argument";

/// A reader of one answer.
#[derive(Debug)]
pub(super) struct Engine<'a> {
    family: &'static Family,
    offered: &'a [FunctionSpec],
    /// For each state, the bytes that begin one of its markers.
    first: Vec<[bool; 256]>,
    /// The unread text, and the text of the call that is being read.
    buffer: String,
    /// The offset of the first unread byte.
    at: usize,
    state: State,
    /// True if the value of this state is complete.
    is_read: bool,
    /// The start of the call that is being read, and how certain it is to be one.
    region: Option<(usize, Certainty)>,
    /// Up to here text that looked like a call turned out not to be one. Only certain calls begin
    /// before this offset.
    doubtful_before: usize,
    /// The reason why the current call is broken.
    failure: Failure,
    scan: Option<Scan>,
    name: String,
    id: Option<String>,
    key: String,
    call: Option<ToolCall>,
    gathered: String,
    /// True if only white space was read so far on this line, and in this state.
    is_line_blank: bool,
    is_state_blank: bool,
    /// True if a marker was read.
    has_markers: bool,
    text: Sink,
    reasoning: Sink,
    calls: usize,
    problems: Problems,
    events: Vec<AnswerEvent>,
    /// True while everything so far may turn out to be reasoning that began in the prompt: the
    /// prompt is unknown and no end of reasoning has been read.
    may_be_reasoning: bool,
    /// Output held back while `may_be_reasoning` leaves open whether a call is real.
    pending: Option<PendingCall>,
    /// True when this engine rereads reasoning that was never closed.
    is_unclosed: bool,
}

/// The reason why a call could not be read.
#[derive(Debug)]
enum Failure {
    /// It has no end.
    CutOff,
    /// It is not what was expected.
    Unreadable(String),
}

impl Failure {
    fn unreadable(reason: &str) -> Self {
        Self::Unreadable(reason.to_owned())
    }

    fn problem(self, written: String) -> AnswerProblem {
        match self {
            Self::CutOff => AnswerProblem::CutOff { written },
            Self::Unreadable(reason) => AnswerProblem::Unreadable { written, reason },
        }
    }
}

/// The next action after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    On,
    Wait,
}

impl<'a> Engine<'a> {
    /// A reader of an answer to a prompt that ends with `prompt`.
    pub(super) fn new(family: &'static Family, prompt: &str, offered: &'a [FunctionSpec]) -> Self {
        let prompt = prompt.trim_end();
        let opens = |row: &&Transition| row.to == State::Reasoning && prompt.ends_with(row.marker);
        let state = match family.rows.iter().any(|row| opens(&row)) {
            true => State::Reasoning,
            false => family.start,
        };
        let ends_reasoning = family.rows.iter().any(Transition::ends_reasoning);
        Self {
            family,
            offered,
            first: first_bytes(family),
            buffer: String::new(),
            at: 0,
            state,
            is_read: false,
            region: state.is_in_call().then_some((0, Certainty::Maybe)),
            doubtful_before: 0,
            failure: Failure::CutOff,
            scan: None,
            name: String::new(),
            id: None,
            key: String::new(),
            call: None,
            gathered: String::new(),
            is_line_blank: true,
            is_state_blank: true,
            has_markers: false,
            text: Sink::default(),
            reasoning: Sink::default(),
            calls: 0,
            problems: Problems::default(),
            events: Vec::new(),
            may_be_reasoning: prompt.is_empty() && state == State::Text && ends_reasoning,
            pending: None,
            is_unclosed: false,
        }
    }

    /// Reads more of the answer.
    pub(super) fn push(&mut self, text: &str) -> Vec<AnswerEvent> {
        // Read text is dropped only now and then, so that a byte is moved once on average.
        let region = self.region.map_or(self.at, |(start, _)| start.min(self.at));
        let pending = self.pending.as_ref().map(|pending| pending.start);
        let unread = pending.map_or(region, |start| start.min(region));
        if unread > self.buffer.len() / 2 {
            self.buffer.drain(..unread);
            self.at -= unread;
            self.doubtful_before = self.doubtful_before.saturating_sub(unread);
            self.region = self.region.map(|(start, it)| (start - unread, it));
            if let Some(pending) = &mut self.pending {
                pending.start -= unread;
            }
            debug_assert!(self.scan.is_none() || self.region.is_some());
            if let Some(scan) = &mut self.scan {
                scan.shift(unread);
            }
        }
        self.buffer.push_str(text);
        while self.step(false) == Step::On {}
        self.take_events()
    }

    /// Reads the text that was held back.
    pub(super) fn finish(&mut self) -> Vec<AnswerEvent> {
        while self.step(true) == Step::On {}
        self.pending = None;
        if self.state == State::Reasoning {
            self.problem(|| AnswerProblem::ReasoningCutOff);
        }
        std::mem::take(&mut self.events)
    }

    fn step(&mut self, is_end: bool) -> Step {
        match (self.state.is_value(), self.is_read) {
            (true, false) => self.read_value(is_end),
            (true, true) => self.leave_value(is_end),
            (false, _) => self.read_text(is_end),
        }
    }

    /// Reads up to the next marker.
    fn read_text(&mut self, is_end: bool) -> Step {
        let too_long = self.end_of_long_name();
        let until = too_long.unwrap_or(self.buffer.len());
        let (end, found) = match self.find(self.at..until, is_end) {
            MarkerMatch::Nothing => (until, None),
            MarkerMatch::Beginning(at) => (at, None),
            MarkerMatch::Marker(at, row) => (at, Some(row)),
        };
        let text = std::mem::take(&mut self.buffer);
        self.give(&text[self.at..end]);
        self.buffer = text;
        self.at = end;
        match found {
            Some(row) => {
                self.follow(row);
                Step::On
            }
            None if too_long == Some(end) => {
                self.fail(Failure::unreadable(NO_NAME));
                Step::On
            }
            None if is_end => self.end(),
            None => Step::Wait,
        }
    }

    /// The offset at which a name is certainly too long. It does not depend on how the answer is
    /// cut into pieces.
    fn end_of_long_name(&self) -> Option<usize> {
        let is_name = matches!(self.state, State::Name | State::Id | State::Key);
        let room = NAME_BYTES_MAX.checked_sub(self.gathered.len())?;
        let end = self.at + room + 1;
        (is_name && self.buffer.len() >= end).then(|| self.buffer.ceil_char_boundary(end))
    }

    /// Takes text of the current state.
    fn give(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.state {
            State::Text => self.add_text(text),
            State::Reasoning => self.add_reasoning(text),
            State::Between => self.add_text(text),
            State::Within | State::Broken | State::ReasoningCall => {}
            _ => self.gathered.push_str(text),
        }
        let line = text.rsplit_once('\n');
        self.is_line_blank = line.map_or(text, |(_, line)| line).trim().is_empty()
            && (line.is_some() || self.is_line_blank);
        self.is_state_blank &= text.trim().is_empty();
    }

    fn add_text(&mut self, text: &str) {
        let settled = self.final_events();
        if let Some(AnswerEvent::Text(written)) = self.events[settled..].last_mut() {
            return self.text.give(text, written);
        }
        let mut written = String::new();
        self.text.give(text, &mut written);
        if !written.is_empty() {
            self.events.push(AnswerEvent::Text(written));
        }
    }

    fn add_reasoning(&mut self, text: &str) {
        let settled = self.final_events();
        if let Some(AnswerEvent::Reasoning(written)) = self.events[settled..].last_mut() {
            return self.reasoning.give(text, written);
        }
        let mut written = String::new();
        self.reasoning.give(text, &mut written);
        if !written.is_empty() {
            self.events.push(AnswerEvent::Reasoning(written));
        }
    }

    /// Follows the marker at the current offset to its next state.
    fn follow(&mut self, row: Transition) {
        let start = self.at;
        (self.has_markers, self.is_line_blank) = (true, true);
        self.at += row.marker.len();
        if row.to.is_value() && row.marker.ends_with(['[', '{']) {
            self.at -= 1;
        }
        if row.from == State::Reasoning && !self.is_thinking() {
            return self.close_prompt_reasoning(start);
        }
        if self.state == State::Reasoning && row.begins_call() {
            return self.skip_call(start);
        }
        let is_nameless = self.state == State::Within && row.ends_call() && self.call.is_none();
        if self.state.is_head_of_call() && (row.from != self.state || is_nameless) {
            if !self.is_sure() {
                self.at = start;
                return self.fail(Failure::unreadable(NO_NAME));
            }
            self.leave_head();
        }
        let mut to = row.to;
        let gathered = std::mem::take(&mut self.gathered);
        let state = self.state;
        match state {
            State::Broken => {
                let is_next = row.begins_call() || row.separates_calls();
                let end = if is_next { start } else { self.at };
                let written = self.written(end);
                let failure = match std::mem::replace(&mut self.failure, Failure::CutOff) {
                    // The marker that ends the call is there, but its value is not complete.
                    Failure::CutOff => Failure::unreadable("its brackets or quotes do not match"),
                    failure => failure,
                };
                self.problem(|| failure.problem(written));
            }
            State::Name if self.family.user.is_some_and(|user| user == gathered.trim()) => {
                to = State::Text;
            }
            // The names are in the JSON that follows.
            State::Name if row.to == State::Calls => {}
            State::Name if !self.set_name(gathered.trim()) => {
                self.at = start;
                return self.fail(Failure::unreadable(NO_NAME));
            }
            State::Id => self.id = Some(gathered.trim().to_owned()),
            State::ReasoningCall => self.end_skipping(start),
            State::Key if !Self::is_key(gathered.trim()) => {
                self.at = start;
                return self.fail(Failure::unreadable(NO_KEY));
            }
            State::Key => gathered.trim().clone_into(&mut self.key),
            State::Value => self.set_argument(&gathered),
            State::Verbatim => self.set_value(gathered.into()),
            State::Elements => self.set_elements(&gathered),
            State::ValueLines => {
                let value = gathered.strip_prefix('\n').unwrap_or(&gathered);
                self.set_argument(value.strip_suffix('\n').unwrap_or(value));
            }
            State::Header => to = self.read_header(&gathered, row),
            _ => {}
        }
        self.enter(to, start, row.certainty);
    }

    /// Goes to a state. If that is the state of a call, the call began at `start`.
    fn enter(&mut self, to: State, start: usize, certainty: Certainty) {
        let from = self.state;
        let goes_on = match (from, to) {
            (State::Header, _) => self.region.is_some(),
            (State::Broken, _) => false,
            // Some formats write the type of a call before its name.
            (_, State::Name) => from == State::Within,
            _ => from.is_in_call() && !self.is_read,
        };
        if !(goes_on && to.is_in_call()) {
            self.complete();
        }
        let is_region = to.is_in_call() || to == State::Header;
        if !is_region {
            self.region = None;
        } else if !goes_on {
            self.defer(to, start);
            // The marker that ends a message is not part of the next header.
            let is_head = to == State::Header && from != State::Header;
            self.region = Some((if is_head { self.at } else { start }, certainty));
        }
        if matches!(to, State::Calls | State::Python) && self.is_sure() {
            self.events.push(AnswerEvent::CallBegun { name: None });
        }
        match to {
            State::Reasoning => {
                // The text before was for the user: otherwise it would have become reasoning.
                (self.may_be_reasoning, self.pending) = (false, None);
                self.reasoning.divide();
            }
            _ if !is_region && from != State::Text => self.text.divide(),
            _ => {}
        }
        self.state = to;
        self.is_read = false;
        self.is_state_blank = true;
        self.scan = None;
    }

    fn set_argument(&mut self, written: &str) {
        self.set_value(bare_argument::value(
            written,
            &self.name,
            &self.key,
            self.offered,
        ));
    }

    fn set_value(&mut self, value: serde_json::Value) {
        if let Some(call) = &mut self.call {
            call.arguments.insert(std::mem::take(&mut self.key), value);
        }
    }

    /// Emits the call, whose arguments are complete.
    fn complete(&mut self) {
        if let Some(mut call) = self.call.take() {
            call.id = self.id.take();
            self.emit_call(call);
        }
    }

    fn emit_call(&mut self, call: ToolCall) {
        self.calls += 1;
        match self.calls {
            ..=CALLS_MAX => self.events.push(AnswerEvent::Call(call)),
            _ if self.calls == CALLS_MAX + 1 => {
                let calls_max = CALLS_MAX;
                self.problem(|| AnswerProblem::TooManyCalls { calls_max });
            }
            _ => {}
        }
    }

    /// Ends what is being read: as text if it was in doubt, otherwise as a problem.
    fn fail(&mut self, failure: Failure) {
        (self.call, self.id) = (None, None);
        self.gathered.clear();
        self.is_read = false;
        if matches!(failure, Failure::CutOff) {
            self.be_sure_of_a_tagged_call();
        }
        let seen = self.scan.take().map_or(self.at, |scan| scan.seen());
        match self.region {
            Some((start, Certainty::Maybe)) => {
                self.stop_deferring(start);
                self.region = None;
                self.state = State::Text;
                self.is_line_blank = true;
                self.doubtful_before = seen.max(start + 1);
                self.at = start;
            }
            _ => {
                self.state = State::Broken;
                self.failure = failure;
            }
        }
    }

    /// Takes the text for a call if it is `<tool_call>` and an object that begins with `"name"`,
    /// even if the end is missing.
    fn be_sure_of_a_tagged_call(&mut self) {
        if let Some((start, certainty)) = &mut self.region {
            let call = self.buffer[*start..].strip_prefix("<tool_call>");
            let object = call.and_then(|call| call.trim_start().strip_prefix('{'));
            if object.is_some_and(|members| members.trim_start().starts_with("\"name\"")) {
                *certainty = Certainty::Sure;
            }
        }
    }

    /// Ends the answer.
    fn end(&mut self) -> Step {
        if self.state == State::Header && !self.has_markers {
            let written = std::mem::take(&mut self.gathered);
            self.add_text(&written);
        }
        if self.state == State::ReasoningCall {
            self.read_unclosed();
        }
        if !self.state.is_in_call() {
            return Step::Wait;
        }
        if !self.is_sure() {
            self.fail(Failure::CutOff);
            return Step::On;
        }
        let written = self.written(self.buffer.len());
        let failure = match self.state {
            State::Broken => std::mem::replace(&mut self.failure, Failure::CutOff),
            _ => Failure::CutOff,
        };
        self.problem(|| failure.problem(written));
        self.call = None;
        self.enter(State::Text, self.buffer.len(), Certainty::Sure);
        Step::Wait
    }

    /// The text from the beginning of the call up to `end`.
    fn written(&self, end: usize) -> String {
        let start = self.region.map_or(self.at, |(start, _)| start);
        self.buffer[start.min(end)..end].to_owned()
    }

    /// False while what looks like a call may still be text.
    fn is_sure(&self) -> bool {
        !matches!(self.region, Some((_, Certainty::Maybe)))
    }

    fn problem(&mut self, problem: impl FnOnce() -> AnswerProblem) {
        let problem = self.problems.limited(problem);
        self.events.extend(problem.map(AnswerEvent::Problem));
    }
}

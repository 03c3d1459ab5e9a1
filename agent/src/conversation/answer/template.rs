//! Reads answers by a model's own `response_template`, as Transformers does.
//! The template is untrusted, so its size is limited, its patterns are simple, and text is read
//! again a limited number of times.

use serde_json::{Value, json};
use smg_response_template::{Event, ResponseParser, ResponseTemplate, load_response_template};
use tool_hub_manifest::FunctionSpec;

use super::call;
use super::error::FormatError;
use super::event::{AnswerEvent, CALLS_MAX};
use super::problem::{AnswerProblem, Problems};
use super::trimmed_text::Sink;

/// The longest template, as JSON in bytes.
const TEMPLATE_BYTES_MAX: usize = 64 << 10;
/// The longest pattern of one, in bytes. Those of real models have less than 200.
const PATTERN_BYTES_MAX: usize = 1 << 10;
/// The highest count in a pattern, as in `a{2,64}`.
const COUNT_MAX: u32 = 64;
/// The smallest piece of an answer that patterns are tried on, in bytes.
const PIECE_BYTES_MIN: usize = 32;
/// A piece is at least the text before it divided by this. So even if the parser looks at all
/// text again with each piece, it looks at a fixed multiple of the answer in total.
const PIECE_PART: usize = 16;

/// A template that can be used.
pub(super) type Template = ResponseTemplate;

pub(super) fn load(template: &Value) -> Result<Template, FormatError> {
    let refused = |reason: String| FormatError::Template { reason };
    if template.to_string().len() > TEMPLATE_BYTES_MAX {
        return Err(refused(format!(
            "it is longer than {TEMPLATE_BYTES_MAX} bytes"
        )));
    }
    check_patterns(template).map_err(refused)?;
    load_response_template(template).map_err(|error| refused(error.to_string()))
}

/// Refuses patterns that could take more than a few steps for each character.
fn check_patterns(value: &Value) -> Result<(), String> {
    match value {
        Value::Array(values) => values.iter().try_for_each(check_patterns),
        Value::Object(members) => members.iter().try_for_each(|(name, value)| {
            let is_pattern = name.ends_with("_pattern");
            match value.as_str().filter(|_| is_pattern) {
                Some(pattern) => {
                    check_pattern(pattern).map_err(|why| format!("`{name}` {why}: {pattern:.60}"))
                }
                None => check_patterns(value),
            }
        }),
        _ => Ok(()),
    }
}

fn check_pattern(pattern: &str) -> Result<(), String> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(format!("is longer than {PATTERN_BYTES_MAX} bytes"));
    }
    let mut rest = pattern;
    while let Some(at) = rest.find(['\\', '(', '{']) {
        let (first, after) = rest[at..].split_at(1);
        let mut next = after.chars();
        match (first, next.next()) {
            ("\\", Some('1'..='9' | 'g')) => return Err("refers back to a group".to_owned()),
            ("\\", Some(_)) => {
                rest = next.as_str();
                continue;
            }
            ("(", _) if after.starts_with("?P=") => {
                return Err("refers back to a group".to_owned());
            }
            ("(", _) if after.starts_with("?=") => return Err("looks ahead".to_owned()),
            ("{", _) => {
                let counts = after.split_once('}').map_or("", |(counts, _)| counts);
                let mut counts = counts.split(',').filter_map(|it| it.trim().parse().ok());
                if counts.any(|count: u32| count > COUNT_MAX) {
                    return Err(format!("counts to more than {COUNT_MAX}"));
                }
            }
            _ => {}
        }
        rest = after;
    }
    Ok(())
}

/// A reader of one answer.
#[derive(Debug)]
pub(super) struct TemplateReader {
    /// None after an error, which ends the reading.
    parser: Option<ResponseParser>,
    /// Text that the patterns were not tried on.
    pending: String,
    read: usize,
    /// The text since a call began.
    region: String,
    /// The events that nobody has taken yet.
    events: Vec<AnswerEvent>,
    failure: Option<String>,
    text: Sink,
    reasoning: Sink,
    calls: usize,
    problems: Problems,
}

impl TemplateReader {
    pub(super) fn new(template: &Template, prompt: &str, offered: &[FunctionSpec]) -> Self {
        let tools: Vec<Value> = offered.iter().map(definition).collect();
        let parser = ResponseParser::new(template, prompt, &tools);
        let mut reader = Self {
            parser: None,
            pending: String::new(),
            read: 0,
            region: String::new(),
            events: Vec::new(),
            failure: None,
            text: Sink::default(),
            reasoning: Sink::default(),
            calls: 0,
            problems: Problems::default(),
        };
        match parser {
            Ok(parser) => {
                reader.take(parser.initial_events().to_vec());
                reader.parser = Some(parser);
            }
            Err(error) => reader.failure = Some(error.to_string()),
        }
        reader
    }

    pub(super) fn push(&mut self, text: &str) -> Vec<AnswerEvent> {
        self.pending.push_str(text);
        // Pieces are cut by what was read, so that they are the same however the answer comes.
        while let Some(end) = self.piece() {
            let piece: String = self.pending.drain(..end).collect();
            self.feed(&piece);
        }
        std::mem::take(&mut self.events)
    }

    /// The end of the next piece of pending text to parse.
    fn piece(&self) -> Option<usize> {
        self.parser.as_ref()?;
        let least = PIECE_BYTES_MIN.max(self.read / PIECE_PART);
        let mut ends = least..=self.pending.len();
        // A piece does not end within a character.
        ends.find(|end| self.pending.is_char_boundary(*end))
    }

    fn feed(&mut self, piece: &str) {
        self.read += piece.len();
        let Some(parser) = &mut self.parser else {
            return;
        };
        match parser.feed(piece) {
            Ok(events) => self.take(events),
            Err(error) => {
                self.failure = Some(error.to_string());
                self.parser = None;
                self.region.push_str(piece);
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<AnswerEvent> {
        let rest = std::mem::take(&mut self.pending);
        self.feed(&rest);
        match self.parser.take().map(ResponseParser::finalize) {
            Some(Ok((_, events))) => self.take(events),
            Some(Err(error)) => self.failure = Some(error.to_string()),
            None => self.region.push_str(&rest),
        }
        if let Some(reason) = self.failure.take() {
            let written = std::mem::take(&mut self.region);
            self.problem(|| AnswerProblem::Unreadable { written, reason });
        }
        self.events
    }

    fn take(&mut self, events: Vec<Event>) {
        for event in events {
            match event {
                Event::RegionOpen { field } => match Field::of(&field) {
                    Field::Calls => self.events.push(AnswerEvent::CallBegun { name: None }),
                    Field::Reasoning => self.reasoning.divide(),
                    _ => {}
                },
                Event::RegionChunk { field, text, dirty } => match Field::of(&field) {
                    Field::Text if !dirty => self.add_text(&text),
                    Field::Reasoning if !dirty => self.add_reasoning(&text),
                    _ => self.region.push_str(&text),
                },
                Event::RegionClose { field, value } => self.close(&field, value),
            }
        }
    }

    fn close(&mut self, field: &str, value: Value) {
        let was_told = self.region.is_empty();
        let written = std::mem::take(&mut self.region);
        match Field::of(field) {
            Field::Calls => {
                for call in call::calls(value) {
                    match call {
                        Ok(call) if self.calls < CALLS_MAX => {
                            self.calls += 1;
                            self.events.push(AnswerEvent::Call(call));
                        }
                        Ok(_) if self.calls == CALLS_MAX => {
                            self.calls += 1;
                            let calls_max = CALLS_MAX;
                            self.problem(|| AnswerProblem::TooManyCalls { calls_max });
                        }
                        Ok(_) => {}
                        Err(reason) => {
                            self.problem(|| AnswerProblem::Unreadable {
                                written: written.clone(),
                                reason,
                            });
                        }
                    }
                }
            }
            Field::Text if !was_told => self.add_text(&as_text(&value)),
            Field::Reasoning if !was_told => self.add_reasoning(&as_text(&value)),
            _ => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        let mut said = String::new();
        self.text.give(text, &mut said);
        if !said.is_empty() {
            self.events.push(AnswerEvent::Text(said));
        }
    }

    fn add_reasoning(&mut self, text: &str) {
        let mut thought = String::new();
        self.reasoning.give(text, &mut thought);
        if !thought.is_empty() {
            self.events.push(AnswerEvent::Reasoning(thought));
        }
    }

    fn problem(&mut self, problem: impl FnOnce() -> AnswerProblem) {
        let problem = self.problems.limited(problem);
        self.events.extend(problem.map(AnswerEvent::Problem));
    }
}

/// The use of a message's field.
enum Field {
    Text,
    Reasoning,
    Calls,
    Other,
}

impl Field {
    fn of(name: &str) -> Self {
        match name {
            "content" => Self::Text,
            "thinking" | "reasoning" | "reasoning_content" => Self::Reasoning,
            "tool_calls" => Self::Calls,
            _ => Self::Other,
        }
    }
}

/// A value as text.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A function as Transformers wants it, for the types of its arguments.
fn definition(spec: &FunctionSpec) -> Value {
    json!({"function": {"name": spec.name, "parameters": spec.input_schema}})
}

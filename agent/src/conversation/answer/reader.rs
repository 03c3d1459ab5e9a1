//! Reads an answer piece by piece while a model writes it, by its family or template.
//! Text beyond the limit of length is left out and reported.

use tool_hub_manifest::FunctionSpec;

use super::engine::Engine;
use super::event::{ANSWER_BYTES_MAX, AnswerEvent};
use super::family::Family;
use super::problem::AnswerProblem;
use super::template::{Template, TemplateReader};

/// Reads an answer while it is being written. The events are the same however the answer is cut
/// into pieces; none is emitted before it is certain.
#[derive(Debug)]
pub struct AnswerReader<'a> {
    reader: Reader<'a>,
    bytes_left: usize,
    is_too_long: bool,
}

#[derive(Debug)]
enum Reader<'a> {
    Family(Box<Engine<'a>>),
    Template(Box<TemplateReader>),
}

impl<'a> AnswerReader<'a> {
    pub(super) fn of_family(
        family: &'static Family,
        prompt: &str,
        offered: &'a [FunctionSpec],
    ) -> Self {
        Self::new(Reader::Family(Box::new(Engine::new(
            family, prompt, offered,
        ))))
    }

    pub(super) fn of_template(
        template: &Template,
        prompt: &str,
        offered: &'a [FunctionSpec],
    ) -> Self {
        let reader = TemplateReader::new(template, prompt, offered);
        Self::new(Reader::Template(Box::new(reader)))
    }

    fn new(reader: Reader<'a>) -> Self {
        Self {
            reader,
            bytes_left: ANSWER_BYTES_MAX,
            is_too_long: false,
        }
    }

    /// Reads more of the answer.
    pub fn push(&mut self, text: &str) -> Vec<AnswerEvent> {
        if self.is_too_long {
            return Vec::new();
        }
        let end = text.floor_char_boundary(self.bytes_left);
        self.bytes_left -= end;
        self.is_too_long = end < text.len();
        let mut events = match &mut self.reader {
            Reader::Family(engine) => engine.push(&text[..end]),
            Reader::Template(reader) => reader.push(&text[..end]),
        };
        if self.is_too_long {
            let bytes_max = ANSWER_BYTES_MAX;
            events.push(AnswerEvent::Problem(AnswerProblem::TooLong { bytes_max }));
        }
        events
    }

    /// Reads the text that was held back, at the end of the answer.
    pub fn finish(self) -> Vec<AnswerEvent> {
        match self.reader {
            Reader::Family(mut engine) => engine.finish(),
            Reader::Template(reader) => reader.finish(),
        }
    }
}

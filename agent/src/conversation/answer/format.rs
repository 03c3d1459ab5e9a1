//! The format of a model's answers: its family's, or that of its own `response_template`.

use std::str::FromStr;

use serde_json::Value;
use tool_hub_manifest::FunctionSpec;

use super::error::FormatError;
use super::event::Answer;
use super::families::{self, GENERIC};
use super::family::Family;
use super::reader::AnswerReader;
use super::template::{self, Template};

/// The format in which a model writes its answers.
#[derive(Debug, Clone)]
pub struct AnswerFormat(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Family(&'static Family),
    Template(Template),
}

impl AnswerFormat {
    /// JSON with `name` and `arguments`, bare or in a block of code: for models of which nothing
    /// is known.
    pub fn generic() -> Self {
        Self(Kind::Family(&GENERIC))
    }

    /// The format of the family that a chat template belongs to, if it is known.
    pub(crate) fn of_chat_template(source: &str) -> Option<Self> {
        families::of_template(source).map(|family| Self(Kind::Family(family)))
    }

    /// The format that a `response_template` of `tokenizer_config.json` describes, as
    /// Transformers reads it.
    ///
    /// # Errors
    /// When it is invalid, when a pattern cannot be matched exactly as in Transformers, and when
    /// matching could take too long.
    pub fn from_response_template(template: &Value) -> Result<Self, FormatError> {
        template::load(template).map(|template| Self(Kind::Template(template)))
    }

    /// The families, by which [`FromStr`] finds them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        families::all().map(|family| family.name)
    }

    /// The family's name, or `response_template`.
    pub fn name(&self) -> &'static str {
        match &self.0 {
            Kind::Family(family) => family.name,
            Kind::Template(_) => "response_template",
        }
    }

    /// Reads a whole answer. `prompt` is what the model read, or its end: it may have begun the
    /// answer. `offered` are the functions that it could call: their schemas give the types of
    /// arguments where a format does not tell texts from numbers. Both may be empty.
    pub fn read(&self, answer: &str, prompt: &str, offered: &[FunctionSpec]) -> Answer {
        let mut reader = self.reader(prompt, offered);
        let mut read = Answer::default();
        for event in reader.push(answer).into_iter().chain(reader.finish()) {
            read.add(event);
        }
        read
    }

    /// A reader of an answer that is being written; `prompt` and `offered` are as for
    /// [`AnswerFormat::read`].
    pub fn reader<'a>(&self, prompt: &str, offered: &'a [FunctionSpec]) -> AnswerReader<'a> {
        match &self.0 {
            Kind::Family(family) => AnswerReader::of_family(family, prompt, offered),
            Kind::Template(template) => AnswerReader::of_template(template, prompt, offered),
        }
    }
}

impl FromStr for AnswerFormat {
    type Err = FormatError;

    fn from_str(name: &str) -> Result<Self, FormatError> {
        families::named(name)
            .map(|family| Self(Kind::Family(family)))
            .ok_or_else(|| FormatError::Unknown {
                name: name.to_owned(),
            })
    }
}

//! Validates a model's JSON answer against a schema; `WrongAnswer` tells the model what is wrong.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// The longest answer that is read, in bytes.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The most faults that a message lists.
const FAULTS_MAX: usize = 5;

/// The length to which untrusted text in a message is cut, in characters.
const TEXT_LENGTH_MAX: usize = 300;

/// An answer is not what was asked for. The message is for the model: what is wrong, where,
/// and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WrongAnswer {
    message: String,
}

impl WrongAnswer {
    pub(super) fn new(message: String) -> Self {
        Self { message }
    }
}

/// The value that an answer is.
pub(super) fn json(answer: &str) -> Result<Value, WrongAnswer> {
    if answer.len() > ANSWER_BYTES_MAX {
        return Err(WrongAnswer::new(format!(
            "The answer has {} bytes, more than {ANSWER_BYTES_MAX}. Write less.",
            answer.len()
        )));
    }
    serde_json::from_str(answer.trim()).map_err(|error| {
        WrongAnswer::new(format!(
            "The answer is not valid JSON: {error}. Write complete JSON and nothing else."
        ))
    })
}

/// Validates `value`, found at `place` in the answer, against `schema`.
pub(super) fn valid(schema: &Value, value: &Value, place: &str) -> Result<(), WrongAnswer> {
    let validator = validator(schema)?;
    let mut faults = Vec::new();
    let mut more = 0;
    for error in validator.iter_errors(value) {
        if faults.len() == FAULTS_MAX {
            more += 1;
            continue;
        }
        let path = format!("{place}{}", error.instance_path());
        let at = match path.as_str() {
            "" => "the answer itself".to_owned(),
            path => format!("`{}`", cut(path)),
        };
        faults.push(format!("- {at}: {}", cut(&error.to_string())));
    }
    if faults.is_empty() {
        return Ok(());
    }
    if more > 0 {
        faults.push(format!("- and {more} more"));
    }
    Err(WrongAnswer::new(format!(
        "The answer does not have the required form:\n{}\nWrite it again with this corrected.",
        faults.join("\n")
    )))
}

pub(super) fn validator(schema: &Value) -> Result<Validator, WrongAnswer> {
    // These patterns match in linear time, whoever wrote them.
    jsonschema::options()
        .with_pattern_options(PatternOptions::regex())
        .build(schema)
        .map_err(|error| {
            let error = cut(&error.to_string());
            WrongAnswer::new(format!(
                "The answer cannot be checked, because its schema cannot be read: {error}."
            ))
        })
}

/// The beginning of a text.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_LENGTH_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

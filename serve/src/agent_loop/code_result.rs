//! The result of a piece of code, written as text for the model and as an answer for the person.

use serde_json::Value;
use tool_hub_manifest::contract::{Content, Reply};

use crate::call_result::{CallResult, cut};
use crate::catalogue::ANSWER_BYTES_MAX;

/// The result of a piece of code.
pub(super) enum CodeResult {
    /// The person did not want it to run.
    Refused { why: Option<String> },
    /// It raised, or went beyond a limit.
    Failed { message: String },
    /// It came to its end.
    Finished(CodeOutput),
}

/// The output of code that came to its end.
pub(super) struct CodeOutput {
    pub(super) printed: String,
    /// The value of the last line; null if it has none. Unused if that is a picture or a sound.
    pub(super) value: Value,
    /// Pictures and sounds, in words.
    pub(super) media: Vec<String>,
    /// The names of what the interpreter cannot keep for further code.
    pub(super) lost: Vec<String>,
}

impl CodeResult {
    /// The text for the model.
    pub(super) fn text(self) -> String {
        match self {
            Self::Refused { why } => {
                let why = why.map_or(String::new(), |why| format!(" The person says: {why}"));
                format!("The person refused to run this code.{why}")
            }
            Self::Failed { message } => sanitised(vec![format!("The code failed: {message}")]),
            Self::Finished(done) => sanitised(done.texts()),
        }
    }
}

impl CodeOutput {
    /// The result as texts for the model, each cut to the length that a model reads at once. Code
    /// can read the rest.
    fn texts(self) -> Vec<String> {
        let mut texts = Vec::new();
        if !self.lost.is_empty() {
            texts.push(format!("These are not kept: {}", self.lost.join(", ")));
        }
        if !self.printed.is_empty() {
            let printed = cut(self.printed.trim_end(), ANSWER_BYTES_MAX);
            texts.push(format!("The code printed:\n{printed}"));
        }
        for medium in &self.media {
            texts.push(format!(
                "The value of its last line is {medium}, which the person sees."
            ));
        }
        if let (Some(value), true) = (self.value_text(), self.media.is_empty()) {
            let value = cut(&value, ANSWER_BYTES_MAX);
            texts.push(format!("The value of its last line:\n{value}"));
        }
        if texts.is_empty() {
            texts.push("The code ran. It printed nothing, and its last line has no value.".into());
        }
        texts
    }

    /// The answer, if the code was written for the person: the value of the last line, else the
    /// printed text.
    pub(super) fn answer(&self) -> String {
        let value = self.value_text().filter(|_| self.media.is_empty());
        value.unwrap_or_else(|| self.printed.trim_end().to_owned())
    }

    fn value_text(&self) -> Option<String> {
        match &self.value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            value => Some(value.to_string()),
        }
    }
}

/// Joins `texts` into one, without control tokens of chat templates and within the length of a
/// result.
fn sanitised(texts: Vec<String>) -> String {
    CallResult::of_reply(Reply {
        content: texts.into_iter().map(Content::text).collect(),
        ..Reply::default()
    })
    .text()
}

//! The answer of a function: its content, a value for programs, and what to do next.

use super::content::{Content, ContentBody};

/// An answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// The parts, in the order in which they are to be read. The answer of a function over
    /// plain types is one text: the string itself, or the JSON of any other value.
    pub content: Vec<Content>,
    /// The same answer for programs, as JSON text. For a function over plain types it is
    /// the JSON of the value itself, which need not be an object. Pictures, sounds and
    /// other content have none.
    pub structured: Option<String>,
    /// A suggestion for the agent's next step.
    pub next: Option<String>,
}

impl Reply {
    /// All text parts, joined by line breaks.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.content {
            if let ContentBody::Text(part) = &part.body {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(part);
            }
        }
        text
    }
}

//! The type `Style`: the differences between OpenAI's and Transformers' chat messages.

use serde_json::{Map, Value};

use super::error::MessageError;
use super::json_reader::Path;
use crate::conversation::message::{Media, MessageDialect, Role};

/// The names under which reasoning comes.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

type ReadMedia = fn(&str, &Map<String, Value>, &Path<'_>) -> Result<Option<Media>, MessageError>;

/// The differences between the two dialects.
pub(super) struct Style {
    pub(super) dialect: MessageDialect,
    /// Reads a part of that type; absent where the type is unknown.
    pub(super) read_media: ReadMedia,
    /// Writes media; absent if messages of the role cannot contain them.
    pub(super) write_media: fn(Role, &Media) -> Option<Value>,
    /// The members of parts that the common form has.
    pub(super) form: &'static [&'static str],
    /// Writes arguments.
    pub(super) arguments: fn(&Map<String, Value>) -> Value,
    /// The content of a message that has only calls.
    pub(super) no_content: Value,
    /// True if results carry the function's name.
    pub(super) has_names: bool,
    /// True if refusals have a member of their own.
    pub(super) has_refusals: bool,
}

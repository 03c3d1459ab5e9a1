//! What is read of a function.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::Fault;

/// A function of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub position: Position,
    /// Whether whoever calls it has to wait for it: `async` in the languages that have it.
    pub is_async: bool,
    /// The definition, or what is missing of it.
    pub definition: Result<Definition, Fault>,
}

/// What a model is told of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// The function's name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of the arguments: an object.
    pub parameters: Value,
    /// JSON Schema of what is returned, where the code says it.
    pub output: Option<Value>,
}

impl Definition {
    /// The definition as Transformers writes it:
    /// `{"type": "function", "function": {"name", "description", "parameters", "return"}}`.
    pub fn to_json(&self) -> Value {
        let mut function = Map::new();
        function.insert("name".to_owned(), json!(self.name));
        function.insert("description".to_owned(), json!(self.description));
        function.insert("parameters".to_owned(), self.parameters.clone());
        if let Some(output) = &self.output {
            function.insert("return".to_owned(), output.clone());
        }
        json!({ "type": "function", "function": function })
    }
}

/// A place in a text. It prints as `line:column`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
}

/// Where the lines of a text begin.
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let later = text.match_indices('\n').map(|(end, _)| end + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(later).collect(),
        }
    }

    /// The place of the byte `offset`.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self
            .starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or_default();
        Position {
            line,
            column: before.chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

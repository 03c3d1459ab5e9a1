//! Parses JSON arguments straight into component values.
//!
//! One visitor serves every shape: what JSON holds decides which method is called, and the
//! shape decides whether that is acceptable. The first error is noted with its path by the
//! innermost value that meets it.

mod members;
mod value;

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed as _, Error};
use serde_json::error::Category;
use wasmtime::component::Val;

use crate::shape::Field;

use self::members::Members;

/// How much of an offending value is repeated in an error.
const SHOWN_MAX: usize = 60;

/// The arguments do not fit the function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgumentError {
    /// Where: `items[2].price`; empty for the arguments as a whole.
    pub(crate) path: String,
    /// What is wrong there, to be read after the path: `is missing`.
    pub(crate) message: String,
    /// How to mend it.
    pub(crate) fix: Option<String>,
}

/// Parses `text`, a JSON object, into the values of `parameters`.
pub(crate) fn arguments(parameters: &[Field], text: &str) -> Result<Vec<Val>, ArgumentError> {
    // Agents send nothing at all to functions that take nothing.
    let text = if text.trim().is_empty() { "{}" } else { text };
    let context = Context::default();
    let seed = Members {
        fields: parameters,
        context: &context,
        path: &Path::Root,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let parsed = seed
        .deserialize(&mut json)
        .and_then(|members| json.end().map(|()| members));
    match parsed {
        Ok(members) => Ok(members.into_iter().map(|(_, value)| value).collect()),
        Err(error) => Err(context.noted.into_inner().unwrap_or_else(|| ArgumentError {
            path: String::new(),
            message: match error.classify() {
                Category::Data => "the arguments should be a JSON object".to_owned(),
                _ => format!("the arguments are not valid JSON: {error}"),
            },
            fix: Some("send one JSON object with an entry for each argument".into()),
        })),
    }
}

#[derive(Default)]
struct Context {
    noted: RefCell<Option<ArgumentError>>,
}

impl Context {
    /// Notes an error and returns the one that stops the parser.
    fn fail<E: Error>(&self, path: &Path<'_>, message: String, fix: Option<String>) -> E {
        let error = E::custom(&message);
        self.noted
            .borrow_mut()
            .get_or_insert_with(|| ArgumentError {
                path: path.to_string(),
                message,
                fix,
            });
        error
    }
}

/// Where a value stands, as a chain on the stack; it becomes text only in an error.
enum Path<'a> {
    Root,
    Member(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Self::Root, name) => f.write_str(&cut(name)),
            Self::Member(parent, name) => write!(f, "{parent}.{}", cut(name)),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// A string of the caller, cut and escaped.
struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut: String = self.0.chars().take(SHOWN_MAX).collect();
        let more = if cut.len() < self.0.len() { "…" } else { "" };
        write!(f, "the string {cut:?}{more}")
    }
}

fn cut(name: &str) -> String {
    name.chars()
        .take(SHOWN_MAX)
        .flat_map(char::escape_debug)
        .collect()
}

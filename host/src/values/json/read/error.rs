//! The error in the arguments of a call, with its path: the first one that parsing finds is kept.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::Error;
use wasmtime::component::Val;

use crate::values::types::{Field, labels};

/// At most so much of an offending value is repeated in an error.
const SHOWN_MAX: usize = 60;

/// The arguments do not fit the function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgumentError {
    /// The path of the value: `items[2].price`; empty for the arguments as a whole.
    pub(crate) path: String,
    /// The error, to be read after the path: `is missing`.
    pub(crate) message: String,
    /// The way to mend it.
    pub(crate) fix: Option<String>,
}

/// Collects the first error of a parse, and counts the memory that its values take.
pub(super) struct Context {
    noted: RefCell<Option<ArgumentError>>,
    /// The bytes that are left for values.
    room: Cell<u64>,
}

impl Context {
    /// A context for values of at most `bytes` in memory.
    pub(super) fn with_room(bytes: u64) -> Self {
        Self {
            noted: RefCell::default(),
            room: Cell::new(bytes),
        }
    }

    /// Takes room for `count` values, and for `bytes` that belong to them.
    pub(super) fn take<E: Error>(
        &self,
        count: usize,
        bytes: usize,
        path: &Path<'_>,
    ) -> Result<(), E> {
        let values = count.saturating_mul(size_of::<Val>());
        match self
            .room
            .get()
            .checked_sub(values.saturating_add(bytes) as u64)
        {
            Some(left) => {
                self.room.set(left);
                Ok(())
            }
            None => Err(self.fail(path, "takes too much memory".to_owned(), None)),
        }
    }

    /// The first error that was noted.
    pub(super) fn into_error(self) -> Option<ArgumentError> {
        self.noted.into_inner()
    }

    /// Notes an error and returns the one that stops the parser.
    pub(super) fn fail<E: Error>(
        &self,
        path: &Path<'_>,
        message: String,
        fix: Option<String>,
    ) -> E {
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

    /// Notes that there is no member `name` among `fields`.
    pub(super) fn unknown<E: Error>(&self, parent: &Path<'_>, name: &str, fields: &[Field]) -> E {
        let fix = if fields.is_empty() {
            "leave it out, nothing is expected here".to_owned()
        } else {
            format!("use {}", labels(fields.iter().map(|field| &field.label)))
        };
        let path = Path::Member(parent, name);
        self.fail(&path, "is unknown".to_owned(), Some(fix))
    }

    /// Notes that `field` is not given.
    pub(super) fn missing<E: Error>(&self, parent: &Path<'_>, field: &Field) -> E {
        let fix = format!("give {}", field.ty.describe());
        let path = Path::Member(parent, &field.label.json);
        self.fail(&path, "is missing".to_owned(), Some(fix))
    }
}

/// The path of a value, as a chain on the stack; it becomes text only in an error.
pub(super) enum Path<'a> {
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
pub(super) struct QuotedString<'a>(pub(super) &'a str);

impl fmt::Display for QuotedString<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut: String = self.0.chars().take(SHOWN_MAX).collect();
        let more = if cut.len() < self.0.len() { "…" } else { "" };
        write!(f, "the string {cut:?}{more}")
    }
}

/// The beginning of `name`, escaped.
pub(super) fn cut(name: &str) -> String {
    name.chars()
        .take(SHOWN_MAX)
        .flat_map(char::escape_debug)
        .collect()
}

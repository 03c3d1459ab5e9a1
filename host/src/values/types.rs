//! The host's own model of WIT types: `Type`, `Signature`, names for agents, and limits on size.
//! Types are equal by structure, whatever names they are defined under. Schemas, reading and
//! writing follow them, and the contract's types are recognised by them.

pub(crate) mod contract;
pub(crate) mod engine;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod numbered;
pub(crate) mod wit;

use std::collections::HashSet;

use serde::Serialize;

/// The most parts that the types of one function may have together. A type that names
/// another twice doubles it, so a short text could describe a schema of gigabytes.
const PARTS_MAX: usize = 10_000;
/// The depth to which types may nest; the JSON parser stops at 128 levels.
const DEPTH_MAX: usize = 100;
/// The longest name that is offered to agents.
const NAME_LENGTH_MAX: usize = 64;

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Type {
    Bool,
    Integer(Integer),
    F32,
    F64,
    Char,
    String,
    /// `list<u8>`, which is base64 in JSON.
    Bytes,
    List(Box<Type>),
    FixedList(Box<Type>, u32),
    Map(Box<Type>, Box<Type>),
    Tuple(Vec<Type>),
    Record(Vec<Field>),
    Option(Box<Type>),
    Result(Option<Box<Type>>, Option<Box<Type>>),
    Enum(Vec<Label>),
    Flags(Vec<Label>),
    Variant(Vec<Case>),
}

/// The integer types of WIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Integer {
    S8,
    U8,
    S16,
    U16,
    S32,
    U32,
    S64,
    U64,
}

impl Integer {
    /// The smallest and the largest value.
    pub(crate) fn bounds(self) -> (i64, u64) {
        match self {
            Self::S8 => (i8::MIN.into(), i8::MAX as u64),
            Self::U8 => (0, u8::MAX.into()),
            Self::S16 => (i16::MIN.into(), i16::MAX as u64),
            Self::U16 => (0, u16::MAX.into()),
            Self::S32 => (i32::MIN.into(), i32::MAX as u64),
            Self::U32 => (0, u32::MAX.into()),
            Self::S64 => (i64::MIN, i64::MAX as u64),
            Self::U64 => (0, u64::MAX),
        }
    }

    /// True if values may be too large for programs that hold every number as a float.
    pub(crate) fn is_wide(self) -> bool {
        matches!(self, Self::S64 | Self::U64)
    }
}

/// A name in both spellings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Label {
    /// The spelling of the component's WIT.
    pub(crate) wit: String,
    /// The spelling for agents: snake_case.
    pub(crate) json: String,
}

/// A member of a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Field {
    pub(crate) label: Label,
    pub(crate) ty: Type,
}

/// A case of a variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Case {
    pub(crate) label: Label,
    pub(crate) ty: Option<Type>,
}

/// The types of a function.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Signature {
    pub(crate) parameters: Vec<Field>,
    pub(crate) result: Option<Type>,
    /// True if the function is async, or a stream or a future is among its types. Agents can call
    /// it, other tools cannot.
    #[serde(skip)]
    pub(crate) is_async: bool,
}

impl Signature {
    /// The type of what a call answers where it does not fail.
    pub(crate) fn answered(&self) -> Option<&Type> {
        match &self.result {
            Some(Type::Result(ok, _)) => ok.as_deref(),
            plain => plain.as_ref(),
        }
    }

    /// Every name in the function's types: parameters, fields, cases, flags.
    pub(crate) fn labels(&self) -> Vec<&Label> {
        let mut labels = Vec::new();
        for field in &self.parameters {
            labels.push(&field.label);
            field.ty.labels(&mut labels);
        }
        if let Some(result) = &self.result {
            result.labels(&mut labels);
        }
        labels
    }
}

/// A function or a type that agents cannot use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TypeError {
    #[error("`{0}` is a resource handle, which cannot be written as JSON")]
    Handle(String),
    #[error("`{0}` is an error context, which cannot be written as JSON")]
    ErrorContext(String),
    #[error(
        "`{0}` is a {1} of items that cannot be read one by one: give it numbers, booleans, \
         characters, strings or bytes"
    )]
    Items(String, &'static str),
    #[error("its types have more than {PARTS_MAX} parts")]
    TooManyParts,
    #[error("its types nest deeper than {DEPTH_MAX} levels")]
    TooDeep,
    #[error("`{0}` and `{1}` are both spelled `{2}` for agents")]
    Collision(String, String, String),
    #[error("the name `{0}` is longer than {NAME_LENGTH_MAX} characters")]
    LongName(String),
}

impl Type {
    /// True if `null` stands for a value of this type.
    pub(crate) fn takes_null(&self) -> bool {
        matches!(self, Self::Option(_))
    }

    /// The type that stands for a stream of `items`: all of them, as a list. `name` is for errors.
    pub(crate) fn of_stream(name: &str, items: Option<Self>) -> Result<Self, TypeError> {
        match items {
            Some(Self::Integer(Integer::U8)) => Ok(Self::Bytes),
            Some(items) if items.is_item() => Ok(Self::List(Box::new(items))),
            _ => Err(TypeError::Items(name.to_owned(), "stream")),
        }
    }

    /// The type that stands for a future of `value`: the value. `name` is for errors.
    pub(crate) fn of_future(name: &str, value: Option<Self>) -> Result<Self, TypeError> {
        let value = value.filter(Self::is_item);
        value.ok_or_else(|| TypeError::Items(name.to_owned(), "future"))
    }

    /// True if streams and futures of this type can be read: `call/streamed/item.rs` has each.
    fn is_item(&self) -> bool {
        let scalar = matches!(self, Self::Bool | Self::Integer(_) | Self::F32 | Self::F64);
        scalar || matches!(self, Self::Char | Self::String | Self::Bytes)
    }

    fn labels<'a>(&'a self, found: &mut Vec<&'a Label>) {
        match self {
            Self::List(inner) | Self::FixedList(inner, _) | Self::Option(inner) => {
                inner.labels(found);
            }
            Self::Map(key, value) => {
                key.labels(found);
                value.labels(found);
            }
            Self::Tuple(items) => items.iter().for_each(|item| item.labels(found)),
            Self::Result(ok, err) => {
                let sides = ok.iter().chain(err);
                sides.for_each(|side| side.labels(found));
            }
            Self::Record(fields) => {
                for field in fields {
                    found.push(&field.label);
                    field.ty.labels(found);
                }
            }
            Self::Variant(cases) => {
                for case in cases {
                    found.push(&case.label);
                    case.ty.iter().for_each(|ty| ty.labels(found));
                }
            }
            Self::Enum(names) | Self::Flags(names) => found.extend(names),
            _ => {}
        }
    }

    /// The type in plain words, for error messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Bool => "true or false".into(),
            Self::Integer(integer) => {
                let (min, max) = integer.bounds();
                format!("a whole number from {min} to {max}")
            }
            Self::F32 | Self::F64 => "a number".into(),
            Self::Char => "a string of one character".into(),
            Self::String => "a string".into(),
            Self::Bytes => "a base64 string".into(),
            Self::List(_) => "an array".into(),
            Self::FixedList(_, length) => format!("an array of {length} items"),
            Self::Map(key, _) if **key == Self::String => "an object".into(),
            Self::Map(..) => "an array of [key, value] pairs".into(),
            Self::Tuple(items) => format!("an array of {} items", items.len()),
            Self::Record(fields) => {
                format!("an object with {}", labels(fields.iter().map(|f| &f.label)))
            }
            Self::Option(inner) => format!("{} or null", inner.describe()),
            Self::Result(..) => "an object with either `ok` or `err`".into(),
            Self::Enum(cases) => format!("one of {}", labels(cases.iter())),
            Self::Flags(flags) => format!("an array of some of {}", labels(flags.iter())),
            Self::Variant(cases) => format!(
                "an object whose `tag` is one of {}",
                labels(cases.iter().map(|c| &c.label))
            ),
        }
    }
}

/// Names in backticks, at most a dozen of them.
pub(crate) fn labels<'a>(labels: impl ExactSizeIterator<Item = &'a Label>) -> String {
    const SHOWN: usize = 12;
    let more = labels.len().saturating_sub(SHOWN);
    let mut text: Vec<String> = labels
        .take(SHOWN)
        .map(|label| format!("`{}`", label.json))
        .collect();
    if more > 0 {
        text.push(format!("{more} more"));
    }
    text.join(", ")
}

/// Counts what building types costs, so that no type can cost too much.
pub(crate) struct Budget {
    parts: usize,
    /// True once a stream or a future was among the types.
    has_async: bool,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self {
            parts: PARTS_MAX,
            has_async: false,
        }
    }

    /// Notes that a stream or a future is among the types.
    pub(crate) fn note_async(&mut self) {
        self.has_async = true;
    }

    /// True if a stream or a future is among the types.
    pub(crate) fn has_async(&self) -> bool {
        self.has_async
    }

    /// Pays for one part at `depth`.
    pub(crate) fn charge(&mut self, depth: usize) -> Result<(), TypeError> {
        if depth > DEPTH_MAX {
            return Err(TypeError::TooDeep);
        }
        self.parts = self.parts.checked_sub(1).ok_or(TypeError::TooManyParts)?;
        Ok(())
    }

    /// Pays for names and spells them for agents.
    pub(crate) fn labels<'a>(
        &mut self,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<Vec<Label>, TypeError> {
        let mut labels = Vec::new();
        for name in names {
            self.parts = self.parts.checked_sub(1).ok_or(TypeError::TooManyParts)?;
            labels.push(Label {
                wit: name.to_owned(),
                json: snake(name),
            });
        }
        check_names(&labels)?;
        Ok(labels)
    }
}

/// `count-words` becomes `count_words`, `HTTP-status` becomes `http_status`.
pub(crate) fn snake(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            '-' => '_',
            c => c.to_ascii_lowercase(),
        })
        .collect()
}

fn check_names(labels: &[Label]) -> Result<(), TypeError> {
    let mut seen = HashSet::new();
    for label in labels {
        if label.json.len() > NAME_LENGTH_MAX {
            return Err(TypeError::LongName(label.json.chars().take(80).collect()));
        }
        if !seen.insert(&label.json) {
            let first = labels.iter().find(|l| l.json == label.json);
            return Err(TypeError::Collision(
                first.map_or_else(String::new, |l| l.wit.clone()),
                label.wit.clone(),
                label.json.clone(),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_agents_cannot_tell_apart_are_refused() {
        let labels = Budget::new().labels(["a-b", "c"].into_iter()).unwrap();
        assert_eq!(labels[0].json, "a_b");
        let error = Budget::new().labels(["ab", "AB"].into_iter()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`ab` and `AB` are both spelled `ab` for agents"
        );
        assert!(
            Budget::new()
                .labels([&*"a".repeat(65)].into_iter())
                .is_err()
        );
    }
}

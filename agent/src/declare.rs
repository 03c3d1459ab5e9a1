//! Declarations for agents that write code: a TypeScript module and a Python stub, from the
//! same schemas as every other definition.

mod comment;
mod identifier;
mod python;
mod typescript;

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use tool_hub_manifest::{Annotations, FunctionSpec};

use crate::export::Report;
use crate::export::strict::in_words;
use crate::schema::{Form, Node};
use crate::{Loss, Lost};

pub(crate) use comment::lines as comment_lines;

/// A programming language that agents write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// A `.d.ts` module of functions that take one object and return a promise.
    TypeScript,
    /// A `.pyi` stub of functions with keyword arguments, for Python 3.11 and later.
    Python,
}

/// A text names no language.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a language of declarations: use typescript or python", .text.escape_default())]
pub struct UnknownLanguage {
    /// The text.
    pub text: String,
}

/// Declarations and what was lost on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declarations {
    /// The whole file.
    pub text: String,
    /// What the language cannot say, in the order of the functions.
    pub losses: Vec<Loss>,
}

impl Language {
    /// Every language, in the order in which to list them.
    pub const ALL: [Self; 2] = [Self::TypeScript, Self::Python];

    /// The language's name on a command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::Python => "python",
        }
    }

    /// The identifier that stands for the function `name` in declarations: the name itself
    /// wherever the language allows it. No two names share an identifier, and
    /// [`name`](Self::name) leads back.
    pub fn identifier(self, name: &str) -> String {
        identifier::of(name, self.reserved())
    }

    /// The name that `identifier` stands for.
    pub fn name(self, identifier: &str) -> String {
        identifier::name_of(identifier, self.reserved())
    }

    /// What stands for the argument `name` in declarations: in TypeScript the name, because a
    /// member of an object may have any, else an identifier.
    pub fn argument(self, name: &str) -> String {
        match self {
            Self::TypeScript => name.to_owned(),
            Self::Python => self.identifier(name),
        }
    }

    /// The name of the argument that is written as `argument`.
    pub fn argument_name(self, argument: &str) -> String {
        match self {
            Self::TypeScript => argument.to_owned(),
            Self::Python => self.name(argument),
        }
    }

    fn reserved(self) -> &'static [&'static str] {
        match self {
            Self::TypeScript => &typescript::RESERVED,
            Self::Python => &python::RESERVED,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        let mut all = Self::ALL.into_iter();
        all.find(|language| language.as_str() == text)
            .ok_or_else(|| UnknownLanguage {
                text: text.to_owned(),
            })
    }
}

/// Declares `specs` in `language`, in their order.
///
/// Descriptions become comments, which no text can end early; bounds that no type can say
/// are in them too. What is weakened or renamed is in the report.
pub fn declare(specs: &[FunctionSpec], language: Language) -> Declarations {
    let mut losses = Vec::new();
    let text = match language {
        Language::TypeScript => typescript::module(specs, &mut losses),
        Language::Python => python::stub(specs, &mut losses),
    };
    Declarations { text, losses }
}

/// Reports what no declaration has a place for, and a name that is not its identifier.
fn check_function(spec: &FunctionSpec, identifier: &str, report: &mut Report<'_>) {
    if spec.annotations != Annotations::default() {
        report.add(Lost::Annotations);
    }
    if identifier != spec.name {
        report.add(Lost::Renamed {
            pointer: String::new(),
            to: identifier.to_owned(),
        });
    }
}

/// What a comment says of a function.
fn function_text(spec: &FunctionSpec) -> String {
    match &spec.title {
        Some(title) if *title != spec.description => format!("{title}\n\n{}", spec.description),
        _ => spec.description.clone(),
    }
}

/// Keywords that shape a value and are told in words, where the type says something weaker.
const SHAPING: [&str; 11] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
];

/// What a comment says of a value: its description, and what its type does not say.
fn value_text(node: &Node<'_>, report: &mut Report<'_>) -> String {
    let mut text: Vec<String> = node.description.map(str::to_owned).into_iter().collect();
    let mut add = |node: &Node<'_>, report: &mut Report<'_>| {
        for (name, value) in node.unread(&[]) {
            if SHAPING.contains(&name) {
                report.weakened(&node.pointer, name);
            }
            let words = in_words(name, value);
            if !is_plain(node, name, value) && !text.contains(&words) {
                text.push(words);
            }
        }
    };
    add(node, report);
    if let Form::Array(item) = &node.form {
        add(item, report);
    }
    text.join(" ")
}

/// Bounds that say no more than that a number is of some width, which no reader asks for.
fn is_plain(node: &Node<'_>, keyword: &str, value: &Value) -> bool {
    let is_wide = matches!(&node.form, Form::Union(_))
        && ["^[0-9]{1,20}$", "^-?[0-9]{1,19}$"]
            .iter()
            .any(|pattern| node.keyword("pattern").and_then(Value::as_str) == Some(pattern));
    match keyword {
        "pattern" => is_wide,
        "minimum" => is_wide || value.as_i64().is_some_and(|least| least <= i32::MIN.into()),
        "maximum" => is_wide || value.as_u64().is_some_and(|most| most >= i32::MAX as u64),
        _ => false,
    }
}

#[cfg(test)]
mod tests;

//! The type `Constraint`, and its compilation to JSON Schema, a regular expression, GBNF or lark.

use serde_json::Value;
use tool_hub_manifest::FunctionSpec;

use super::calls::Calls;
use super::error::ConstraintError;
use super::expression::{Expression, Grammar};
use super::format::Format;
use super::tool_choice::ToolChoice;
use super::{json, notation, regex, strings};
use crate::definition::{Loss, LossKind};

/// The set of texts that a model may write.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Json(Value),
    Regex(String),
    Choice(Vec<String>),
    Grammar(Format, String),
    Calls(Calls),
}

/// A constraint in some format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledConstraint {
    /// The schema, expression or grammar.
    pub text: String,
    /// Losses of precision: the format allows more or fewer texts than the constraint.
    /// [`Constraint::check`] refuses texts that the constraint does not allow.
    pub losses: Vec<Loss>,
}

impl Constraint {
    /// JSON that is valid against `schema`.
    pub fn json_schema(schema: Value) -> Self {
        Self::of(Kind::Json(schema))
    }

    /// A text all of which `regex` matches.
    pub fn regex(regex: impl Into<String>) -> Self {
        Self::of(Kind::Regex(regex.into()))
    }

    /// One of these texts.
    pub fn choice<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::of(Kind::Choice(texts.into_iter().map(Into::into).collect()))
    }

    /// A grammar in GBNF, which is passed on unchanged.
    pub fn gbnf(grammar: impl Into<String>) -> Self {
        Self::of(Kind::Grammar(Format::Gbnf, grammar.into()))
    }

    /// A grammar in lark, which is passed on unchanged.
    pub fn lark(grammar: impl Into<String>) -> Self {
        Self::of(Kind::Grammar(Format::Lark, grammar.into()))
    }

    /// A grammar whose format is recognised by its rules: GBNF writes `name ::= …`, lark does
    /// not.
    pub fn gbnf_or_lark(grammar: impl Into<String>) -> Self {
        let grammar = grammar.into();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let is_gbnf = grammar.lines().any(|line| {
            let rule = line.split_once("::=");
            rule.is_some_and(|(name, _)| name.trim().chars().all(is_name))
        });
        match is_gbnf {
            true => Self::gbnf(grammar),
            false => Self::lark(grammar),
        }
    }

    /// A call of one of `specs`, `{"name": …, "arguments": {…}}`, as `choice` wants it; where
    /// it leaves the model free, `{"answer": "…"}` as well. None where no call is wanted.
    ///
    /// # Errors
    /// When a required function is not among `specs`.
    pub fn calls(
        specs: &[FunctionSpec],
        choice: &ToolChoice,
    ) -> Result<Option<Self>, ConstraintError> {
        let functions = specs.iter().map(|spec| (&*spec.name, &spec.input_schema));
        let calls = Calls::new(functions, choice)?;
        Ok(calls.map(|calls| Self::of(Kind::Calls(calls))))
    }

    pub(super) fn of(kind: Kind) -> Self {
        Self { kind }
    }

    /// The format in which the constraint was given; a regular expression for a choice.
    pub fn plain_format(&self) -> Format {
        match &self.kind {
            Kind::Json(_) | Kind::Calls(_) => Format::JsonSchema,
            Kind::Regex(_) | Kind::Choice(_) => Format::Regex,
            Kind::Grammar(format, _) => *format,
        }
    }

    /// The constraint in `format`.
    ///
    /// # Errors
    /// When the format cannot express it; the error names the part.
    pub fn compile(&self, format: Format) -> Result<CompiledConstraint, ConstraintError> {
        let mut lost = Vec::new();
        let text = match (&self.kind, format) {
            (Kind::Json(schema), Format::JsonSchema) => schema.to_string(),
            (Kind::Calls(calls), Format::JsonSchema) => calls.schema().to_string(),
            (Kind::Regex(regex), Format::Regex) => regex.clone(),
            (Kind::Grammar(written, text), format) if *written == format => text.clone(),
            (Kind::Grammar(..) | Kind::Regex(_) | Kind::Choice(_), Format::JsonSchema)
            | (Kind::Grammar(..), _) => {
                let what = self.description();
                return Err(ConstraintError::Format { what, format });
            }
            (_, format) => {
                let grammar = self.grammar(format, &mut lost)?;
                match format {
                    Format::Gbnf => notation::gbnf(&grammar)?,
                    Format::Lark => notation::lark(&grammar)?,
                    Format::Regex | Format::JsonSchema => regex::print(&grammar)?,
                }
            }
        };
        let losses = lost.into_iter().map(|lost| self.loss(lost)).collect();
        Ok(CompiledConstraint { text, losses })
    }

    fn grammar(
        &self,
        format: Format,
        lost: &mut Vec<LossKind>,
    ) -> Result<Grammar, ConstraintError> {
        match &self.kind {
            Kind::Json(schema) => json::grammar(schema, lost),
            Kind::Calls(calls) => json::grammar(calls.schema(), lost),
            Kind::Choice(texts) if texts.is_empty() => Err(ConstraintError::Nothing {
                pointer: String::new(),
            }),
            Kind::Choice(texts) => {
                let texts = texts.iter().map(Expression::text).collect();
                Ok(Grammar::of_one(Expression::any_of(texts)))
            }
            Kind::Regex(regex) => strings::regular(regex)
                .map(Grammar::of_one)
                .ok_or(ConstraintError::Regex { format }),
            Kind::Grammar(..) => Err(ConstraintError::Format {
                what: self.description(),
                format,
            }),
        }
    }

    /// A loss, attributed to the function whose arguments it concerns.
    fn loss(&self, lost: LossKind) -> Loss {
        match &self.kind {
            Kind::Calls(calls) => calls.loss(lost),
            _ => Loss {
                function: "the value".to_owned(),
                kind: lost,
            },
        }
    }

    /// The kind of constraint, for messages.
    pub(super) fn description(&self) -> &'static str {
        match &self.kind {
            Kind::Json(_) => "a JSON schema",
            Kind::Regex(_) => "a regular expression",
            Kind::Choice(_) => "a choice of texts",
            Kind::Grammar(Format::Gbnf, _) => "a grammar in GBNF",
            Kind::Grammar(..) => "a grammar in lark",
            Kind::Calls(_) => "a call of a function",
        }
    }
}

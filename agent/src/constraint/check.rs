//! Checks answers against a constraint: a server may enforce less of it than was asked for.

use serde_json::Value;

use super::answer::{WrongAnswer, cut, json, valid};
use super::calls::CallOrAnswer;
use super::compile::{Constraint, Kind};
use super::format::Format;

impl Constraint {
    /// Checks an answer against the constraint and returns its value: JSON for a schema and for
    /// calls, otherwise a string. Grammars that were passed on are not checked.
    ///
    /// An answer under [`Backend::OpenAi`](super::Backend::OpenAi) is of the strict
    /// schema: [`from_strict`](crate::definition::export::from_strict) comes first.
    ///
    /// # Errors
    /// When the answer does not satisfy the constraint.
    pub fn check(&self, answer: &str) -> Result<Value, WrongAnswer> {
        match &self.kind {
            Kind::Json(schema) => {
                let value = json(answer)?;
                valid(schema, &value, "")?;
                Ok(value)
            }
            Kind::Calls(calls) => {
                calls.read(answer)?;
                json(answer)
            }
            Kind::Choice(texts) if texts.iter().any(|text| text == answer) => Ok(answer.into()),
            Kind::Choice(texts) => {
                let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
                let texts = cut(&texts.join(", "));
                Err(WrongAnswer::new(format!(
                    "The answer is not one of the choices. Write one of these and nothing else: {texts}."
                )))
            }
            Kind::Regex(regex) => matched(regex, answer),
            Kind::Grammar(..) => Ok(answer.into()),
        }
    }

    /// Reads an answer to a constraint of [`calls`](Constraint::calls).
    ///
    /// # Errors
    /// When it is not a call of one of the functions, or its arguments are not valid.
    pub fn read_call(&self, answer: &str) -> Result<CallOrAnswer, WrongAnswer> {
        match &self.kind {
            Kind::Calls(calls) => calls.read(answer),
            _ => Err(WrongAnswer::new("No call was asked for.".to_owned())),
        }
    }
}

fn matched(regex: &str, answer: &str) -> Result<Value, WrongAnswer> {
    let whole = ::regex::Regex::new(&format!("^(?:{regex})$"));
    match whole {
        Ok(whole) if whole.is_match(answer) => Ok(answer.into()),
        Ok(_) => Err(WrongAnswer::new(format!(
            "The answer has another form. Write what matches all of `{}`, and nothing else.",
            cut(regex)
        ))),
        // Such as one that looks around.
        Err(_) => Err(WrongAnswer::new(format!(
            "The answer cannot be checked: `{}` is not a valid regular expression in {}.",
            cut(regex),
            Format::Regex
        ))),
    }
}

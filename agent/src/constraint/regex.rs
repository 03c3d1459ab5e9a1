//! Writes a grammar, or one word of it for lark, as a regular expression for Rust and Python.
//! The expression has groups, classes and counts only.

use super::code_point::code;
use super::error::ConstraintError;
use super::expression::{Expression, Grammar};
use super::printing::{Precedence, count};
use crate::characters::is_hidden;

/// The longest expression, in bytes.
const REGEX_BYTES_MAX: usize = 256 << 10;

/// The regular expression of `grammar`, which must match a text entirely.
///
/// # Errors
/// When the grammar is recursive, or the expression would be too long.
pub(super) fn print(grammar: &Grammar) -> Result<String, ConstraintError> {
    Printer::new(grammar).print(&grammar.rules[0].expression)
}

/// The same for one word of `grammar`, with `/` escaped, as lark wants it.
pub(super) fn print_word(grammar: &Grammar, word: &Expression) -> Result<String, ConstraintError> {
    Ok(Printer::new(grammar).print(word)?.replace('/', "\\/"))
}

struct Printer<'a> {
    grammar: &'a Grammar,
    /// The rules that are being printed.
    open: Vec<usize>,
    text: String,
}

impl<'a> Printer<'a> {
    fn new(grammar: &'a Grammar) -> Self {
        Self {
            grammar,
            open: Vec::new(),
            text: String::new(),
        }
    }

    fn print(mut self, expression: &Expression) -> Result<String, ConstraintError> {
        self.write(expression, Precedence::Choice)?;
        Ok(self.text)
    }

    fn write(
        &mut self,
        expression: &Expression,
        within: Precedence,
    ) -> Result<(), ConstraintError> {
        if self.text.len() > REGEX_BYTES_MAX {
            return Err(ConstraintError::TooLarge {
                what: "bytes of regular expression",
                max: REGEX_BYTES_MAX,
            });
        }
        match expression {
            Expression::Text(text) if within == Precedence::Repeat && text.chars().count() != 1 => {
                self.grouped(expression)?;
            }
            Expression::Text(text) => text.chars().for_each(|c| escaped(c, &mut self.text)),
            Expression::Class(class) => class.print(&mut self.text, escaped),
            Expression::Sequence(parts) => match (&parts[..], within) {
                ([only], _) => self.write(only, within)?,
                (_, Precedence::Repeat) => self.grouped(expression)?,
                (parts, _) => {
                    for part in parts {
                        self.write(part, Precedence::Sequence)?;
                    }
                }
            },
            Expression::Choice(choices) if within == Precedence::Choice => {
                for (index, choice) in choices.iter().enumerate() {
                    if index > 0 {
                        self.text.push('|');
                    }
                    self.write(choice, Precedence::Choice)?;
                }
            }
            Expression::Choice(_) => self.grouped(expression)?,
            Expression::Repeat(..) if within == Precedence::Repeat => self.grouped(expression)?,
            Expression::Repeat(inner, min, max) => {
                self.write(inner, Precedence::Repeat)?;
                self.text.push_str(&count(*min, *max));
            }
            Expression::Rule(rule) => self.rule(*rule, within)?,
        }
        Ok(())
    }

    fn grouped(&mut self, expression: &Expression) -> Result<(), ConstraintError> {
        self.text.push_str("(?:");
        self.write(expression, Precedence::Choice)?;
        self.text.push(')');
        Ok(())
    }

    fn rule(&mut self, rule: usize, within: Precedence) -> Result<(), ConstraintError> {
        let known = &self.grammar.rules[rule];
        if self.open.contains(&rule) {
            return Err(ConstraintError::Recursive {
                rule: known.name.clone(),
            });
        }
        self.open.push(rule);
        self.write(&known.expression, within)?;
        self.open.pop();
        Ok(())
    }
}

/// Characters with a meaning in the expressions or classes of some engine.
const SPECIAL: &str = r"\.+*?()|[]{}^$#&-~";

fn escaped(character: char, text: &mut String) {
    if is_hidden(character) {
        text.push_str(&code(character));
        return;
    }
    if SPECIAL.contains(character) {
        text.push('\\');
    }
    text.push(character);
}

//! Writes grammars in the notations of GBNF and lark, one rule per line.

use super::code_point::code;
use super::error::ConstraintError;
use super::expression::{Class, Expression, FIRST_NAMES, Grammar, Kind};
use super::printing::{Precedence, count};
use super::regex;
use crate::characters::is_hidden;

/// The longest grammar, in bytes.
const GRAMMAR_BYTES_MAX: usize = 1 << 20;

/// A grammar for llama.cpp. XGrammar, of vLLM and SGLang, reads the same.
pub(super) fn gbnf(grammar: &Grammar) -> Result<String, ConstraintError> {
    print(grammar, Syntax::Gbnf)
}

/// A grammar in llguidance's dialect of lark, where rules with characters are terminals.
pub(super) fn lark(grammar: &Grammar) -> Result<String, ConstraintError> {
    print(grammar, Syntax::Lark)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Gbnf,
    Lark,
}

fn print(grammar: &Grammar, syntax: Syntax) -> Result<String, ConstraintError> {
    let mut printer = Printer {
        grammar,
        syntax,
        text: String::new(),
    };
    for (index, rule) in grammar.rules.iter().enumerate() {
        if syntax == Syntax::Lark && rule.kind == Kind::Part {
            continue;
        }
        let name = printer.name(index);
        let is_word = rule.kind == Kind::Word;
        printer.text.push_str(&name);
        match syntax {
            Syntax::Gbnf => printer.text.push_str(" ::= "),
            Syntax::Lark => printer.text.push_str(": "),
        }
        if syntax == Syntax::Lark && is_word {
            let word = regex::print_word(grammar, &rule.expression)?;
            printer.text.push_str(&format!("/{word}/"));
        } else {
            printer.write(&rule.expression, Precedence::Choice);
        }
        printer.text.push('\n');
        if printer.text.len() > GRAMMAR_BYTES_MAX {
            return Err(ConstraintError::TooLarge {
                what: "bytes of grammar",
                max: GRAMMAR_BYTES_MAX,
            });
        }
    }
    Ok(printer.text)
}

struct Printer<'a> {
    grammar: &'a Grammar,
    syntax: Syntax,
    text: String,
}

impl Printer<'_> {
    fn name(&self, rule: usize) -> String {
        let known = &self.grammar.rules[rule];
        match (self.syntax, rule) {
            (Syntax::Lark, 0) => FIRST_NAMES[0].to_owned(),
            (Syntax::Gbnf, 0) => FIRST_NAMES[1].to_owned(),
            (Syntax::Gbnf, _) => known.name.replace('_', "-"),
            (Syntax::Lark, _) if known.kind == Kind::Word => known.name.to_ascii_uppercase(),
            (Syntax::Lark, _) => known.name.clone(),
        }
    }

    fn write(&mut self, expression: &Expression, within: Precedence) {
        match expression {
            Expression::Text(text) => self.quoted(text),
            Expression::Class(class) => self.class(class),
            Expression::Rule(rule) => {
                let name = self.name(*rule);
                self.text.push_str(&name);
            }
            Expression::Sequence(parts) => match (&parts[..], within) {
                ([], _) => self.text.push_str("\"\""),
                ([only], _) => self.write(only, within),
                (_, Precedence::Repeat) => self.grouped(expression),
                (parts, _) => self.separated(parts, " ", Precedence::Sequence),
            },
            Expression::Choice(choices) => match within {
                Precedence::Choice => self.separated(choices, " | ", Precedence::Choice),
                _ => self.grouped(expression),
            },
            Expression::Repeat(..) if within == Precedence::Repeat => self.grouped(expression),
            Expression::Repeat(inner, min, max) => {
                self.write(inner, Precedence::Repeat);
                self.text.push_str(&count(*min, *max));
            }
        }
    }

    fn separated(&mut self, parts: &[Expression], separator: &str, within: Precedence) {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.text.push_str(separator);
            }
            self.write(part, within);
        }
    }

    fn grouped(&mut self, expression: &Expression) {
        self.text.push('(');
        self.write(expression, Precedence::Choice);
        self.text.push(')');
    }

    fn quoted(&mut self, text: &str) {
        self.text.push('"');
        for character in text.chars() {
            match character {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                character if is_hidden(character) => match self.syntax {
                    Syntax::Gbnf => self.text.push_str(&code(character)),
                    // As JSON has them.
                    Syntax::Lark => {
                        let mut units = [0; 2];
                        for unit in character.encode_utf16(&mut units) {
                            self.text.push_str(&format!("\\u{unit:04x}"));
                        }
                    }
                },
                character => self.text.push(character),
            }
        }
        self.text.push('"');
    }

    /// Only GBNF gets here: in lark, rules with character classes are terminals.
    fn class(&mut self, class: &Class) {
        class.print(&mut self.text, in_class);
    }
}

/// llama.cpp knows few escapes, so characters that have a meaning in a class, and hidden ones, are
/// written by their numbers.
fn in_class(character: char, text: &mut String) {
    match character {
        '"' | '\\' | '[' | ']' | '^' | '-' => text.push_str(&code(character)),
        character if is_hidden(character) => text.push_str(&code(character)),
        character => text.push(character),
    }
}

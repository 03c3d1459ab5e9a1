//! A template's source as statements and expressions.

mod expression;
mod statement;
mod step;

use std::collections::HashSet;

use crate::ast::Block;
use crate::error::Outcome;
use crate::lexer::{Placed, Token, syntax, tokens};
use crate::limits::NESTING_MAX;
use crate::scope::{Reading, Scopes};

/// What `source` says. It has no other line breaks than `\n`.
pub(crate) fn parse(source: &str) -> Outcome<(Block, Scopes)> {
    let mut parser = Parser {
        tokens: tokens(source)?,
        at: 0,
        depth: 0,
        scopes: Reading::new(),
        unknown: Vec::new(),
        blocks: HashSet::new(),
    };
    let block = parser.block(&[])?;
    if let Some(unknown) = parser.unknown.pop() {
        return syntax(unknown.line, unknown.message);
    }
    Ok((block, parser.scopes.finish()))
}

struct Parser<'s> {
    /// The last one is the end.
    tokens: Vec<Placed<'s>>,
    at: usize,
    depth: usize,
    scopes: Reading<'s>,
    /// Filters and tests that nobody knows, which is an error unless a condition is around them.
    unknown: Vec<Unknown>,
    /// Names of blocks.
    blocks: HashSet<&'s str>,
}

struct Unknown {
    line: u32,
    message: String,
    /// Where it is used.
    scope: usize,
}

impl<'s> Parser<'s> {
    fn token(&self) -> &Token<'s> {
        &self.tokens[self.at].0
    }

    fn following(&self) -> &Token<'s> {
        let at = (self.at + 1).min(self.tokens.len() - 1);
        &self.tokens[at].0
    }

    fn line(&self) -> u32 {
        self.tokens[self.at].1
    }

    /// Takes the present token. The end is never taken.
    fn next(&mut self) -> Token<'s> {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is_operator(&self, operator: &str) -> bool {
        matches!(self.token(), Token::Operator(it) if *it == operator)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Name(it) if *it == word)
    }

    fn skip_operator(&mut self, operator: &str) -> bool {
        let is = self.is_operator(operator);
        self.at += usize::from(is);
        is
    }

    fn skip_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, token: &Token<'static>) -> Outcome<()> {
        if self.token() != token {
            return self.unexpected(&described(token));
        }
        self.next();
        Ok(())
    }

    fn expect_operator(&mut self, operator: &'static str) -> Outcome<()> {
        self.expect(&Token::Operator(operator))
    }

    fn expect_name(&mut self) -> Outcome<&'s str> {
        match *self.token() {
            Token::Name(name) => {
                self.next();
                Ok(name)
            }
            _ => self.unexpected("a name"),
        }
    }

    fn unexpected<T>(&self, expected: &str) -> Outcome<T> {
        let found = described(self.token());
        syntax(self.line(), format!("expected {expected}, found {found}"))
    }

    fn fail<T>(&self, message: impl Into<String>) -> Outcome<T> {
        syntax(self.line(), message)
    }

    /// Forgets what nobody knows beyond the first `known`: a condition is around it, and it may not
    /// be reached. Jinja looks no further than this scope.
    fn forgive(&mut self, known: usize) {
        let scope = self.scopes.current();
        let mut at = 0;
        self.unknown.retain(|unknown| {
            at += 1;
            at <= known || unknown.scope != scope
        });
    }

    /// Goes one deeper; [`Self::leave`] goes back.
    fn enter(&mut self) -> Outcome<()> {
        self.depth += 1;
        match self.depth > NESTING_MAX {
            true => crate::error::too_much("depth", NESTING_MAX),
            false => Ok(()),
        }
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}

fn described(token: &Token) -> String {
    match token {
        Token::Text(_) => "text".to_owned(),
        Token::StatementBegin => "'{%'".to_owned(),
        Token::StatementEnd => "'%}'".to_owned(),
        Token::PrintBegin => "'{{'".to_owned(),
        Token::PrintEnd => "'}}'".to_owned(),
        Token::Name(name) => format!("'{name}'"),
        Token::String(_) => "a quoted text".to_owned(),
        Token::Int(_) | Token::Float(_) => "a number".to_owned(),
        Token::Operator(operator) => format!("'{operator}'"),
        Token::End => "the end of the template".to_owned(),
    }
}

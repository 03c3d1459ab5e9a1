//! Edits a template's source: adds filters that limit its values, and replaces `generation` blocks.

use std::ops::Range;

use minijinja::machinery::{Span, Token};

use super::tokens::{Tokens, depths, top_level};
use crate::conversation::chat_template::value_limits::{ADDED, ATTRIBUTE, FACTOR, ITERATED, NAMED};

/// Replacements of ranges of the source, in the order in which they were found.
#[derive(Default)]
pub(super) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.0.push((at..at, text.into()));
    }

    pub(super) fn apply(mut self, source: &str) -> String {
        // The sort is stable: insertions at the same place keep their order.
        self.0.sort_by_key(|(range, _)| range.start);
        let mut prepared = String::with_capacity(source.len() + 16 * self.0.len());
        let mut copied = 0;
        for (range, text) in self.0 {
            prepared.push_str(&source[copied..range.start]);
            prepared.push_str(&text);
            copied = range.end;
        }
        prepared.push_str(&source[copied..]);
        prepared
    }

    /// Puts a filter behind both sides of each `*`.
    pub(super) fn products(&mut self, tokens: &Tokens) {
        for (at, (token, span)) in tokens.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &tokens[before].0);
            // In `f(*list)` the star is not an operator.
            let spreads = matches!(before, None | Some(Token::ParenOpen | Token::Comma));
            if !matches!(token, Token::Mul) || spreads {
                continue;
            }
            if let Some(end) = operand_end(&tokens[at + 1..]) {
                self.insert(span.start_offset as usize, format!("|{FACTOR} "));
                let end = tokens[at + end].1.end_offset as usize;
                self.insert(end, format!("|{FACTOR}"));
            }
        }
    }

    /// Marks each `|safe +`.
    pub(super) fn mark_safe_sums(&mut self, tokens: &Tokens) {
        for three in tokens.windows(3) {
            if let [
                (Token::Pipe, _),
                (Token::Ident("safe"), span),
                (Token::Plus, _),
            ] = three
            {
                self.rename(*span, ADDED);
            }
        }
    }

    /// Checks the arguments of each `loop.changed(…)`, which keeps them for the next turn.
    pub(super) fn check_changed_arguments(&mut self, tokens: &Tokens) {
        for (at, three) in tokens.windows(3).enumerate() {
            use Token::{Comma, Dot, Ident, ParenOpen};
            let [(Dot, _), (Ident("changed"), _), (ParenOpen, _)] = three else {
                continue;
            };
            let from_bracket = &tokens[at + 2..];
            let Some(close) = top_level(from_bracket, |_| true) else {
                continue;
            };
            let mut rest = &from_bracket[1..close];
            while !rest.is_empty() {
                let comma = top_level(rest, |token| matches!(token, Comma));
                let (argument, after) = rest.split_at(comma.unwrap_or(rest.len()));
                self.wrap(argument, ATTRIBUTE);
                rest = after.get(1..).unwrap_or_default();
            }
        }
    }

    /// Prepares a statement, whose tag is closed by `close` and ends at `end`.
    pub(super) fn statement(&mut self, tokens: &Tokens, close: &str, end: usize) {
        let Some((Token::Ident(name), span)) = tokens.first() else {
            return;
        };
        match *name {
            // Transformers marks the assistant's words with it; for printing it is a scope.
            "generation" => self.rename(*span, "with"),
            "endgeneration" => self.rename(*span, "endwith"),
            "set" => self.set(tokens),
            "with" => self.with(tokens),
            "for" => self.for_loop(tokens, close, end),
            "macro" => self.parameters(tokens.get(2..).unwrap_or_default(), close, end),
            "call" => self.parameters(&tokens[1..], close, end),
            _ => {}
        }
    }

    fn rename(&mut self, span: Span, name: &str) {
        let range = span.start_offset as usize..span.end_offset as usize;
        self.0.push((range, name.to_owned()));
    }

    fn set(&mut self, tokens: &Tokens) {
        match top_level(tokens, |token| matches!(token, Token::Assign)) {
            Some(at) => {
                let target = &tokens[..at];
                let is_attribute = target.iter().any(|(token, _)| matches!(token, Token::Dot));
                let filter = if is_attribute { ATTRIBUTE } else { NAMED };
                self.wrap(&tokens[at + 1..], filter);
            }
            // `{% set x %}…{% endset %}` takes a filter behind the name.
            None => {
                if let [_, .., (_, last)] = tokens {
                    self.insert(last.end_offset as usize, format!("|{NAMED}"));
                }
            }
        }
    }

    fn with(&mut self, tokens: &Tokens) {
        let mut rest = tokens;
        while let Some(at) = top_level(rest, |token| matches!(token, Token::Assign)) {
            rest = &rest[at + 1..];
            let end = top_level(rest, |token| matches!(token, Token::Comma));
            let (value, after) = rest.split_at(end.unwrap_or(rest.len()));
            self.wrap(value, NAMED);
            rest = after;
        }
    }

    fn for_loop(&mut self, tokens: &Tokens, close: &str, end: usize) {
        let is_word = |word| move |token: &Token| matches!(token, Token::Ident(it) if *it == word);
        let Some(at) = top_level(tokens, is_word("in")) else {
            return;
        };
        let (target, iterated) = (&tokens[1..at], &tokens[at + 1..]);
        let recursive = top_level(iterated, is_word("recursive"));
        let condition = top_level(iterated, is_word("if"));
        let iterated = &iterated[..condition.or(recursive).unwrap_or(iterated.len())];
        if is_expression(iterated) {
            self.surround(iterated, ITERATED);
        }
        if recursive.is_some() {
            let names = target.iter().map(|(token, _)| token);
            self.check_names(names, close, end);
        }
    }

    /// Checks the arguments of a macro when it begins.
    fn parameters(&mut self, tokens: &Tokens, close: &str, end: usize) {
        let listed = tokens.windows(2).zip(depths(tokens));
        let names = listed
            .take_while(|(_, depth)| *depth > 0)
            .filter_map(|(pair, depth)| match &pair[0].0 {
                Token::ParenOpen | Token::Comma if depth == 1 => Some(&pair[1].0),
                _ => None,
            });
        self.check_names(names, close, end);
    }

    fn check_names<'t>(
        &mut self,
        names: impl Iterator<Item = &'t Token<'t>>,
        close: &str,
        end: usize,
    ) {
        for name in names {
            if let Token::Ident(name) = name {
                // It ends like the tag before it, which decides on the white space that follows.
                self.insert(end, format!("{{% set {name} = {name}|{NAMED} {close}"));
            }
        }
    }

    /// Checks an assigned value, unless it is a constant or taken from a value that was checked.
    fn wrap(&mut self, tokens: &Tokens, filter: &str) {
        let is_plain = tokens.iter().all(|(token, _)| match token {
            Token::Ident("true" | "True" | "false" | "False" | "none" | "None") => true,
            Token::Ident(_) | Token::Dot | Token::Eq | Token::Ne => filter != ATTRIBUTE,
            Token::Float(_) | Token::Int(_) | Token::Str(_) | Token::String(_) => true,
            _ => false,
        });
        if is_expression(tokens) && !is_plain {
            self.surround(tokens, filter);
        }
    }

    fn surround(&mut self, tokens: &Tokens, filter: &str) {
        if let [(_, first), .., (_, last)] | [(_, first @ last)] = tokens {
            self.insert(first.start_offset as usize, "(");
            self.insert(last.end_offset as usize, format!(")|{filter}"));
        }
    }
}

/// Tells an expression with balanced brackets from a mistake, which parentheses around it could
/// turn into something valid.
fn is_expression(tokens: &Tokens) -> bool {
    let mut depth = 0_isize;
    let is_balanced = tokens.iter().all(|(token, _)| {
        match token {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => depth += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => depth -= 1,
            _ => {}
        }
        depth >= 0
    });
    is_balanced && depth == 0 && !tokens.is_empty()
}

/// The number of tokens in the operand at the beginning, filters included.
fn operand_end(tokens: &Tokens) -> Option<usize> {
    let kind = |at: usize| tokens.get(at).map(|(token, _)| token);
    let group = |at: usize| {
        let closed = top_level(&tokens[at..], |_| true)?;
        Some(at + closed + 1)
    };
    let mut at = 0;
    while let Some(Token::Minus) = kind(at) {
        at += 1;
    }
    at = match kind(at)? {
        Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => group(at)?,
        _ => at + 1,
    };
    loop {
        at = match kind(at) {
            Some(Token::Dot | Token::Pipe) => at + 2,
            Some(Token::ParenOpen | Token::BracketOpen) => group(at)?,
            Some(Token::Str(_) | Token::String(_)) => at + 1,
            _ => return (at <= tokens.len()).then_some(at),
        };
    }
}

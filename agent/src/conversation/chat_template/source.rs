//! Limits a template's nesting and its tags' lengths, and adds filters to it that bound values.
//!
//! The engine parses, compiles and drops a template recursively. So nesting and the length of a
//! tag are limited here, by the engine's own tokens. Where a template assigns a value, a filter is
//! put in that checks it ([`value_limits`](super::value_limits)): the engine has no such option.

mod edits;
mod tokens;

use minijinja::machinery::{Span, Token, tokenize};

use super::environment;
use super::error::TemplateError;
use edits::Edits;
use tokens::{Tokens, depths, top_level};

/// The deepest nesting of statements, branches and brackets. Real templates reach 15.
const DEPTH_MAX: usize = 64;
/// The most tokens in a tag: a chain of operators is as deep as it is long. Real templates reach
/// 56, or 156 with names weighted.
const TAG_TOKENS_MAX: usize = 256;
/// The weight of a name, which may stand for a value of any size.
const NAME_TOKENS: usize = 6;

/// The longest line, in bytes, with insertions. The engine counts columns no further.
const LINE_BYTES_MAX: usize = 65_000;

/// `source` as the engine is to read it, line for line.
///
/// # Errors
/// When it nests too deep, or a tag is too long.
pub(super) fn prepared(source: &str) -> Result<String, TemplateError> {
    // Where the tokenizer fails, the engine fails too, but only after parsing everything before.
    let tokens = tokenize(source, false, environment::syntax()).map_while(Result::ok);
    let tokens: Vec<_> = tokens.collect();
    let mut nesting = Nesting::default();
    let mut edits = Edits::default();
    let ends = |(token, _): &_| matches!(token, Token::BlockEnd | Token::VariableEnd);
    for piece in tokens.split_inclusive(ends) {
        let starts = |(token, _): &_| matches!(token, Token::BlockStart | Token::VariableStart);
        let Some(start) = piece.iter().position(starts) else {
            continue;
        };
        let (inside, end) = match piece.split_last() {
            Some((last, before)) if ends(last) => (&before[start + 1..], Some(last.1)),
            _ => (&piece[start + 1..], None),
        };
        nesting.check(&piece[start], inside)?;
        let Some(end) = end else { continue };
        edits.products(inside);
        edits.mark_safe_sums(inside);
        edits.check_changed_arguments(inside);
        if let Token::BlockStart = piece[start].0 {
            let end = end.start_offset as usize..end.end_offset as usize;
            edits.statement(inside, &source[end.clone()], end.end);
        }
    }
    let prepared = edits.apply(source);
    match prepared.lines().any(|line| line.len() > LINE_BYTES_MAX) {
        true => Err(TemplateError::TooMuch {
            limit: "line_bytes",
            value: LINE_BYTES_MAX,
        }),
        false => Ok(prepared),
    }
}

/// The open statements, each with the number of its branches.
#[derive(Default)]
struct Nesting(Vec<usize>);

impl Nesting {
    fn check(&mut self, start: &(Token, Span), inside: &Tokens) -> Result<(), TemplateError> {
        let mut deepest = depths(inside).max().unwrap_or(0);
        if let (Token::BlockStart, Some((Token::Ident(name), _))) = (&start.0, inside.first()) {
            // The engine stops at an `end…` that does not fit, so any may close a statement here.
            match *name {
                "elif" => self.0.last_mut().into_iter().for_each(|open| *open += 1),
                "set" if top_level(inside, |token| matches!(token, Token::Assign)).is_some() => {}
                "autoescape" | "call" | "filter" | "for" | "generation" | "if" | "macro"
                | "set" | "with" => self.0.push(1),
                name if name.starts_with("end") => drop(self.0.pop()),
                _ => {}
            }
        }
        deepest += self.0.iter().sum::<usize>();
        let (limit, value) = match () {
            () if deepest > DEPTH_MAX => ("depth", DEPTH_MAX),
            () if weight(inside) > TAG_TOKENS_MAX => ("tag_tokens", TAG_TOKENS_MAX),
            () => return Ok(()),
        };
        Err(TemplateError::TooMuch { limit, value })
    }
}

fn weight(tokens: &Tokens) -> usize {
    let weights = tokens.iter().map(|(token, _)| match token {
        Token::Ident(_) => NAME_TOKENS,
        _ => 1,
    });
    weights.sum()
}

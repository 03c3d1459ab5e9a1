//! A template's source, checked and prepared before the engine parses it.
//!
//! The engine parses, compiles and drops recursively, so nesting and the length of a tag are
//! limited here, by the engine's own tokens. What the engine lacks is put in as filters: a check
//! wherever a value gets a name ([`bounds`](super::bounds)), and what Python refuses.

use std::ops::Range;

use minijinja::machinery::{Span, Token, tokenize};

use super::bounds::{ADDED, ATTRIBUTE, FACTOR, ITERATED, NAMED};
use super::{TemplateError, environment};

/// How deep statements, branches and brackets may stand in each other. Real templates reach 15.
pub(super) const DEPTH_MAX: usize = 64;
/// How many tokens a tag may have: operators make a chain that is as deep. Real templates reach 56,
/// or 116 as they count here.
const TAG_TOKENS_MAX: usize = 256;
/// What a name counts for, because each may stand for a value of any size.
const NAME_TOKENS: usize = 4;

/// How long a line may be, with what is put in. The engine counts columns no further.
const LINE_BYTES_MAX: usize = 65_000;

type Tokens<'a> = [(Token<'a>, Span)];

/// `source` as the engine is to read it, line for line.
///
/// # Errors
/// When it nests too deep, or a tag is too long.
pub(super) fn prepared(source: &str) -> Result<String, TemplateError> {
    // Where the tokenizer fails, so does the engine, once it has parsed what is before.
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
        edits.sums(inside);
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

/// The statements that are open, each with its branches.
#[derive(Default)]
struct Nesting(Vec<usize>);

impl Nesting {
    fn check(&mut self, start: &(Token, Span), inside: &Tokens) -> Result<(), TemplateError> {
        let mut deepest = depths(inside).max().unwrap_or(0);
        if let (Token::BlockStart, Some((Token::Ident(name), _))) = (&start.0, inside.first()) {
            // An end that ends something else is an error to the engine, which stops there.
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

/// How many brackets are open after each token.
fn depths(tokens: &Tokens) -> impl Iterator<Item = usize> {
    let mut depth = 0_usize;
    tokens.iter().map(move |(token, _)| {
        match token {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => depth += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        depth
    })
}

/// Where the first such token is that stands in no bracket.
fn top_level(tokens: &Tokens, is: impl Fn(&Token) -> bool) -> Option<usize> {
    let mut tokens = tokens.iter().zip(depths(tokens));
    tokens.position(|((token, _), depth)| depth == 0 && is(token))
}

/// What is to be put in, and what is to be replaced.
#[derive(Default)]
struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.0.push((at..at, text.into()));
    }

    fn apply(mut self, source: &str) -> String {
        // What is put in at the same place keeps its order.
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
    fn products(&mut self, tokens: &Tokens) {
        for (at, (token, span)) in tokens.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &tokens[before].0);
            // There it spreads arguments.
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
    fn sums(&mut self, tokens: &Tokens) {
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

    /// Prepares a statement, whose tag is closed by `close` and ends at `end`.
    fn statement(&mut self, tokens: &Tokens, close: &str, end: usize) {
        let Some((Token::Ident(name), span)) = tokens.first() else {
            return;
        };
        match *name {
            // A block of what the assistant wrote is nothing but a scope to a model.
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
            // What is printed up to `endset`.
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

    /// Checks what is given for the parameters of a macro, when it begins.
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
                // The tag ends as the one before it: that decides on the white space after it.
                self.insert(end, format!("{{% set {name} = {name}|{NAMED} {close}"));
            }
        }
    }

    /// Checks a value, unless it is no more than another one, or a constant.
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

/// Brackets that are closed before they are opened are an error, which parentheses could mend.
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

/// How many tokens the operand has that is at the beginning, with its filters.
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

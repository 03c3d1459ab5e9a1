//! Finds the depth of brackets among a template's tokens, and tokens outside of all brackets.

use minijinja::machinery::{Span, Token};

pub(super) type Tokens<'a> = [(Token<'a>, Span)];

/// The number of open brackets after each token.
pub(super) fn depths(tokens: &Tokens) -> impl Iterator<Item = usize> {
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

/// The place of the first such token outside of brackets.
pub(super) fn top_level(tokens: &Tokens, is: impl Fn(&Token) -> bool) -> Option<usize> {
    let mut tokens = tokens.iter().zip(depths(tokens));
    tokens.position(|((token, _), depth)| depth == 0 && is(token))
}

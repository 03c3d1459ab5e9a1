//! Parses a Rust file's functions (without their bodies), structs, enums and type aliases.
//! The rest is not parsed, so nothing in it can nest without end.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::Item;

use super::span::position;
use crate::error::SourceError;
use crate::language::Language;

/// The deepest nesting of tokens.
const WITHIN_MAX: usize = 256;

/// What is wrong with a text that has no tokens.
const UNMATCHED: &str = "a bracket or a quotation mark has no match";

/// The keywords of items that are read.
const READ: [&str; 4] = ["fn", "struct", "enum", "type"];
/// The keywords that may stand before those.
const BEFORE: [&str; 5] = ["pub", "async", "unsafe", "const", "extern"];

/// The items of `text`, in order.
pub(crate) fn items(text: &str) -> Result<Vec<Item>, SourceError> {
    let syntax = |span: Span, expected| SourceError::Syntax {
        language: Language::Rust,
        position: position(span),
        expected,
    };
    let tokens: TokenStream = text
        .parse()
        .map_err(|error: proc_macro2::LexError| syntax(error.span(), Some(UNMATCHED.to_owned())))?;
    let mut found = Vec::new();
    for item in split(tokens) {
        if !is_read(&item) {
            continue;
        }
        if is_too_deep(item.clone()) {
            return Err(SourceError::TooSlow {
                language: Language::Rust,
            });
        }
        let item = syn::parse2(item.into_iter().collect());
        found.push(item.map_err(|error| syntax(error.span(), Some(error.to_string())))?);
    }
    Ok(found)
}

/// The tokens of each item, with nothing between braces of functions.
fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut found, mut item) = (Vec::new(), Vec::<TokenTree>::new());
    for token in tokens {
        let is_end = match &token {
            TokenTree::Punct(sign) => sign.as_char() == ';',
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => true,
            // `#![…]` belongs to what encloses it.
            TokenTree::Group(_) if ends_with(&item, &['#', '!']) => {
                item.truncate(item.len() - 2);
                continue;
            }
            _ => false,
        };
        let token = match token {
            TokenTree::Group(group) if is_end && keyword(&item).as_deref() == Some("fn") => {
                let mut empty = Group::new(Delimiter::Brace, TokenStream::new());
                empty.set_span(group.span());
                TokenTree::Group(empty)
            }
            token => token,
        };
        item.push(token);
        if is_end {
            found.push(std::mem::take(&mut item));
        }
    }
    found
}

fn ends_with(item: &[TokenTree], signs: &[char]) -> bool {
    let mut last = item.iter().rev();
    signs.iter().rev().all(
        |sign| matches!(last.next(), Some(TokenTree::Punct(found)) if found.as_char() == *sign),
    )
}

/// The word that says what an item is.
fn keyword(item: &[TokenTree]) -> Option<String> {
    let words = item.iter().filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    });
    let mut words = words.skip_while(|word| BEFORE.contains(&word.as_str()));
    words.next()
}

fn is_read(item: &[TokenTree]) -> bool {
    keyword(item).is_some_and(|word| READ.contains(&word.as_str()))
}

/// True if parsing the tokens could recurse deeper than is safe. Each token since the last comma
/// may be one level deeper, as in `&&&u8`; tokens in brackets are below all those before the
/// brackets.
fn is_too_deep(tokens: Vec<TokenTree>) -> bool {
    let mut groups = vec![(tokens, 0_usize)];
    while let Some((tokens, outside)) = groups.pop() {
        let (mut within, mut angles, mut last) = (outside, 0_usize, ' ');
        for token in tokens {
            within += 1;
            let mut sign = ' ';
            match token {
                TokenTree::Group(group) => {
                    let inner = group.stream().into_iter().collect();
                    // Attributes stand one after the other.
                    if group.delimiter() == Delimiter::Bracket && last == '#' {
                        within = outside;
                    }
                    groups.push((inner, within));
                }
                TokenTree::Punct(punct) => {
                    sign = punct.as_char();
                    match sign {
                        '<' => angles += 1,
                        '>' if last != '-' => angles = angles.saturating_sub(1),
                        ',' | ';' if angles == 0 => within = outside,
                        _ => {}
                    }
                }
                _ => {}
            }
            last = sign;
            if within > WITHIN_MAX {
                return true;
            }
        }
    }
    false
}

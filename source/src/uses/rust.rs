//! Finds in the tokens of a Rust file what it reaches.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

use super::found::{Use, UseKind, origin};
use crate::position::Position;

/// The deepest nesting of groups that is searched.
const WITHIN_MAX: usize = 128;

/// Functions whose first argument is a path, and whether they change what is there.
const OPENERS: [(&[&str], bool); 2] = [
    (&["open", "read", "read_dir", "read_to_string"], false),
    (
        &[
            "create",
            "create_dir",
            "create_dir_all",
            "write",
            "remove_file",
        ],
        true,
    ),
];
/// The module and the types that have those functions.
const FILES: [&str; 3] = ["File", "fs", "OpenOptions"];

/// The uses in `text`; none where its tokens cannot be read.
pub(super) fn uses(text: &str) -> Vec<Use> {
    let mut found = Vec::new();
    if let Ok(tokens) = text.parse::<TokenStream>() {
        search(tokens, 0, &mut found);
    }
    found
}

fn search(tokens: TokenStream, depth: usize, found: &mut Vec<Use>) {
    if depth > WITHIN_MAX {
        return;
    }
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut is_test = false;
    for (index, token) in tokens.iter().enumerate() {
        let before = |back: usize| index.checked_sub(back).and_then(|at| tokens.get(at));
        match token {
            TokenTree::Group(group) if is_attribute(group, before(1), before(2)) => {
                is_test |= is_test_attribute(group);
            }
            TokenTree::Group(group) => {
                let is_body = group.delimiter() == Delimiter::Brace;
                if let (false, Some(argument)) = (is_body, literal(group.stream())) {
                    let call = path_before(&tokens[..index]);
                    found.extend(called(&call, &argument, group.span_open()));
                }
                if !(is_body && std::mem::take(&mut is_test)) {
                    search(group.stream(), depth + 1, found);
                }
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if let Some(text) = unquoted(&text) {
                    let kind = origin(text, true);
                    found.extend(kind.map(|kind| at(kind, literal.span())));
                }
            }
            TokenTree::Ident(name) if name == "http" => {
                let call = path_before(&tokens[..=index]);
                if call == ["wasi", "http"] {
                    let kind = UseKind::Requests("wasi::http".to_owned());
                    found.push(at(kind, name.span()));
                }
            }
            TokenTree::Punct(sign) if sign.as_char() == ';' => is_test = false,
            _ => {}
        }
    }
}

/// The use that a call of the function at `path` with `argument` is.
fn called(path: &[String], argument: &str, span: Span) -> Option<Use> {
    let [.., of, name] = path else { return None };
    if of == "env" && name == "var" {
        return Some(at(UseKind::Variable(argument.to_owned()), span));
    }
    let is_opener = |(names, _): &&(&[&str], bool)| names.contains(&name.as_str());
    let (_, is_written) = OPENERS.iter().find(is_opener)?;
    let kind = UseKind::Path {
        path: argument.to_owned(),
        is_written: *is_written,
    };
    FILES.contains(&of.as_str()).then(|| at(kind, span))
}

fn at(kind: UseKind, span: Span) -> Use {
    let start = span.start();
    Use {
        kind,
        position: Position {
            line: start.line,
            column: start.column + 1,
        },
    }
}

/// True for the brackets of `#[…]` and `#![…]`.
fn is_attribute(group: &Group, before: Option<&TokenTree>, earlier: Option<&TokenTree>) -> bool {
    let is = |token: Option<&TokenTree>, sign: char| matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == sign);
    let is_inner = is(before, '!') && is(earlier, '#');
    group.delimiter() == Delimiter::Bracket && (is(before, '#') || is_inner)
}

/// True for `test` and `cfg(test)`.
fn is_test_attribute(group: &Group) -> bool {
    let text: String = group.stream().to_string();
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text == "test" || text == "cfg(test)"
}

/// The text of the string that `tokens` begin with.
fn literal(tokens: TokenStream) -> Option<String> {
    let first = tokens.into_iter().next()?;
    match first {
        TokenTree::Literal(literal) => unquoted(&literal.to_string()).map(str::to_owned),
        _ => None,
    }
}

/// The text between the quotation marks of a literal, if it is a string.
fn unquoted(literal: &str) -> Option<&str> {
    let text = literal.strip_prefix('r').unwrap_or(literal);
    let text = text.trim_matches('#');
    text.strip_prefix('"')?.strip_suffix('"')
}

/// The names of the path that `tokens` end with, such as `std::fs::read`.
fn path_before(tokens: &[TokenTree]) -> Vec<String> {
    let mut names = Vec::new();
    let mut has_name = false;
    for token in tokens.iter().rev() {
        match token {
            TokenTree::Ident(name) if !has_name => {
                names.push(name.to_string());
                has_name = true;
            }
            TokenTree::Punct(sign) if sign.as_char() == ':' => has_name = false,
            _ => break,
        }
    }
    names.reverse();
    names
}

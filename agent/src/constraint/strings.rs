//! Builds grammars of JSON strings by length, by pattern or in base64, and of texts of a regex.

use regex_syntax::hir::{Class as HirClass, Hir, HirKind, Look};

use super::expression::{Class, Expression};

/// The highest bound on characters or items that is enforced. Engines copy a repeated expression,
/// so a higher bound would cost more than it is worth.
pub(super) const COUNT_MAX: u32 = 256;

/// The characters that a JSON string contains without escapes.
fn plain() -> Class {
    Class::new(vec![(' ', '!'), ('#', '['), (']', char::MAX)])
}

/// Any one character, however it is escaped.
pub(super) fn character() -> Expression {
    let hex = |count| hex_digit().times(count, Some(count));
    // A surrogate is half a character: a pair is valid, one alone is not.
    let basic = Expression::Choice(vec![
        Expression::Sequence(vec![
            class(&[('0', '9'), ('a', 'c'), ('e', 'f'), ('A', 'C'), ('E', 'F')]),
            hex(3),
        ]),
        Expression::Sequence(vec![
            Expression::one_of("dD"),
            Expression::range('0', '7'),
            hex(2),
        ]),
    ]);
    let pair = Expression::Sequence(vec![
        Expression::one_of("dD"),
        class(&[('8', '9'), ('a', 'b'), ('A', 'B')]),
        hex(2),
        Expression::text("\\u"),
        Expression::one_of("dD"),
        class(&[('c', 'f'), ('C', 'F')]),
        hex(2),
    ]);
    let unicode = Expression::Sequence(vec![
        Expression::text("u"),
        Expression::Choice(vec![basic, pair]),
    ]);
    Expression::Choice(vec![
        Expression::Class(plain()),
        Expression::Sequence(vec![
            Expression::text("\\"),
            Expression::Choice(vec![Expression::one_of("\"\\/bfnrt"), unicode]),
        ]),
    ])
}

/// A string of so many characters, of which `character` is any one.
pub(super) fn string(character: Expression, min: u32, max: Option<u32>) -> Expression {
    quoted(character.times(min, max))
}

/// Bytes in base64, with its padding.
pub(super) fn base64() -> Expression {
    let letter = || class(&[('A', 'Z'), ('a', 'z'), ('0', '9'), ('+', '+'), ('/', '/')]);
    let end = Expression::Choice(vec![
        Expression::Sequence(vec![letter().times(2, Some(2)), Expression::text("==")]),
        Expression::Sequence(vec![letter().times(3, Some(3)), Expression::text("=")]),
    ]);
    let groups = letter().times(4, Some(4)).any_times();
    quoted(Expression::Sequence(vec![groups, end.optional()]))
}

/// A JSON string that `pattern` matches somewhere. None if the pattern needs more than a single
/// pass, such as look-around. `character` is any one character.
pub(super) fn matching(pattern: &str, character: &Expression) -> Option<Expression> {
    let hir = parse(pattern)?;
    let choices = branches(&hir).map(|branch| {
        let (is_begun, body, is_ended) = anchored(branch);
        let mut parts = Vec::new();
        if !is_begun {
            parts.push(character.clone().any_times());
        }
        parts.extend(sequence(&body, Target::Json)?);
        if !is_ended {
            parts.push(character.clone().any_times());
        }
        Some(Expression::Sequence(parts))
    });
    Some(quoted(Expression::any_of(choices.collect::<Option<_>>()?)))
}

/// Texts that `regex` matches entirely. None if it needs more than a single pass.
pub(super) fn regular(regex: &str) -> Option<Expression> {
    let hir = parse(regex)?;
    let choices = branches(&hir).map(|branch| {
        let (_, body, _) = anchored(branch);
        Some(Expression::Sequence(sequence(&body, Target::Text)?))
    });
    Some(Expression::any_of(choices.collect::<Option<_>>()?))
}

fn quoted(inner: Expression) -> Expression {
    Expression::Sequence(vec![Expression::text("\""), inner, Expression::text("\"")])
}

fn hex_digit() -> Expression {
    class(&[('0', '9'), ('a', 'f'), ('A', 'F')])
}

fn class(ranges: &[(char, char)]) -> Expression {
    Expression::Class(Class::new(ranges.to_vec()))
}

/// The text that a pattern is written into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A string of JSON, which escapes some characters.
    Json,
    Text,
}

fn parse(pattern: &str) -> Option<Hir> {
    let mut builder = regex_syntax::ParserBuilder::new();
    builder.nest_limit(64).build().parse(&ascii(pattern)).ok()
}

/// `\d`, `\w` and their like mean ASCII in the patterns of JSON Schema.
fn ascii(pattern: &str) -> String {
    let mut text = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('d') => text.push_str("[0-9]"),
            Some('D') => text.push_str("[^0-9]"),
            Some('w') => text.push_str("[0-9A-Za-z_]"),
            Some('W') => text.push_str("[^0-9A-Za-z_]"),
            Some(other) => text.extend(['\\', other]),
            None => text.push('\\'),
        }
    }
    text
}

fn branches(hir: &Hir) -> impl Iterator<Item = &Hir> {
    let hir = match hir.kind() {
        HirKind::Capture(capture) => &*capture.sub,
        _ => hir,
    };
    match hir.kind() {
        HirKind::Alternation(branches) => branches.iter(),
        _ => std::slice::from_ref(hir).iter(),
    }
}

/// Splits a branch into a leading anchor, the parts between, and a trailing anchor.
fn anchored(branch: &Hir) -> (bool, Vec<&Hir>, bool) {
    let mut parts: Vec<&Hir> = match branch.kind() {
        HirKind::Concat(parts) => parts.iter().collect(),
        _ => vec![branch],
    };
    let is = |part: Option<&&Hir>, look| part.is_some_and(|p| *p.kind() == HirKind::Look(look));
    let is_begun = is(parts.first(), Look::Start);
    if is_begun {
        parts.remove(0);
    }
    let is_ended = is(parts.last(), Look::End);
    if is_ended {
        parts.pop();
    }
    (is_begun, parts, is_ended)
}

fn sequence(parts: &[&Hir], target: Target) -> Option<Vec<Expression>> {
    parts.iter().map(|part| expression(part, target)).collect()
}

fn expression(hir: &Hir, target: Target) -> Option<Expression> {
    Some(match hir.kind() {
        HirKind::Empty => Expression::Sequence(Vec::new()),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            match target {
                Target::Text => Expression::text(text),
                Target::Json => {
                    let json = serde_json::Value::from(text).to_string();
                    Expression::text(&json[1..json.len() - 1])
                }
            }
        }
        HirKind::Class(HirClass::Unicode(class)) => {
            let ranges = class.ranges().iter();
            let ranges = ranges.map(|range| (range.start(), range.end()));
            of_class(Class::new(ranges.collect()), target)?
        }
        HirKind::Class(HirClass::Bytes(class)) => {
            let ranges = class.ranges().iter();
            let ranges = ranges.map(|r| (char::from(r.start()), char::from(r.end())));
            of_class(Class::new(ranges.collect()), target)?
        }
        HirKind::Look(_) => return None,
        HirKind::Repetition(repetition) => {
            let is_counted = repetition.min.max(repetition.max.unwrap_or(0)) <= COUNT_MAX;
            let inner = expression(&repetition.sub, target)?;
            is_counted.then(|| inner.times(repetition.min, repetition.max))?
        }
        HirKind::Capture(capture) => expression(&capture.sub, target)?,
        HirKind::Concat(parts) => {
            let parts: Vec<&Hir> = parts.iter().collect();
            Expression::Sequence(sequence(&parts, target)?)
        }
        HirKind::Alternation(parts) => {
            let parts: Vec<&Hir> = parts.iter().collect();
            Expression::Choice(sequence(&parts, target)?)
        }
    })
}

/// One character of a class, escaped where JSON wants that.
fn of_class(class: Class, target: Target) -> Option<Expression> {
    if class.is_empty() {
        return None;
    }
    if target == Target::Text {
        return Some(Expression::Class(class));
    }
    let escaped = ['"', '\\'].into_iter().chain('\0'..='\x1f');
    let mut choices: Vec<Expression> = escaped
        .filter(|character| class.contains(*character))
        .map(|character| {
            let json = serde_json::Value::from(character.to_string()).to_string();
            Expression::text(&json[1..json.len() - 1])
        })
        .collect();
    let plain = class.without(&plain().complement());
    if !plain.is_empty() {
        choices.insert(0, Expression::Class(plain));
    }
    Some(Expression::any_of(choices))
}

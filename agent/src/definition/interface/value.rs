//! Builds the parts of a WIT parameter: its option type, its integer type by bounds, its comment.

use serde_json::Value;

use super::signature::WitType;
use crate::definition::keyword_text::keyword_text;
use crate::definition::report::Report;
use crate::schema::{Node, Presence};

/// The comment of a parameter: its description, and the bounds that its type does not express.
pub(super) fn value_text(node: &Node<'_>, known: &[&str], report: &mut Report<'_>) -> String {
    let mut words: Vec<String> = node.description.map(str::to_owned).into_iter().collect();
    for (name, value) in node.unread(known) {
        report.told_in_words(&node.pointer, name);
        words.push(keyword_text(name, value));
    }
    words.join(" ")
}

pub(super) fn or_absent(value: WitType, presence: Presence) -> WitType {
    match (presence, value) {
        (Presence::Optional, value) => optional(value),
        (Presence::Required, value) => value,
    }
}

/// An option; one within another would say nothing more.
pub(super) fn optional(value: WitType) -> WitType {
    match value {
        WitType::Option(_) => value,
        value => WitType::Option(Box::new(value)),
    }
}

/// The integer type of WIT that has exactly the bounds of `node`, as the host writes them.
pub(super) fn integer_of(node: &Node<'_>) -> Option<&'static str> {
    let bound = |name: &str| node.keyword(name).and_then(Value::as_i64);
    let types = [
        ("s8", i8::MIN.into(), i8::MAX.into()),
        ("u8", 0, u8::MAX.into()),
        ("s16", i16::MIN.into(), i16::MAX.into()),
        ("u16", 0, u16::MAX.into()),
        ("s32", i32::MIN.into(), i32::MAX.into()),
        ("u32", 0, i64::from(u32::MAX)),
        ("s64", i64::MIN, i64::MAX),
    ];
    let (least, most) = (bound("minimum")?, bound("maximum"));
    let found = types
        .iter()
        .find(|(_, l, m)| *l == least && Some(*m) == most);
    let is_u64 = least == 0 && node.keyword("maximum").and_then(Value::as_u64) == Some(u64::MAX);
    found.map(|(name, ..)| *name).or(is_u64.then_some("u64"))
}

//! Filters that are about HTML. Chat templates make none, and some mark texts as safe all the
//! same.

use crate::error::Outcome;
use crate::html;
use crate::render::{Args, Renderer};
use crate::value::Value;

type Made<'a> = Outcome<Value<'a>>;

pub(super) fn safe<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("safe")?;
    Ok(Value::Markup(it.text_of(value)?))
}

pub(super) fn escape<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    match value {
        Value::Markup(_) => Ok(value),
        other => forceescape(it, other, args),
    }
}

pub(super) fn forceescape<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("forceescape")?;
    let text = it.text_of(value)?;
    let escaped = it.text(|it| html::write_escaped(it, text))?;
    Ok(Value::Markup(escaped))
}

pub(super) fn striptags<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("striptags")?;
    let text = it.text_of(value)?;
    it.charge(text.len() / 8)?;
    Ok(Value::Str(it.memory.text(&html::without_tags(text))?))
}

/// A text with what has a meaning in an address escaped, or pairs as its query.
pub(super) fn urlencode<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("urlencode")?;
    let pairs = match value {
        Value::Dict(members) => it.pairs(members)?,
        Value::Str(_) | Value::Markup(_) => {
            let text = it.text_of(value)?;
            return Ok(Value::Str(it.text(|it| write_encoded(it, text, "/"))?));
        }
        other => match it.source(other) {
            Ok(crate::value::Source::Pairs(pairs)) => pairs,
            _ => {
                let text = it.text_of(other)?;
                return Ok(Value::Str(it.text(|it| write_encoded(it, text, "/"))?));
            }
        },
    };
    let query = it.text(|it| {
        for (at, (key, value)) in pairs.iter().enumerate() {
            it.push(if at > 0 { "&" } else { "" })?;
            let key = it.text_of(*key)?;
            write_encoded(it, key, "")?;
            it.push("=")?;
            let value = it.text_of(*value)?;
            write_encoded(it, value, "")?;
        }
        Ok(())
    })?;
    Ok(Value::Str(query))
}

fn write_encoded(it: &mut Renderer<'_>, text: &str, safe: &str) -> Outcome<()> {
    it.charge(text.len() / 8)?;
    for byte in text.bytes() {
        let character = char::from(byte);
        let is_safe = byte.is_ascii_alphanumeric()
            || "_.-~".contains(character)
            || byte.is_ascii() && safe.contains(character);
        match (is_safe, byte) {
            (true, _) => it.push_format(format_args!("{character}"))?,
            (false, b' ') if safe.is_empty() => it.push("+")?,
            (false, _) => it.push_format(format_args!("%{byte:02X}"))?,
        }
    }
    Ok(())
}

//! Methods on what kind of characters a text has.

use crate::error::Outcome;
use crate::render::{Args, Renderer};
use crate::text::{self, is_space};
use crate::value::Value;

use super::texts::whole;

type Made<'a> = Outcome<Value<'a>>;

pub(super) fn casefold<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("casefold")?;
    it.made(value, &whole(value).to_lowercase().replace('ß', "ss"))
}

pub(super) fn swapcase<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("swapcase")?;
    let mut swapped = String::with_capacity(whole(value).len());
    for character in whole(value).chars() {
        match character.is_uppercase() {
            true => swapped.extend(character.to_lowercase()),
            false => swapped.extend(character.to_uppercase()),
        }
    }
    it.made(value, &swapped)
}

/// Whatever is no letter ends a word, unlike in the filter.
pub(super) fn title<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("title")?;
    let mut titled = String::with_capacity(whole(value).len());
    let mut begins = true;
    for character in whole(value).chars() {
        match begins {
            true => titled.extend(text::title(character)),
            false => titled.extend(character.to_lowercase()),
        }
        begins = !has_case(character);
    }
    it.made(value, &titled)
}

fn has_case(character: char) -> bool {
    character.is_lowercase() || character.is_uppercase()
}

/// Whether a text has characters, and all of them are such.
fn all<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
    is: fn(char) -> bool,
) -> Made<'a> {
    args.none("is")?;
    let text = whole(value);
    it.charge(text.len() / 16)?;
    Ok(Value::Bool(!text.is_empty() && text.chars().all(is)))
}

pub(super) fn isalnum<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    all(it, value, args, char::is_alphanumeric)
}

pub(super) fn isalpha<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    all(it, value, args, char::is_alphabetic)
}

pub(super) fn isascii<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("isascii")?;
    Ok(Value::Bool(whole(value).is_ascii()))
}

pub(super) fn isdigit<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    all(it, value, args, |character| character.is_ascii_digit())
}

pub(super) fn isnumeric<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    all(it, value, args, char::is_numeric)
}

pub(super) fn isspace<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    all(it, value, args, is_space)
}

/// Whether a text has characters of one case and none of the other.
fn cased<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
    right: fn(char) -> bool,
    wrong: fn(char) -> bool,
) -> Made<'a> {
    args.none("is")?;
    let text = whole(value);
    it.charge(text.len() / 16)?;
    Ok(Value::Bool(
        text.chars().any(right) && !text.chars().any(wrong),
    ))
}

pub(super) fn islower<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    cased(it, value, args, char::is_lowercase, char::is_uppercase)
}

pub(super) fn isupper<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    cased(it, value, args, char::is_uppercase, char::is_lowercase)
}

pub(super) fn istitle<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("istitle")?;
    it.charge(whole(value).len() / 16)?;
    let (mut follows_case, mut is_some) = (false, false);
    for character in whole(value).chars() {
        if has_case(character) {
            if character.is_uppercase() == follows_case {
                return Ok(Value::Bool(false));
            }
            is_some = true;
        }
        follows_case = has_case(character);
    }
    Ok(Value::Bool(is_some))
}

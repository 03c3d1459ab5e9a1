//! Filters of texts.

use crate::error::{Outcome, failed};
use crate::methods::texts as methods;
use crate::render::{Args, Renderer};
use crate::text::is_space;
use crate::value::Value;

impl<'a> Renderer<'a> {
    /// The value as a text, which stays marked as safe if it is.
    pub(crate) fn soft(&mut self, value: Value<'a>) -> Outcome<Value<'a>> {
        match value {
            Value::Str(_) | Value::Markup(_) => Ok(value),
            other => Ok(Value::Str(self.text_of(other)?)),
        }
    }

    /// The value as a text.
    pub(crate) fn text_of(&mut self, value: Value<'a>) -> Outcome<&'a str> {
        match value {
            Value::Str(text) | Value::Markup(text) => Ok(text),
            other => self.text(|it| it.write_text(other)),
        }
    }
}

type Made<'a> = Outcome<Value<'a>>;

pub(super) fn trim<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [characters] = args.bind("trim", ["chars"])?;
    let value = it.soft(value)?;
    let characters = characters.unwrap_or(Value::None);
    methods::stripped(it, value, characters, methods::Sides::Both)
}

pub(super) fn string<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("string")?;
    it.soft(value)
}

pub(super) fn upper<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let value = it.soft(value)?;
    methods::upper(it, value, args)
}

pub(super) fn lower<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let value = it.soft(value)?;
    methods::lower(it, value, args)
}

pub(super) fn capitalize<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let value = it.soft(value)?;
    methods::capitalize(it, value, args)
}

pub(super) fn center<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [width] = args.bind("center", ["width"])?;
    let value = it.soft(value)?;
    let positional = it.memory.slice(&[width.unwrap_or(Value::Int(80))])?;
    methods::center(
        it,
        value,
        Args {
            positional,
            keywords: &[],
        },
    )
}

/// Unlike Python's method it takes only white space and brackets for the end of a word.
pub(super) fn title<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("title")?;
    let value = it.soft(value)?;
    let text = it.text_of(value)?;
    it.charge(text.len() / 16)?;
    let mut titled = String::with_capacity(text.len());
    let mut begins = true;
    for character in text.chars() {
        if is_space(character) || "-({[<".contains(character) {
            titled.push(character);
            begins = true;
        } else if begins {
            titled.extend(character.to_uppercase());
            begins = false;
        } else {
            titled.extend(character.to_lowercase());
        }
    }
    Ok(value.like(it.memory.text(&titled)?))
}

pub(super) fn replace<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [old, new, count] = args.bind("replace", ["old", "new", "count"])?;
    let (Some(old), Some(new)) = (old, new) else {
        return failed("replace() takes what it replaces, and by what");
    };
    let (old, new) = (it.text_of(old)?, it.text_of(new)?);
    let text = it.text_of(value)?;
    let count = match count {
        None | Some(Value::None) => -1,
        Some(count) => methods::integer(count)?,
    };
    Ok(Value::Str(methods::replaced(it, text, old, new, count)?))
}

pub(super) fn join<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [separator, attribute] = args.bind("join", ["d", "attribute"])?;
    let separator = it.text_of(separator.unwrap_or(Value::Str("")))?;
    let path = it.attribute_path(attribute)?;
    let source = it.source(value)?;
    let text = it.text(|it| {
        for at in 0..source.len() {
            it.charge(1)?;
            if at > 0 {
                it.push(separator)?;
            }
            let item = it.item_of(source, at)?;
            let item = it.follow(item, &path, None)?;
            it.write_text(item)?;
        }
        Ok(())
    })?;
    Ok(Value::Str(text))
}

pub(super) fn format<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let value = it.soft(value)?;
    let Some(format) = value.as_text() else {
        return Ok(value);
    };
    let given = match (args.positional, args.keywords) {
        (positional, []) => Value::Tuple(positional),
        ([], keywords) => {
            let pair = |at: usize| (Value::Str(keywords[at].0), keywords[at].1);
            let pairs = it.memory.filled(keywords.len(), pair)?;
            Value::Dict(crate::value::Members::Values(pairs))
        }
        _ => return failed("can't handle positional and keyword arguments at the same time"),
    };
    it.percent(value, format, given)
}

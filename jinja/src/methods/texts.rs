//! Methods that look into texts, cut and fill them.

use crate::error::{Outcome, failed};
use crate::html;
use crate::render::{Args, Renderer};
use crate::text;
use crate::value::Value;

type Made<'a> = Outcome<Value<'a>>;

/// A whole number that is an argument.
pub(crate) fn integer(value: Value) -> Outcome<i128> {
    match value.as_integer() {
        Some(number) => Ok(number),
        None => {
            let kind = value.kind();
            failed(format!(
                "'{kind}' object cannot be interpreted as an integer"
            ))
        }
    }
}

/// The text whose method is called.
pub(super) fn whole<'a>(value: Value<'a>) -> &'a str {
    value.as_text().unwrap_or_default()
}

/// A text that is an argument.
pub(super) fn texted<'a>(value: Value<'a>) -> Outcome<&'a str> {
    match value {
        Value::Str(text) | Value::Markup(text) => Ok(text),
        other => failed(format!("must be str, not {}", other.kind())),
    }
}

impl<'a> Renderer<'a> {
    /// A text that becomes a part of `of`, escaped where that is safe and the text is not.
    pub(super) fn part(&mut self, of: Value<'a>, part: Value<'a>) -> Outcome<&'a str> {
        match (of, part) {
            (Value::Markup(_), Value::Str(text)) => self.text(|it| html::write_escaped(it, text)),
            (_, part) => texted(part),
        }
    }

    /// `text` as a value of its own that is safe where `like` is.
    pub(super) fn made(&mut self, like: Value<'a>, text: &str) -> Made<'a> {
        self.charge(text.len() / 64)?;
        Ok(like.like(self.memory.text(text)?))
    }
}

/// Which ends are stripped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sides {
    Both,
    Start,
    End,
}

pub(crate) fn stripped<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    characters: Value<'a>,
    sides: Sides,
) -> Made<'a> {
    let text = whole(value);
    let stripped = match characters {
        Value::None => match sides {
            Sides::Both => text::trim(text),
            Sides::Start => text::trim_start(text),
            Sides::End => text::trim_end(text),
        },
        characters => {
            let characters = it.part(value, characters)?;
            it.charge(text.len() * characters.len() / 64)?;
            let is_one = |character| characters.contains(character);
            match sides {
                Sides::Both => text.trim_matches(is_one),
                Sides::Start => text.trim_start_matches(is_one),
                Sides::End => text.trim_end_matches(is_one),
            }
        }
    };
    it.charge((text.len() - stripped.len()) / 64)?;
    Ok(value.like(stripped))
}

pub(super) fn strip<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [characters] = args.bind("strip", ["chars"])?;
    stripped(it, value, characters.unwrap_or(Value::None), Sides::Both)
}

pub(super) fn lstrip<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [characters] = args.bind("lstrip", ["chars"])?;
    stripped(it, value, characters.unwrap_or(Value::None), Sides::Start)
}

pub(super) fn rstrip<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [characters] = args.bind("rstrip", ["chars"])?;
    stripped(it, value, characters.unwrap_or(Value::None), Sides::End)
}

/// Bounds of a part of a text as methods take them, as its place in bytes; nothing where it begins
/// beyond the end.
fn bounded<'a>(
    it: &mut Renderer<'a>,
    text: &'a str,
    start: Option<Value<'a>>,
    end: Option<Value<'a>>,
) -> Outcome<Option<std::ops::Range<usize>>> {
    if start.is_none() && end.is_none() {
        return Ok(Some(0..text.len()));
    }
    it.charge(text.len() / 64)?;
    let length = text::length(text) as i128;
    let bound = |value: Option<Value<'a>>, default: i128| match value {
        None | Some(Value::None) => Ok(default),
        Some(value) => integer(value).map(|bound| match bound < 0 {
            true => bound.saturating_add(length).max(0),
            false => bound,
        }),
    };
    let (start, end) = (bound(start, 0)?, bound(end, length)?.min(length));
    if start > end {
        return Ok(None);
    }
    let offset = |at: i128| text::offset(text, at as usize);
    Ok(Some(offset(start)..offset(end)))
}

fn affixed<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
    is_affix: fn(&str, &str) -> bool,
) -> Made<'a> {
    let [affix, start, end] = args.bind("startswith", ["prefix", "start", "end"])?;
    let Some(affix) = affix else {
        return failed("expected at least 1 argument, got 0");
    };
    let text = whole(value);
    let Some(range) = bounded(it, text, start, end)? else {
        return Ok(Value::Bool(false));
    };
    let part = &text[range];
    if let Value::Tuple(affixes) = affix {
        it.charge(affixes.len())?;
        for affix in affixes {
            if is_affix(part, texted(*affix)?) {
                return Ok(Value::Bool(true));
            }
        }
        return Ok(Value::Bool(false));
    }
    Ok(Value::Bool(is_affix(part, texted(affix)?)))
}

pub(super) fn startswith<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    affixed(it, value, args, |text, affix| text.starts_with(affix))
}

pub(super) fn endswith<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    affixed(it, value, args, |text, affix| text.ends_with(affix))
}

pub(super) fn removeprefix<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
) -> Made<'a> {
    let [prefix] = args.all("removeprefix", ["prefix"])?;
    let (text, prefix) = (whole(value), it.part(value, prefix)?);
    Ok(value.like(text.strip_prefix(prefix).unwrap_or(text)))
}

pub(super) fn removesuffix<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
) -> Made<'a> {
    let [suffix] = args.all("removesuffix", ["suffix"])?;
    let (text, suffix) = (whole(value), it.part(value, suffix)?);
    Ok(value.like(text.strip_suffix(suffix).unwrap_or(text)))
}

/// Where a part is found, in characters.
fn place<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
    search: fn(&str, &str) -> Option<usize>,
) -> Outcome<Option<i128>> {
    let [part, start, end] = args.bind("find", ["sub", "start", "end"])?;
    let Some(part) = part else {
        return failed("expected at least 1 argument, got 0");
    };
    let (text, part) = (whole(value), texted(part)?);
    it.charge(text.len() / 16)?;
    let Some(range) = bounded(it, text, start, end)? else {
        return Ok(None);
    };
    let found = search(&text[range.clone()], part);
    Ok(found.map(|at| text::length(&text[..range.start + at]) as i128))
}

pub(super) fn find<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let found = place(it, value, args, |text, part| text.find(part))?;
    Ok(Value::Int(found.unwrap_or(-1)))
}

pub(super) fn rfind<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let found = place(it, value, args, |text, part| text.rfind(part))?;
    Ok(Value::Int(found.unwrap_or(-1)))
}

pub(super) fn index<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    match place(it, value, args, |text, part| text.find(part))? {
        Some(at) => Ok(Value::Int(at)),
        None => failed("substring not found"),
    }
}

pub(super) fn rindex<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    match place(it, value, args, |text, part| text.rfind(part))? {
        Some(at) => Ok(Value::Int(at)),
        None => failed("substring not found"),
    }
}

pub(super) fn count<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [part, start, end] = args.bind("count", ["sub", "start", "end"])?;
    let Some(part) = part else {
        return failed("expected at least 1 argument, got 0");
    };
    let (text, part) = (whole(value), texted(part)?);
    it.charge(text.len() / 16)?;
    let Some(range) = bounded(it, text, start, end)? else {
        return Ok(Value::Int(0));
    };
    let text = &text[range];
    Ok(Value::Int(match part.is_empty() {
        true => text::length(text) + 1,
        false => text.matches(part).count(),
    } as i128))
}

/// `text` with the first `count` occurrences of `old` replaced, all where `count` is negative.
pub(crate) fn replaced<'a>(
    it: &mut Renderer<'a>,
    text: &'a str,
    old: &str,
    new: &str,
    count: i128,
) -> Outcome<&'a str> {
    it.charge(text.len() / 16)?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count == 0 || !text.contains(old) {
        return Ok(text);
    }
    it.text(|it| {
        let mut copied = 0;
        for (at, found) in text.match_indices(old).take(count) {
            it.charge(1)?;
            it.push(&text[copied..at])?;
            it.push(new)?;
            copied = at + found.len();
        }
        it.push(&text[copied..])
    })
}

pub(super) fn replace<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let (positional, count) = match args.positional {
        [old, new] => ([*old, *new], -1),
        [old, new, count] => ([*old, *new], integer(*count)?),
        _ => return failed("replace expected at least 2 arguments"),
    };
    if !args.keywords.is_empty() {
        return failed("replace() takes no keyword arguments");
    }
    let [old, new] = positional;
    let (old, new) = (it.part(value, old)?, it.part(value, new)?);
    Ok(value.like(replaced(it, whole(value), old, new, count)?))
}

pub(super) fn join<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [items] = args.all("join", ["iterable"])?;
    if items.is_undefined() {
        return Ok(value.like(""));
    }
    let items = it.items(items)?;
    let text = it.text(|it| {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                it.push(whole(value))?;
            }
            match (value, item) {
                (_, Value::Str(_) | Value::Markup(_)) => {
                    let part = it.part(value, item)?;
                    it.push(part)?;
                }
                (Value::Markup(_), other) => {
                    let text = it.text_of(other)?;
                    html::write_escaped(it, text)?;
                }
                (_, other) => {
                    let kind = other.kind();
                    return failed(format!(
                        "sequence item {at}: expected str instance, {kind} found"
                    ));
                }
            }
        }
        Ok(())
    })?;
    Ok(value.like(text))
}

pub(super) fn format<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    it.braces(value, whole(value), args)
}

pub(super) fn format_map<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [Value::Dict(members)] = args.all("format_map", ["mapping"])? else {
        return failed("format_map() takes a mapping");
    };
    let mut keywords = Vec::new();
    for (key, member) in members.iter() {
        it.charge(1)?;
        keywords.extend(key.as_text().map(|name| (name, member)));
    }
    let keywords = it.memory.slice(&keywords)?;
    let args = Args {
        positional: &[],
        keywords,
    };
    it.braces(value, whole(value), args)
}

pub(crate) fn upper<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("upper")?;
    it.made(value, &whole(value).to_uppercase())
}

pub(crate) fn lower<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("lower")?;
    it.made(value, &whole(value).to_lowercase())
}

pub(crate) fn capitalize<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("capitalize")?;
    let mut characters = whole(value).chars();
    let mut capitalized: String = characters
        .next()
        .into_iter()
        .flat_map(text::title)
        .collect();
    capitalized.push_str(&characters.as_str().to_lowercase());
    it.made(value, &capitalized)
}

/// Fills a text up to a width, with so much before it as `before` says of what is missing.
fn filled<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
    before: fn(usize, usize) -> usize,
) -> Made<'a> {
    let [width, filling] = args.bind("center", ["width", "fillchar"])?;
    let Some(width) = width else {
        return failed("expected at least 1 argument, got 0");
    };
    let filling = match filling {
        Some(filling) => texted(filling)?,
        None => " ",
    };
    if text::length(filling) != 1 {
        return failed("The fill character must be exactly one character long");
    }
    let text = whole(value);
    it.charge(text.len() / 64)?;
    let width = usize::try_from(integer(width)?).unwrap_or(0);
    let missing = width.saturating_sub(text::length(text));
    if missing == 0 {
        return Ok(value);
    }
    it.charge(missing)?;
    let before = before(missing, width);
    let text = it.text(|it| {
        (0..before).try_for_each(|_| it.push(filling))?;
        it.push(text)?;
        (before..missing).try_for_each(|_| it.push(filling))
    })?;
    Ok(value.like(text))
}

pub(crate) fn center<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    filled(it, value, args, |missing, width| {
        missing / 2 + (missing & width & 1)
    })
}

pub(super) fn ljust<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    filled(it, value, args, |_, _| 0)
}

pub(super) fn rjust<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    filled(it, value, args, |missing, _| missing)
}

pub(super) fn zfill<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [width] = args.all("zfill", ["width"])?;
    let text = whole(value);
    let width = usize::try_from(integer(width)?).unwrap_or(0);
    let missing = width.saturating_sub(text::length(text));
    it.charge(missing + text.len() / 64)?;
    let (sign, digits) = text.split_at(usize::from(text.starts_with(['+', '-'])));
    let text = it.text(|it| {
        it.push(sign)?;
        (0..missing).try_for_each(|_| it.push("0"))?;
        it.push(digits)
    })?;
    Ok(value.like(text))
}

pub(super) fn expandtabs<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [size] = args.bind("expandtabs", ["tabsize"])?;
    let size = usize::try_from(size.map_or(Ok(8), integer)?).unwrap_or(0);
    let text = whole(value);
    it.charge(text.len() / 8)?;
    let expanded = it.text(|it| {
        let mut column = 0;
        for part in text.split_inclusive(['\t', '\n', '\r']) {
            let plain = part.trim_end_matches(['\t', '\n', '\r']);
            it.push(plain)?;
            column += text::length(plain);
            match part[plain.len()..].chars().next() {
                Some('\t') if size > 0 => {
                    let spaces = size - column % size;
                    it.charge(spaces)?;
                    (0..spaces).try_for_each(|_| it.push(" "))?;
                    column += spaces;
                }
                Some('\t') | None => {}
                Some(end) => {
                    it.push(if end == '\n' { "\n" } else { "\r" })?;
                    column = 0;
                }
            }
        }
        Ok(())
    })?;
    Ok(value.like(expanded))
}

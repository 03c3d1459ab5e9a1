//! Methods that split texts. The parts are not copied.

use crate::error::{Outcome, failed};
use crate::render::{Args, Renderer};
use crate::text::{self, is_space};
use crate::value::Value;

use super::texts::{integer, texted, whole};

type Made<'a> = Outcome<Value<'a>>;

/// What a text is split by, nothing for white space, and how often.
fn splitting<'a>(args: Args<'a>) -> Outcome<(Option<&'a str>, usize)> {
    let [separator, times] = args.bind("split", ["sep", "maxsplit"])?;
    let separator = match separator {
        None | Some(Value::None) => None,
        Some(separator) => match texted(separator)? {
            "" => return failed("empty separator"),
            separator => Some(separator),
        },
    };
    let times = times.map_or(Ok(-1), integer)?;
    Ok((separator, usize::try_from(times).unwrap_or(usize::MAX)))
}

impl<'a> Renderer<'a> {
    fn parts(
        &mut self,
        like: Value<'a>,
        parts: impl Iterator<Item = &'a str>,
    ) -> Outcome<Vec<Value<'a>>> {
        self.charge(whole(like).len() / 16)?;
        let mut values = Vec::new();
        for part in parts {
            self.charge(1)?;
            values.push(like.like(part));
        }
        Ok(values)
    }
}

pub(super) fn split<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let text = whole(value);
    let parts = match splitting(args)? {
        (Some(separator), times) => {
            it.parts(value, text.splitn(times.saturating_add(1), separator))?
        }
        (None, times) => {
            let mut rest = text::trim_start(text);
            let mut left = times;
            let words = std::iter::from_fn(|| {
                if rest.is_empty() {
                    return None;
                }
                let end = match left {
                    0 => rest.len(),
                    _ => rest.find(is_space).unwrap_or(rest.len()),
                };
                left = left.saturating_sub(1);
                let (word, after) = rest.split_at(end);
                rest = text::trim_start(after);
                Some(word)
            });
            it.parts(value, words)?
        }
    };
    it.list(&parts)
}

pub(super) fn rsplit<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let text = whole(value);
    let mut parts = match splitting(args)? {
        (Some(separator), times) => {
            it.parts(value, text.rsplitn(times.saturating_add(1), separator))?
        }
        (None, times) => {
            let mut rest = text::trim_end(text);
            let mut left = times;
            let words = std::iter::from_fn(|| {
                if rest.is_empty() {
                    return None;
                }
                let before = rest.trim_end_matches(|it| !is_space(it));
                let start = if left == 0 { 0 } else { before.len() };
                left = left.saturating_sub(1);
                let (before, word) = rest.split_at(start);
                rest = text::trim_end(before);
                Some(word)
            });
            it.parts(value, words)?
        }
    };
    parts.reverse();
    it.list(&parts)
}

pub(super) fn partition<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let (text, separator) = (whole(value), separator(args)?);
    it.charge(text.len() / 16)?;
    let parts = match text.find(separator) {
        Some(at) => [&text[..at], separator, &text[at + separator.len()..]],
        None => [text, "", ""],
    };
    it.tuple(&parts.map(|part| value.like(part)))
}

pub(super) fn rpartition<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let (text, separator) = (whole(value), separator(args)?);
    it.charge(text.len() / 16)?;
    let parts = match text.rfind(separator) {
        Some(at) => [&text[..at], separator, &text[at + separator.len()..]],
        None => ["", "", text],
    };
    it.tuple(&parts.map(|part| value.like(part)))
}

fn separator<'a>(args: Args<'a>) -> Outcome<&'a str> {
    let [separator] = args.all("partition", ["sep"])?;
    match texted(separator)? {
        "" => failed("empty separator"),
        separator => Ok(separator),
    }
}

pub(super) fn splitlines<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [keep] = args.bind("splitlines", ["keepends"])?;
    let keep = keep.is_some_and(Value::is_true);
    let lines = text::lines(whole(value)).into_iter();
    let lines = lines.map(|(line, with_end)| if keep { with_end } else { line });
    let parts = it.parts(value, lines)?;
    it.list(&parts)
}

//! Filters that lay texts out.

use crate::error::{Outcome, failed};
use crate::methods::texts::integer;
use crate::render::{Args, Renderer};
use crate::text;
use crate::value::Value;

type Made<'a> = Outcome<Value<'a>>;

pub(super) fn indent<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [width, first, blank] = args.bind("indent", ["width", "first", "blank"])?;
    let width = width.unwrap_or(Value::Int(4));
    let indention = match width.as_text() {
        Some(text) => text,
        None => {
            let width = usize::try_from(integer(width)?).unwrap_or(0);
            it.text(|it| {
                it.charge(width)?;
                (0..width).try_for_each(|_| it.push(" "))
            })?
        }
    };
    let Some(text) = value.as_text() else {
        return failed(format!("'{}' object is no text to indent", value.kind()));
    };
    let (first, blank) = (
        first.is_some_and(Value::is_true),
        blank.is_some_and(Value::is_true),
    );
    // The end of the last line counts as one, unless only lines with something are indented.
    let indented = it.text(|it| {
        let mut all = text::lines(text);
        if text.is_empty() || all.last().is_some_and(|line| line.0.len() < line.1.len()) {
            all.push(("", ""));
        }
        for (at, (line, _)) in all.iter().enumerate() {
            it.charge(1)?;
            if at > 0 {
                it.push("\n")?;
            }
            if if at == 0 {
                first
            } else {
                blank || !line.is_empty()
            } {
                it.push(indention)?;
            }
            it.push(line)?;
        }
        Ok(())
    })?;
    Ok(value.like(indented))
}

pub(super) fn truncate<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let names = ["length", "killwords", "end", "leeway"];
    let [length, killwords, end, leeway] = args.bind("truncate", names)?;
    let length = length.map_or(Ok(255), integer)?;
    let leeway = match leeway {
        None | Some(Value::None) => 5,
        Some(leeway) => integer(leeway)?,
    };
    let end = end.map_or(Some("..."), Value::as_text);
    let (Some(whole), Some(end)) = (value.as_text(), end) else {
        return failed(format!("object of type '{}' has no len()", value.kind()));
    };
    it.charge(whole.len() / 64)?;
    let end_length = text::length(end) as i128;
    if length < end_length || leeway < 0 {
        return failed(format!("expected length >= {end_length}, got {length}"));
    }
    if text::length(whole) as i128 <= length.saturating_add(leeway) {
        return Ok(value);
    }
    let kept = usize::try_from(length - end_length).unwrap_or(usize::MAX);
    let mut kept = text::between(whole, 0..kept);
    if !killwords.is_some_and(Value::is_true) {
        kept = kept.rsplit_once(' ').map_or(kept, |(before, _)| before);
    }
    let truncated = it.text(|it| {
        it.push(kept)?;
        it.push(end)
    })?;
    Ok(value.like(truncated))
}

pub(super) fn wordcount<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("wordcount")?;
    let text = it.text_of(value)?;
    it.charge(text.len() / 16)?;
    let words = text.split(|it: char| !it.is_alphanumeric() && it != '_');
    Ok(Value::Int(
        words.filter(|word| !word.is_empty()).count() as i128
    ))
}

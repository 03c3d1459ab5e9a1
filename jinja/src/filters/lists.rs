//! Filters of lists.

use crate::ast::Operator;
use crate::error::{Outcome, failed};
use crate::methods::texts::integer;
use crate::render::{Args, Renderer};
use crate::value::{Items, Undefined, Value};

type Made<'a> = Outcome<Value<'a>>;

pub(super) fn list<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("list")?;
    Ok(Value::List(it.items(value)?))
}

pub(super) fn first<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("first")?;
    if let Value::Generator(generator) = value {
        let at = generator.taken.get();
        if let Some(item) = generator.items.get(at) {
            generator.taken.set(at + 1);
            return Ok(*item);
        }
    }
    let source = it.source(value)?;
    match source.len() {
        0 => Ok(Value::Undefined(Undefined::Because(
            "No first item, sequence was empty.",
        ))),
        _ => it.item_of(source, 0),
    }
}

pub(super) fn last<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("last")?;
    if let Value::Generator(_) = value {
        return failed("'generator' object is not reversible");
    }
    let source = it.source(value)?;
    match source.len() {
        0 => Ok(Value::Undefined(Undefined::Because(
            "No last item, sequence was empty.",
        ))),
        length => it.item_of(source, length - 1),
    }
}

pub(super) fn reverse<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("reverse")?;
    if let Some(text) = value.as_text() {
        it.charge(text.len() / 16)?;
        let reversed: String = text.chars().rev().collect();
        return Ok(value.like(it.memory.text(&reversed)?));
    }
    let items = it.items(value)?;
    let reversed: Vec<Value> = items.iter().rev().collect();
    match value {
        Value::Generator(_) => it.list(&reversed),
        _ => it.generator(&reversed),
    }
}

pub(super) fn batch<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [size, filling] = args.bind("batch", ["linecount", "fill_with"])?;
    let Some(size) = size else {
        return failed("batch() takes how many items a batch has");
    };
    let size = integer(size)?;
    let items: Vec<Value> = it.items(value)?.iter().collect();
    // No batch is as long as none or fewer.
    let chunk = usize::try_from(size).ok().filter(|size| *size > 0);
    let mut batches = Vec::new();
    for batch in items.chunks(chunk.unwrap_or(items.len().max(1))) {
        let mut batch = batch.to_vec();
        if let (Some(filling), Some(size)) = (filling.filter(|it| !is_none(it)), chunk) {
            it.charge(size.saturating_sub(batch.len()))?;
            batch.resize(size.max(batch.len()), filling);
        }
        batches.push(it.list(&batch)?);
    }
    it.generator(&batches)
}

pub(super) fn slice<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [count, filling] = args.bind("slice", ["slices", "fill_with"])?;
    let Some(count) = count else {
        return failed("slice() takes how many slices there are");
    };
    let items: Vec<Value> = it.items(value)?.iter().collect();
    let count = match usize::try_from(integer(count)?) {
        Ok(0) => return failed("integer division or modulo by zero"),
        Ok(count) => count,
        Err(_) => 0,
    };
    it.charge(count)?;
    let mut slices = Vec::new();
    let (size, more) = match count {
        0 => (0, 0),
        count => (items.len() / count, items.len() % count),
    };
    let mut rest = items.as_slice();
    for at in 0..count {
        let (slice, after) = rest.split_at(size + usize::from(at < more));
        rest = after;
        let mut slice = slice.to_vec();
        if at >= more
            && let Some(filling) = filling.filter(|it| !is_none(it))
        {
            slice.push(filling);
        }
        slices.push(it.list(&slice)?);
    }
    it.generator(&slices)
}

fn is_none(value: &Value) -> bool {
    matches!(value, Value::None)
}

pub(super) fn sum<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [attribute, start] = args.bind("sum", ["attribute", "start"])?;
    let path = it.attribute_path(attribute)?;
    let items: Items = it.items(value)?;
    let mut sum = start.unwrap_or(Value::Int(0));
    if sum.as_text().is_some() {
        return failed("sum() can't sum strings [use ''.join(seq) instead]");
    }
    for item in items.iter() {
        let item = it.follow(item, &path, None)?;
        sum = it.operate(Operator::Add, sum, item)?;
    }
    Ok(sum)
}

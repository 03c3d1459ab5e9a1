//! Methods of lists, dicts, loops and the like.

use crate::error::{Outcome, failed};
use crate::render::{Args, Renderer};
use crate::value::{Members, Part, Value, View};

use super::texts::integer;

type Made<'a> = Outcome<Value<'a>>;

fn members<'a>(value: Value<'a>) -> Members<'a> {
    match value {
        Value::Dict(members) => members,
        _ => Members::Values(&[]),
    }
}

pub(super) fn get<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    if !args.keywords.is_empty() {
        return failed("dict.get() takes no keyword arguments");
    }
    let [key, default] = args.bind("get", ["key", "default"])?;
    let Some(key) = key else {
        return failed("get expected at least 1 argument, got 0");
    };
    it.check_hashable(key)?;
    let found = it.lookup(members(value), key)?;
    Ok(found.or(default).unwrap_or(Value::None))
}

fn view<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>, part: Part) -> Made<'a> {
    args.none("items")?;
    let members = it.pairs(members(value))?;
    Ok(Value::View(it.memory.made(View { members, part })?))
}

pub(super) fn items<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    view(it, value, args, Part::Items)
}

pub(super) fn keys<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    view(it, value, args, Part::Keys)
}

pub(super) fn values<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    view(it, value, args, Part::Values)
}

pub(super) fn copy<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("copy")?;
    match value {
        Value::Tuple(_) => failed("'tuple' object has no attribute 'copy'"),
        other => Ok(other),
    }
}

pub(super) fn count<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [wanted] = args.all("count", ["value"])?;
    let mut count = 0;
    for item in it.items(value)?.iter() {
        count += i128::from(it.equal(item, wanted)?);
    }
    Ok(Value::Int(count))
}

pub(super) fn index<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [wanted, start, stop] = args.bind("index", ["value", "start", "stop"])?;
    let Some(wanted) = wanted else {
        return failed("index expected at least 1 argument, got 0");
    };
    let items = it.items(value)?;
    let length = items.len() as i128;
    let bound = |bound: i128| match bound < 0 {
        true => bound.saturating_add(length).max(0),
        false => bound,
    };
    let start = bound(start.map_or(Ok(0), integer)?);
    let stop = bound(stop.map_or(Ok(length), integer)?);
    for (at, item) in items.iter().enumerate() {
        let at = at as i128;
        if start <= at && at < stop && it.equal(item, wanted)? {
            return Ok(Value::Int(at));
        }
    }
    let kind = value.kind();
    failed(format!("the value is not in the {kind}"))
}

pub(super) fn cycle<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let Value::Loop(turns) = value else {
        return failed("only a loop has a cycle");
    };
    match args.positional.len() {
        0 => failed("no items for cycling given"),
        length => Ok(args.positional[turns.index.get().saturating_sub(1) % length]),
    }
}

pub(super) fn changed<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    match value {
        Value::Loop(turns) => it.has_changed(turns, args).map(Value::Bool),
        _ => failed("only a loop changes"),
    }
}

pub(super) fn next<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("next")?;
    let Value::Cycler(cycler) = value else {
        return failed("only a cycler has a next item");
    };
    let at = cycler.at.get();
    cycler.at.set((at + 1) % cycler.items.len());
    Ok(cycler.items[at])
}

pub(super) fn reset<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("reset")?;
    if let Value::Cycler(cycler) = value {
        cycler.at.set(0);
    }
    Ok(Value::None)
}

pub(super) fn is_integer<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("is_integer")?;
    let number = value.as_float().unwrap_or(f64::NAN);
    Ok(Value::Bool(number.is_finite() && number.fract() == 0.0))
}

//! Filters that sort, group and compare.

use std::cmp::Ordering;

use crate::error::{Outcome, failed};
use crate::render::{Args, Renderer};
use crate::value::{Undefined, Value};

type Made<'a> = Outcome<Value<'a>>;

/// By what items are compared.
struct Key<'a> {
    paths: Vec<Vec<Value<'a>>>,
    is_case_sensitive: bool,
}

impl<'a> Key<'a> {
    fn new(
        it: &mut Renderer<'a>,
        attribute: Option<Value<'a>>,
        case_sensitive: Option<Value<'a>>,
    ) -> Outcome<Self> {
        Ok(Self {
            paths: vec![it.attribute_path(attribute)?],
            is_case_sensitive: case_sensitive.is_some_and(Value::is_true),
        })
    }

    fn part(&self, it: &mut Renderer<'a>, item: Value<'a>, path: &[Value<'a>]) -> Made<'a> {
        let value = it.follow(item, path, None)?;
        match (value.as_text(), self.is_case_sensitive) {
            (Some(text), false) => {
                it.charge(text.len() / 64)?;
                Ok(value.like(it.memory.text(&text.to_lowercase())?))
            }
            _ => Ok(value),
        }
    }

    fn of(&self, it: &mut Renderer<'a>, item: Value<'a>) -> Made<'a> {
        self.part(it, item, &self.paths[0])
    }
}

pub(super) fn sort<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let names = ["reverse", "case_sensitive", "attribute"];
    let [reverse, case_sensitive, attribute] = args.bind("sort", names)?;
    let mut key = Key::new(it, None, case_sensitive)?;
    if let Some(names) = attribute.and_then(Value::as_text) {
        key.paths.clear();
        for name in names.split(',') {
            key.paths.push(it.attribute_path(Some(Value::Str(name)))?);
        }
    } else {
        key.paths = vec![it.attribute_path(attribute)?];
    }
    let mut keyed = Vec::new();
    for item in it.items(value)?.iter() {
        let mut parts = Vec::with_capacity(key.paths.len());
        for path in &key.paths {
            parts.push(key.part(it, item, path)?);
        }
        keyed.push((it.list(&parts)?, item));
    }
    let keyed = it.sorted(keyed, reverse.is_some_and(Value::is_true))?;
    let sorted: Vec<Value> = keyed.into_iter().map(|(_, item)| item).collect();
    it.list(&sorted)
}

pub(super) fn dictsort<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let names = ["case_sensitive", "by", "reverse"];
    let [case_sensitive, by, reverse] = args.bind("dictsort", names)?;
    let by_value = match by.map(|by| by.as_text()) {
        None | Some(Some("key")) => false,
        Some(Some("value")) => true,
        Some(_) => return failed("You can only sort by either \"key\" or \"value\""),
    };
    let Value::Dict(members) = value else {
        let kind = value.kind();
        return failed(format!("'{kind} object' has no attribute 'items'"));
    };
    let key = Key::new(it, None, case_sensitive)?;
    it.charge(members.len())?;
    let mut keyed = Vec::with_capacity(members.len());
    for (name, value) in members.iter() {
        let by = key.of(it, if by_value { value } else { name })?;
        keyed.push((by, (name, value)));
    }
    let keyed = it.sorted(keyed, reverse.is_some_and(Value::is_true))?;
    let mut sorted = Vec::with_capacity(keyed.len());
    for (_, (name, value)) in keyed {
        sorted.push(it.tuple(&[name, value])?);
    }
    it.list(&sorted)
}

pub(super) fn unique<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [case_sensitive, attribute] = args.bind("unique", ["case_sensitive", "attribute"])?;
    let key = Key::new(it, attribute, case_sensitive)?;
    let mut seen = Vec::new();
    let mut unique = Vec::new();
    for item in it.items(value)?.iter() {
        let key = key.of(it, item)?;
        let before = seen.len();
        it.insert(&mut seen, (key, Value::None))?;
        if seen.len() > before {
            unique.push(item);
        }
    }
    it.generator(&unique)
}

pub(super) fn groupby<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let names = ["attribute", "default", "case_sensitive"];
    let [attribute, default, case_sensitive] = args.bind("groupby", names)?;
    let Some(attribute) = attribute else {
        return failed("groupby() takes the attribute to group by");
    };
    let key = Key::new(it, Some(attribute), case_sensitive)?;
    let default = default.filter(|default| !matches!(default, Value::None));
    let mut keyed = Vec::new();
    for item in it.items(value)?.iter() {
        let plain = it.follow(item, &key.paths[0], default)?;
        let folded = key.part(it, plain, &[])?;
        keyed.push((folded, (plain, item)));
    }
    let keyed = it.sorted(keyed, false)?;
    let mut groups = Vec::new();
    let mut rest = keyed.as_slice();
    while let Some((first, (name, _))) = rest.first() {
        let mut group = Vec::new();
        while let Some((next, (_, item))) = rest.get(group.len()) {
            if !it.equal(*first, *next)? {
                break;
            }
            group.push(*item);
        }
        rest = &rest[group.len().max(1)..];
        let group = it.list(&group)?;
        groups.push(it.tuple(&[*name, group])?);
    }
    it.list(&groups)
}

pub(super) fn min<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    extreme(it, value, args, Ordering::Less)
}

pub(super) fn max<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    extreme(it, value, args, Ordering::Greater)
}

fn extreme<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
    wanted: Ordering,
) -> Made<'a> {
    let [case_sensitive, attribute] = args.bind("min", ["case_sensitive", "attribute"])?;
    let key = Key::new(it, attribute, case_sensitive)?;
    let mut best: Option<(Value, Value)> = None;
    for item in it.items(value)?.iter() {
        let key = key.of(it, item)?;
        let is_better = match best {
            Some((best, _)) => it.order(key, best)? == wanted,
            None => true,
        };
        if is_better {
            best = Some((key, item));
        }
    }
    Ok(match best {
        Some((_, item)) => item,
        None => Value::Undefined(Undefined::Because(
            "No aggregated item, sequence was empty.",
        )),
    })
}

//! Filters that apply others, or tests, to one item after the other.

use crate::error::{Outcome, failed};
use crate::render::{Args, Renderer};
use crate::value::{Members, Value};
use crate::{filters, tests};

type Made<'a> = Outcome<Value<'a>>;

impl<'a> Renderer<'a> {
    /// What `attribute` means: names and numbers with dots between them.
    pub(super) fn attribute_path(
        &mut self,
        attribute: Option<Value<'a>>,
    ) -> Outcome<Vec<Value<'a>>> {
        Ok(match attribute {
            None | Some(Value::None) => Vec::new(),
            Some(Value::Str(path) | Value::Markup(path)) => {
                let mut parts = Vec::new();
                for part in path.split('.') {
                    self.charge(1)?;
                    let is_number = !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
                    parts.push(match part.parse() {
                        Ok(index) if is_number => Value::Int(index),
                        _ => Value::Str(part),
                    });
                }
                parts
            }
            Some(other) => vec![other],
        })
    }

    /// The item that such a path leads to.
    pub(super) fn follow(
        &mut self,
        item: Value<'a>,
        path: &[Value<'a>],
        default: Option<Value<'a>>,
    ) -> Made<'a> {
        let mut item = item;
        for part in path {
            self.charge(1)?;
            item = self.item(item, *part)?;
            if let (true, Some(default)) = (item.is_undefined(), default) {
                item = default;
            }
        }
        Ok(item)
    }

    /// What makes one item after the other.
    pub(super) fn generator(&self, items: &[Value<'a>]) -> Made<'a> {
        let items = self.memory.slice(items)?;
        let taken = std::cell::Cell::new(0);
        Ok(Value::Generator(
            self.memory.made(crate::value::Generator { items, taken })?,
        ))
    }

    pub(super) fn pairs_once(&mut self, members: Members<'a>) -> Made<'a> {
        let mut pairs = Vec::with_capacity(members.len());
        for (key, value) in members.iter() {
            self.charge(1)?;
            pairs.push(self.tuple(&[key, value])?);
        }
        self.generator(&pairs)
    }
}

pub(super) fn map<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let mapping = mapping(it, args)?;
    let mut mapped = Vec::new();
    if value.is_true() {
        for item in it.items(value)?.iter() {
            mapped.push(match &mapping {
                Mapping::Path(path, default) => it.follow(item, path, *default)?,
                Mapping::Filter(run, args) => run(it, item, *args)?,
            });
        }
    }
    it.generator(&mapped)
}

enum Mapping<'a> {
    Path(Vec<Value<'a>>, Option<Value<'a>>),
    Filter(filters::Run, Args<'a>),
}

fn mapping<'a>(it: &mut Renderer<'a>, args: Args<'a>) -> Outcome<Mapping<'a>> {
    let Some((name, positional)) = args.positional.split_first() else {
        let [attribute, default] = args.bind("map", ["attribute", "default"])?;
        if attribute.is_none() {
            return failed("map requires a filter argument");
        }
        let default = default.filter(|default| !matches!(default, Value::None));
        return Ok(Mapping::Path(it.attribute_path(attribute)?, default));
    };
    let keywords = args.keywords;
    match name.as_text().and_then(filters::find) {
        Some(filter) => Ok(Mapping::Filter(
            filter.run,
            Args {
                positional,
                keywords,
            },
        )),
        None => {
            let name = it.text_of(*name)?;
            failed(format!("there is no filter '{name}'"))
        }
    }
}

pub(super) fn select<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    picked(it, value, Vec::new(), args, true)
}

pub(super) fn reject<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    picked(it, value, Vec::new(), args, false)
}

pub(super) fn selectattr<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    picked_by_attribute(it, value, args, true)
}

pub(super) fn rejectattr<'a>(it: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    picked_by_attribute(it, value, args, false)
}

fn picked_by_attribute<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
    kept: bool,
) -> Made<'a> {
    if !value.is_true() {
        return it.generator(&[]);
    }
    let Some((attribute, positional)) = args.positional.split_first() else {
        return failed("Missing parameter for attribute name");
    };
    let path = it.attribute_path(Some(*attribute))?;
    let keywords = args.keywords;
    picked(
        it,
        value,
        path,
        Args {
            positional,
            keywords,
        },
        kept,
    )
}

/// The items of which a test, or whether they are true, says `kept`.
fn picked<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    path: Vec<Value<'a>>,
    args: Args<'a>,
    kept: bool,
) -> Made<'a> {
    if !value.is_true() {
        return it.generator(&[]);
    }
    let test = match args.positional.split_first() {
        None => None,
        Some((name, positional)) => match name.as_text().and_then(tests::find) {
            Some(test) => {
                let keywords = args.keywords;
                Some((
                    test,
                    Args {
                        positional,
                        keywords,
                    },
                ))
            }
            None => {
                let name = it.text_of(*name)?;
                return failed(format!("there is no test '{name}'"));
            }
        },
    };
    let mut picked = Vec::new();
    for item in it.items(value)?.iter() {
        let looked_at = it.follow(item, &path, None)?;
        let is = match test {
            Some((test, args)) => (test.run)(it, looked_at, args)?,
            None => looked_at.is_true(),
        };
        if is == kept {
            picked.push(item);
        }
    }
    it.generator(&picked)
}

//! The functions that every template has, and those that it is given.

use std::cell::Cell;

use crate::error::{Outcome, failed};
use crate::range::Range;
use crate::value::{Cycler, Function, Joiner, Members, Namespace, Value};

use super::{Args, Renderer};

/// How many items a range may have, as in Jinja's sandbox.
const RANGE_MAX: usize = 100_000;

/// A dict while it is made.
pub(crate) type Pairs<'a> = Vec<(Value<'a>, Value<'a>)>;

impl<'a> Renderer<'a> {
    pub(super) fn function(
        &mut self,
        function: Function<'a>,
        args: Args<'a>,
    ) -> Outcome<Value<'a>> {
        match function {
            Function::Range => self.range(args),
            Function::Dict => {
                let pairs = self.dict_of("dict", args)?;
                Ok(Value::Dict(Members::Values(self.memory.slice(&pairs)?)))
            }
            Function::Namespace => {
                let pairs = self.dict_of("namespace", args)?;
                let is_hidden =
                    |it: &(Value, Value)| it.0.as_text().is_some_and(|name| name.starts_with('_'));
                if pairs.iter().any(is_hidden) {
                    return failed("names in a namespace begin with no underscore");
                }
                let members = self.memory.filled(pairs.len(), |at| {
                    let (key, value) = pairs[at];
                    (key, Cell::new(value))
                })?;
                let members = Cell::new(members);
                Ok(Value::Namespace(self.memory.made(Namespace { members })?))
            }
            Function::Cycler => {
                if args.positional.is_empty() || !args.keywords.is_empty() {
                    return failed("a cycler takes one item or more");
                }
                let (items, at) = (args.positional, Cell::new(0));
                Ok(Value::Cycler(self.memory.made(Cycler { items, at })?))
            }
            Function::Joiner => {
                let [separator] = args.bind("joiner", ["sep"])?;
                Ok(Value::Joiner(self.memory.made(Joiner {
                    separator: separator.unwrap_or(Value::Str(", ")),
                    is_used: Cell::new(false),
                })?))
            }
            Function::Given(given) => {
                let text = match (args.positional, args.keywords) {
                    ([only], []) | ([], [(_, only)]) => *only,
                    _ => return failed("a function takes one argument"),
                };
                let text = match text.as_text() {
                    Some(text) => text,
                    None => self.text(|it| it.write_text(text))?,
                };
                let given = given(text).map_err(Box::new)?;
                self.charge(given.len() / super::STEP_BYTES)?;
                Ok(Value::Str(self.memory.text(&given)?))
            }
        }
    }

    fn range(&mut self, args: Args<'a>) -> Outcome<Value<'a>> {
        args.bind("range", ["start", "stop", "step"])?;
        let mut numbers = [0; 3];
        for (number, value) in numbers.iter_mut().zip(args.positional) {
            *number = match value.as_integer() {
                Some(number) => number,
                None => {
                    let kind = value.kind();
                    return failed(format!(
                        "'{kind}' object cannot be interpreted as an integer"
                    ));
                }
            };
        }
        let range = match (args.positional.len(), numbers) {
            (1, [stop, ..]) => Range::new(0, stop, 1)?,
            (2, [start, stop, _]) => Range::new(start, stop, 1)?,
            (3, [start, stop, step]) => Range::new(start, stop, step)?,
            _ => return failed("range takes one to three numbers"),
        };
        if range.length > RANGE_MAX {
            return failed(format!("a range has {RANGE_MAX} items at most"));
        }
        Ok(Value::Range(self.memory.made(range)?))
    }

    /// The members that `dict(…)` makes.
    fn dict_of(&mut self, function: &str, args: Args<'a>) -> Outcome<Pairs<'a>> {
        let mut pairs = Vec::new();
        match args.positional {
            [] => {}
            [Value::Dict(members)] => {
                self.charge(members.len())?;
                pairs.extend(members.iter());
            }
            [iterable] => {
                for pair in self.items(*iterable)?.iter() {
                    let pair = self.items(pair)?;
                    let (Some(key), Some(value), 2) = (pair.get(0), pair.get(1), pair.len()) else {
                        return failed(format!("{function}() takes pairs"));
                    };
                    self.insert(&mut pairs, (key, value))?;
                }
            }
            _ => return failed(format!("{function}() takes one argument at most")),
        }
        for (name, value) in args.keywords {
            self.insert(&mut pairs, (Value::Str(name), *value))?;
        }
        Ok(pairs)
    }

    /// Adds a member to a dict, or replaces its value.
    pub(crate) fn insert(
        &mut self,
        pairs: &mut Pairs<'a>,
        (key, value): (Value<'a>, Value<'a>),
    ) -> Outcome<()> {
        self.check_hashable(key)?;
        match self.position(pairs, key)? {
            Some(at) => pairs[at].1 = value,
            None => pairs.push((key, value)),
        }
        Ok(())
    }

    /// Where a dict has a key.
    fn position(
        &mut self,
        pairs: &[(Value<'a>, Value<'a>)],
        key: Value<'a>,
    ) -> Outcome<Option<usize>> {
        self.charge(1 + pairs.len() / 8)?;
        if let Some(name) = key.as_text() {
            return Ok(pairs.iter().position(|pair| pair.0.as_text() == Some(name)));
        }
        for (at, pair) in pairs.iter().enumerate() {
            if self.equal(pair.0, key)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The member of a dict with any key.
    pub(crate) fn lookup(
        &mut self,
        members: Members<'a>,
        key: Value<'a>,
    ) -> Outcome<Option<Value<'a>>> {
        match (members, key.as_text()) {
            (_, Some(name)) => self.member(members, name),
            (Members::Json(_), None) => Ok(None),
            (Members::Values(pairs), None) => {
                let at = self.position(pairs, key)?;
                Ok(at.map(|at| pairs[at].1))
            }
        }
    }

    /// A dict's keys are what cannot change.
    pub(crate) fn check_hashable(&mut self, key: Value<'a>) -> Outcome<()> {
        match key {
            Value::List(_) | Value::Dict(_) => failed(format!("unhashable type: '{}'", key.kind())),
            Value::View(_) => failed("unhashable type: 'dict_items'"),
            Value::Tuple(items) => {
                self.enter()?;
                for item in items {
                    self.charge(1)?;
                    self.check_hashable(*item)?;
                }
                self.leave();
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

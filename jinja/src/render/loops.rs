//! Loops, and what the variable `loop` knows.

use std::cell::Cell;

use crate::ast::{For, Target};
use crate::error::{Outcome, failed};
use crate::value::{Items, Loop, Members, Part, Source, Undefined, Value};

use super::statement::Flow;
use super::{Args, Frame, Renderer};

impl<'a> Renderer<'a> {
    pub(super) fn for_loop(&mut self, definition: &'a For, frame: &'a Frame<'a>) -> Outcome<Flow> {
        let items = self.eval(&definition.items, frame)?;
        self.go_through(definition, items, 0, frame)
    }

    fn go_through(
        &mut self,
        definition: &'a For,
        items: Value<'a>,
        depth: usize,
        around: &'a Frame<'a>,
    ) -> Outcome<Flow> {
        let source = self.source(items)?;
        let turns = self.memory.made(Loop {
            definition,
            frame: around,
            depth,
            source,
            taken: Cell::new(0),
            index: Cell::new(0),
            before: Cell::new(None),
            current: Cell::new(None),
            ahead: Cell::new(&[]),
            changed: Cell::new(None),
        })?;
        let body = &definition.body;
        let frame = match definition.is_recursive {
            true => self.frame(body.id, Some(around))?,
            false => around,
        };
        while self.next_turn(turns, frame)? {
            turns.index.set(turns.index.get() + 1);
            self.charge(1)?;
            self.store(definition.state, frame, Value::Loop(turns));
            if self.scope(body, frame)? == Flow::Break {
                break;
            }
        }
        match &definition.otherwise {
            Some(otherwise) if turns.index.get() == 0 => self.scope(otherwise, around),
            _ => Ok(Flow::Next),
        }
    }

    /// Gives the loop's variables the next item; false at the end.
    fn next_turn(&mut self, turns: &'a Loop<'a>, frame: &'a Frame<'a>) -> Outcome<bool> {
        let target = &turns.definition.target;
        if turns.definition.test.is_some() {
            let item = self.next_passing(turns)?;
            turns.before.set(turns.current.replace(item));
            let Some(item) = item else {
                return Ok(false);
            };
            self.assign(target, item, frame)?;
            return Ok(true);
        }
        let at = turns.index.get();
        if at == turns.source.len() {
            return Ok(false);
        }
        match (turns.source, target) {
            // Without a tuple in between.
            (Source::Pairs(pairs), Target::Several(targets)) if targets.len() == 2 => {
                let (first, second) = pairs[at];
                self.assign(&targets[0], first, frame)?;
                self.assign(&targets[1], second, frame)?;
            }
            (source, target) => {
                let item = self.item_of(source, at)?;
                self.assign(target, item, frame)?;
            }
        }
        Ok(true)
    }

    /// The next item that passes the loop's test.
    fn next_passing(&mut self, turns: &'a Loop<'a>) -> Outcome<Option<Value<'a>>> {
        if let Some((first, rest)) = turns.ahead.get().split_first() {
            turns.ahead.set(rest);
            return Ok(Some(*first));
        }
        self.search(turns)
    }

    fn search(&mut self, turns: &'a Loop<'a>) -> Outcome<Option<Value<'a>>> {
        let Some(test) = &turns.definition.test else {
            return Ok(None);
        };
        while turns.taken.get() < turns.source.len() {
            self.charge(1)?;
            let item = self.item_of(turns.source, turns.taken.get())?;
            turns.taken.set(turns.taken.get() + 1);
            self.begin(test.scope, turns.frame);
            self.assign(&test.target, item, turns.frame)?;
            if self.eval(&test.condition, turns.frame)?.is_true() {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }

    /// The item of the next turn.
    fn peek(&mut self, turns: &'a Loop<'a>) -> Outcome<Option<Value<'a>>> {
        let at = turns.index.get();
        if turns.definition.test.is_none() {
            return match at < turns.source.len() {
                true => self.item_of(turns.source, at).map(Some),
                false => Ok(None),
            };
        }
        if turns.ahead.get().is_empty()
            && let Some(item) = self.search(turns)?
        {
            turns.ahead.set(self.memory.slice(&[item])?);
        }
        Ok(turns.ahead.get().first().copied())
    }

    pub(crate) fn loop_length(&mut self, turns: &'a Loop<'a>) -> Outcome<usize> {
        if turns.definition.test.is_none() {
            return Ok(turns.source.len());
        }
        if turns.taken.get() < turns.source.len() {
            let mut ahead = turns.ahead.get().to_vec();
            while let Some(item) = self.search(turns)? {
                ahead.push(item);
            }
            turns.ahead.set(self.memory.slice(&ahead)?);
        }
        Ok(turns.index.get() + turns.ahead.get().len())
    }

    /// A member of the variable `loop`.
    pub(super) fn loop_member(
        &mut self,
        turns: &'a Loop<'a>,
        name: &str,
    ) -> Outcome<Option<Value<'a>>> {
        let index = turns.index.get();
        let number = |number: usize| Some(Value::Int(number as i128));
        Ok(match name {
            "index" => number(index),
            "index0" => number(index.saturating_sub(1)),
            "first" => Some(Value::Bool(index == 1)),
            "last" if turns.definition.test.is_none() => {
                Some(Value::Bool(index == turns.source.len()))
            }
            "last" => Some(Value::Bool(self.peek(turns)?.is_none())),
            "length" => number(self.loop_length(turns)?),
            "revindex" => number(self.loop_length(turns)? + 1 - index),
            "revindex0" => number(self.loop_length(turns)? - index),
            "depth" => number(turns.depth + 1),
            "depth0" => number(turns.depth),
            "previtem" => Some(match (index, turns.definition.test.is_none()) {
                (0 | 1, _) => Value::Undefined(Undefined::Because("there is no previous item")),
                (_, true) => self.item_of(turns.source, index - 2)?,
                (_, false) => turns.before.get().unwrap_or(Value::None),
            }),
            "nextitem" => Some(match self.peek(turns)? {
                Some(item) => item,
                None => Value::Undefined(Undefined::Because("there is no next item")),
            }),
            _ => None,
        })
    }

    /// Calls a loop with what is one level further down.
    pub(super) fn recurse(&mut self, turns: &'a Loop<'a>, args: Args<'a>) -> Outcome<()> {
        if !turns.definition.is_recursive {
            return failed("the loop must have the 'recursive' marker to be called recursively");
        }
        let [items] = args.all("loop", ["iterable"])?;
        self.enter()?;
        self.go_through(turns.definition, items, turns.depth + 1, turns.frame)?;
        self.leave();
        Ok(())
    }

    /// Whether `loop.changed` was called with other values before.
    pub(crate) fn has_changed(&mut self, turns: &'a Loop<'a>, args: Args<'a>) -> Outcome<bool> {
        let is_same = match turns.changed.get() {
            Some(before) => self.equal(Value::Tuple(before), Value::Tuple(args.positional))?,
            None => false,
        };
        turns.changed.set(Some(args.positional));
        Ok(!is_same)
    }

    /// What can be gone through in `value`.
    pub(crate) fn source(&mut self, value: Value<'a>) -> Outcome<Source<'a>> {
        let items = match value {
            Value::List(items) => items,
            Value::Tuple(items) => Items::Values(items),
            Value::Undefined(_) => Items::Values(&[]),
            Value::Str(text) | Value::Markup(text) => Items::Values(self.characters(value, text)?),
            Value::Dict(members) => Items::Values(self.keys(members)?),
            Value::View(view) => match view.part {
                Part::Items => return Ok(Source::Pairs(view.members)),
                Part::Keys => self.column(view.members, |pair| pair.0)?,
                Part::Values => self.column(view.members, |pair| pair.1)?,
            },
            Value::Range(range) => return Ok(Source::Range(*range)),
            Value::Generator(generator) => Items::Values(generator.rest()),
            other => return failed(format!("'{}' object is not iterable", other.kind())),
        };
        Ok(Source::Items(items))
    }

    /// One item after the other, each of which costs a step.
    pub(crate) fn items(&mut self, value: Value<'a>) -> Outcome<Items<'a>> {
        let source = self.source(value)?;
        self.charge(source.len())?;
        match source {
            Source::Items(items) => Ok(items),
            other => {
                let mut items = Vec::with_capacity(other.len());
                for at in 0..other.len() {
                    items.push(self.item_of(other, at)?);
                }
                Ok(Items::Values(self.memory.slice(&items)?))
            }
        }
    }

    pub(crate) fn item_of(&self, source: Source<'a>, at: usize) -> Outcome<Value<'a>> {
        Ok(match source {
            Source::Items(items) => items.get(at).unwrap_or(Value::None),
            Source::Range(range) => Value::Int(range.get(at)),
            Source::Pairs(pairs) => self.tuple(&[pairs[at].0, pairs[at].1])?,
        })
    }

    fn characters(&mut self, like: Value<'a>, text: &'a str) -> Outcome<&'a [Value<'a>]> {
        let length = crate::text::length(text);
        self.charge(length / 8)?;
        let mut rest = text;
        self.memory.filled(length, |_| {
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let (character, after) = rest.split_at(first);
            rest = after;
            like.like(character)
        })
    }

    fn keys(&mut self, members: Members<'a>) -> Outcome<&'a [Value<'a>]> {
        self.charge(members.len() / 8)?;
        let mut members = members.iter();
        let length = members.len();
        self.memory.filled(length, |_| {
            members.next().map_or(Value::None, |pair| pair.0)
        })
    }

    fn column(
        &mut self,
        pairs: &'a [(Value<'a>, Value<'a>)],
        part: fn(&(Value<'a>, Value<'a>)) -> Value<'a>,
    ) -> Outcome<Items<'a>> {
        self.charge(pairs.len() / 8)?;
        let column = self.memory.filled(pairs.len(), |at| part(&pairs[at]))?;
        Ok(Items::Values(column))
    }

    /// The members of a dict as pairs.
    pub(crate) fn pairs(&mut self, members: Members<'a>) -> Outcome<&'a [(Value<'a>, Value<'a>)]> {
        if let Members::Values(pairs) = members {
            return Ok(pairs);
        }
        self.charge(members.len() / 8)?;
        let mut members = members.iter();
        let length = members.len();
        self.memory.filled(length, |_| {
            members.next().unwrap_or((Value::None, Value::None))
        })
    }
}

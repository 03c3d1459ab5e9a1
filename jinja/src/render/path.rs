//! What is done with a value, one step after the other.

use crate::ast::{Expression, Path, Step};
use crate::error::{Outcome, failed};
use crate::methods::Method;
use crate::range::Cut;
use crate::text;
use crate::value::{Bound, Items, Members, Undefined, Value, in_json};

use super::{Frame, Renderer};

impl<'a> Renderer<'a> {
    pub(super) fn path(&mut self, path: &'a Path, frame: &'a Frame<'a>) -> Outcome<Value<'a>> {
        self.follow_steps(&path.base, &path.steps, frame)
    }

    /// What `steps` make of `base`.
    #[inline]
    pub(super) fn follow_steps(
        &mut self,
        base: &'a Expression,
        steps: &'a [Step],
        frame: &'a Frame<'a>,
    ) -> Outcome<Value<'a>> {
        let Some((last, before)) = steps.split_last() else {
            return self.eval(base, frame);
        };
        let mut value = match base {
            Expression::Name(name) => self.load(*name, frame),
            base => self.eval(base, frame)?,
        };
        for step in before {
            value = self.follow_step(value, step, frame)?;
        }
        self.follow_step(value, last, frame)
    }

    /// What a step makes of a value. Members of an object are found without a detour: they are most
    /// of what templates look at.
    #[inline]
    fn follow_step(
        &mut self,
        value: Value<'a>,
        step: &'a Step,
        frame: &'a Frame<'a>,
    ) -> Outcome<Value<'a>> {
        if let Value::Dict(Members::Json(members)) = value
            && let Step::Attribute(name, None) | Step::Item(Expression::Text(name)) = step
            && let Some(member) = in_json(members, name)
        {
            self.charge(1)?;
            return Ok(member.into());
        }
        self.step(value, step, frame)
    }

    #[inline]
    pub(super) fn step(
        &mut self,
        value: Value<'a>,
        step: &'a Step,
        frame: &'a Frame<'a>,
    ) -> Outcome<Value<'a>> {
        self.charge(1)?;
        match step {
            Step::Attribute(name, method) => self.attribute(value, name, *method),
            Step::Item(item) => {
                let item = self.eval(item, frame)?;
                self.item(value, item)
            }
            Step::Method(method, arguments) => match method.of(value) {
                Some(call) => {
                    let args = self.arguments(arguments, frame)?;
                    call(self, value, args)
                }
                None => {
                    let callee = self.attribute(value, method.name, Some(method))?;
                    let args = self.arguments(arguments, frame)?;
                    self.call(callee, args)
                }
            },
            Step::Call(arguments) => {
                let args = self.arguments(arguments, frame)?;
                self.call(value, args)
            }
            Step::Filter(filter, arguments) => {
                let args = self.arguments(arguments, frame)?;
                (filter.run)(self, value, args)
            }
            Step::Test {
                test,
                arguments,
                is_negated,
            } => {
                let args = self.arguments(arguments, frame)?;
                Ok(Value::Bool((test.run)(self, value, args)? != *is_negated))
            }
            Step::Slice(bounds) => self.slice(value, bounds, frame),
            Step::Unknown(message) => failed(&**message),
        }
    }

    /// `value.name`: a method or another attribute before an item.
    pub(crate) fn attribute(
        &mut self,
        value: Value<'a>,
        name: &'a str,
        method: Option<&'static Method>,
    ) -> Outcome<Value<'a>> {
        if let Some(method) = method
            && let Some(found) = self.bound(value, method)?
        {
            return Ok(found);
        }
        let found = match value {
            Value::Dict(members) => self.member(members, name)?,
            other => self.special(other, name)?,
        };
        Ok(found.unwrap_or(Value::Undefined(Undefined::Attribute(value.kind(), name))))
    }

    /// The method as a value.
    fn bound(
        &mut self,
        receiver: Value<'a>,
        method: &'static Method,
    ) -> Outcome<Option<Value<'a>>> {
        if method.changes(receiver) {
            let (name, kind) = (method.name, receiver.kind());
            let why = format!("access to attribute '{name}' of '{kind}' object is unsafe.");
            let why = self.memory.text(&why)?;
            return Ok(Some(Value::Undefined(Undefined::Because(why))));
        }
        match method.of(receiver) {
            Some(_) => Ok(Some(Value::Bound(
                self.memory.made(Bound { receiver, method })?,
            ))),
            None => Ok(None),
        }
    }

    /// The member of a dict that has a text for a key.
    #[inline]
    pub(crate) fn member(
        &mut self,
        members: Members<'a>,
        name: &str,
    ) -> Outcome<Option<Value<'a>>> {
        if let Members::Values(members) = members {
            self.charge(members.len() / 16)?;
        }
        Ok(members.get(name))
    }

    /// What values have that are neither methods nor items.
    fn special(&mut self, value: Value<'a>, name: &'a str) -> Outcome<Option<Value<'a>>> {
        match value {
            Value::Undefined(undefined) => failed(undefined.to_string()),
            Value::Loop(turns) => self.loop_member(turns, name),
            Value::Namespace(namespace) => {
                self.charge(namespace.members.get().len() / 16)?;
                Ok(namespace.find(name).map(|member| member.get()))
            }
            Value::Macro(closure) => self.macro_member(closure, name),
            // What `groupby` gives has names for its two parts.
            Value::Tuple([group, _]) if name == "grouper" => Ok(Some(*group)),
            Value::Tuple([_, items]) if name == "list" => Ok(Some(*items)),
            Value::Cycler(cycler) if name == "current" => {
                Ok(cycler.items.get(cycler.at.get()).copied())
            }
            Value::Range(range) => Ok(match name {
                "start" => Some(Value::Int(range.start)),
                "step" => Some(Value::Int(range.step)),
                "stop" => Some(Value::Int(range.stop)),
                _ => None,
            }),
            Value::Int(_) | Value::Bool(_) => Ok(match name {
                "real" | "numerator" => value.as_integer().map(Value::Int),
                "imag" => Some(Value::Int(0)),
                "denominator" => Some(Value::Int(1)),
                _ => None,
            }),
            Value::Float(_) => Ok(match name {
                "real" => Some(value),
                "imag" => Some(Value::Float(0.0)),
                _ => None,
            }),
            _ => Ok(None),
        }
    }

    /// `value[key]`: an item before an attribute.
    pub(crate) fn item(&mut self, value: Value<'a>, key: Value<'a>) -> Outcome<Value<'a>> {
        if let Value::Undefined(undefined) = value {
            return failed(undefined.to_string());
        }
        let found = match (value, key) {
            (Value::Dict(members), Value::Str(name)) => self.member(members, name)?,
            (Value::Dict(members), key) => self.lookup(members, key)?,
            (value, key) => match key.as_integer() {
                Some(index) => self.element(value, index)?,
                None => None,
            },
        };
        if let Some(found) = found {
            return Ok(found);
        }
        match key.as_text() {
            Some(name) => {
                if let Some(method) = crate::methods::find(name)
                    && let Some(found) = self.bound(value, method)?
                {
                    return Ok(found);
                }
                let found = match value {
                    Value::Dict(_) => None,
                    other => self.special(other, name)?,
                };
                Ok(found.unwrap_or(Value::Undefined(Undefined::Attribute(value.kind(), name))))
            }
            None => {
                let written = self.text(|it| it.write_repr(key))?;
                Ok(Value::Undefined(Undefined::Element(value.kind(), written)))
            }
        }
    }

    fn element(&mut self, value: Value<'a>, index: i128) -> Outcome<Option<Value<'a>>> {
        let within = |length: usize| {
            let index = match index < 0 {
                true => index + length as i128,
                false => index,
            };
            usize::try_from(index).ok().filter(|at| *at < length)
        };
        Ok(match value {
            Value::List(items) => within(items.len()).and_then(|at| items.get(at)),
            Value::Tuple(items) => within(items.len()).map(|at| items[at]),
            Value::Str(whole) | Value::Markup(whole) => {
                self.charge(whole.len() / 64)?;
                text::character(whole, index).map(|it| value.like(it))
            }
            Value::Range(range) => within(range.length).map(|at| Value::Int(range.get(at))),
            _ => None,
        })
    }

    fn slice(
        &mut self,
        value: Value<'a>,
        bounds: &'a [Option<Expression>; 3],
        frame: &'a Frame<'a>,
    ) -> Outcome<Value<'a>> {
        let mut numbers = [None; 3];
        for (number, bound) in numbers.iter_mut().zip(bounds) {
            let bound = match bound {
                Some(bound) => self.eval(bound, frame)?,
                None => Value::None,
            };
            *number = match bound {
                Value::None => None,
                other => match other.as_integer() {
                    Some(number) => Some(number),
                    None => return failed("slice indices must be integers or None"),
                },
            };
        }
        let length = match value {
            Value::Undefined(undefined) => return failed(undefined.to_string()),
            Value::Str(whole) | Value::Markup(whole) => {
                self.charge(whole.len() / 64)?;
                text::length(whole)
            }
            Value::Range(range) => range.length,
            Value::Dict(_) => return failed("unhashable type: 'slice'"),
            other => match other.as_items() {
                Some(items) => items.len(),
                None => {
                    return failed(format!("'{}' object is not subscriptable", other.kind()));
                }
            },
        };
        let cut = Cut::new(numbers, length)?;
        self.cut(value, &cut)
    }

    fn cut(&mut self, value: Value<'a>, cut: &Cut) -> Outcome<Value<'a>> {
        match value {
            Value::Str(whole) | Value::Markup(whole) if cut.step == 1 => {
                let range = cut.start as usize..cut.start as usize + cut.length;
                Ok(value.like(text::between(whole, range)))
            }
            Value::Str(whole) | Value::Markup(whole) => {
                self.charge(cut.length)?;
                let characters: Vec<char> = whole.chars().collect();
                let text: String = cut.indices().map(|at| characters[at]).collect();
                Ok(value.like(self.memory.text(&text)?))
            }
            Value::Range(range) => Ok(Value::Range(self.memory.made(range.cut(cut))?)),
            Value::List(Items::Json(items)) if cut.step == 1 => {
                let from = cut.start as usize;
                Ok(Value::List(Items::Json(&items[from..from + cut.length])))
            }
            other => {
                let items = other.as_items().unwrap_or(Items::Values(&[]));
                self.charge(cut.length)?;
                let mut indices = cut.indices();
                let cut = self.memory.filled(cut.length, |_| {
                    let at = indices.next().and_then(|at| items.get(at));
                    at.unwrap_or(Value::None)
                })?;
                Ok(match other {
                    Value::Tuple(_) => Value::Tuple(cut),
                    _ => Value::List(Items::Values(cut)),
                })
            }
        }
    }
}

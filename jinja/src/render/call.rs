//! Calls, and what they are made with.

use crate::ast::{Arguments, Path, Step};
use crate::error::{Outcome, failed};
use crate::value::Value;

use super::{Frame, Renderer};

/// What something is called with.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a> {
    pub(crate) positional: &'a [Value<'a>],
    pub(crate) keywords: &'a [(&'a str, Value<'a>)],
}

impl<'a> Args<'a> {
    pub(crate) const NONE: Self = Self {
        positional: &[],
        keywords: &[],
    };

    /// The arguments under the `names` that `function` has for them.
    pub(crate) fn bind<const N: usize>(
        self,
        function: &str,
        names: [&str; N],
    ) -> Outcome<[Option<Value<'a>>; N]> {
        let mut bound = [None; N];
        if self.positional.len() > N {
            let got = self.positional.len();
            return failed(format!(
                "{function}() takes at most {N} arguments ({got} given)"
            ));
        }
        for (place, value) in bound.iter_mut().zip(self.positional) {
            *place = Some(*value);
        }
        for (name, value) in self.keywords {
            match names.iter().position(|known| known == name) {
                Some(at) if bound[at].is_none() => bound[at] = Some(*value),
                Some(_) => {
                    return failed(format!(
                        "{function}() got multiple values for argument '{name}'"
                    ));
                }
                None => {
                    return failed(format!(
                        "{function}() got an unexpected keyword argument '{name}'"
                    ));
                }
            }
        }
        Ok(bound)
    }

    /// The same, where none may be missing.
    pub(crate) fn all<const N: usize>(
        self,
        function: &str,
        names: [&str; N],
    ) -> Outcome<[Value<'a>; N]> {
        let bound = self.bind(function, names)?;
        let mut all = [Value::None; N];
        for ((place, value), name) in all.iter_mut().zip(bound).zip(names) {
            match value {
                Some(value) => *place = value,
                None => {
                    return failed(format!("{function}() missing required argument: '{name}'"));
                }
            }
        }
        Ok(all)
    }

    /// Nothing where there are no arguments, else an error.
    pub(crate) fn none(self, function: &str) -> Outcome<()> {
        self.bind(function, []).map(|[]| ())
    }
}

impl<'a> Renderer<'a> {
    #[inline]
    pub(super) fn arguments(
        &mut self,
        arguments: &'a Arguments,
        frame: &'a Frame<'a>,
    ) -> Outcome<Args<'a>> {
        if arguments.is_empty() {
            return Ok(Args::NONE);
        }
        self.some_arguments(arguments, frame)
    }

    fn some_arguments(
        &mut self,
        arguments: &'a Arguments,
        frame: &'a Frame<'a>,
    ) -> Outcome<Args<'a>> {
        let mut args = Args {
            positional: self.each(&arguments.positional, frame)?,
            keywords: &[],
        };
        if !arguments.keywords.is_empty() {
            let mut keywords = Vec::with_capacity(arguments.keywords.len());
            for (name, value) in &arguments.keywords {
                keywords.push((&**name, self.eval(value, frame)?));
            }
            args.keywords = self.memory.slice(&keywords)?;
        }
        if let Some(list) = &arguments.list {
            let list = self.eval(list, frame)?;
            let list = self.items(list)?;
            let all: Vec<Value> = args.positional.iter().copied().chain(list.iter()).collect();
            args.positional = self.memory.slice(&all)?;
        }
        if let Some(dict) = &arguments.dict {
            let Value::Dict(members) = self.eval(dict, frame)? else {
                return failed("argument after ** must be a mapping");
            };
            let mut keywords = args.keywords.to_vec();
            for (key, value) in members.iter() {
                self.charge(1 + keywords.len() / 16)?;
                let Some(name) = key.as_text() else {
                    return failed("keywords must be strings");
                };
                if keywords.iter().any(|(known, _)| *known == name) {
                    return failed(format!("got multiple values for keyword argument '{name}'"));
                }
                keywords.push((name, value));
            }
            args.keywords = self.memory.slice(&keywords)?;
        }
        Ok(args)
    }

    pub(crate) fn call(&mut self, callee: Value<'a>, args: Args<'a>) -> Outcome<Value<'a>> {
        match callee {
            Value::Macro(_) | Value::Loop(_) => {
                let text = self.text(|it| it.print_called(callee, args))?;
                Ok(Value::Str(text))
            }
            Value::Bound(bound) => match bound.method.of(bound.receiver) {
                Some(call) => call(self, bound.receiver, args),
                None => failed("a method has lost its value"),
            },
            Value::Function(function) => self.function(function, args),
            Value::Joiner(joiner) => {
                args.none("joiner")?;
                match joiner.is_used.replace(true) {
                    true => Ok(joiner.separator),
                    false => Ok(Value::Str("")),
                }
            }
            Value::Undefined(undefined) => failed(undefined.to_string()),
            other => failed(format!("'{}' object is not callable", other.kind())),
        }
    }

    /// Calls what prints, into what is printed.
    pub(super) fn print_called(&mut self, callee: Value<'a>, args: Args<'a>) -> Outcome<()> {
        match callee {
            Value::Macro(closure) => self.print_macro(closure, args),
            Value::Loop(turns) => self.recurse(turns, args),
            other => {
                let value = self.call(other, args)?;
                self.write_text(value)
            }
        }
    }

    /// A call that a block follows: the block is its argument `caller`.
    pub(super) fn print_call(
        &mut self,
        path: &'a Path,
        caller: Value<'a>,
        frame: &'a Frame<'a>,
    ) -> Outcome<()> {
        let Some((last, steps)) = path.steps.split_last() else {
            return Ok(());
        };
        let mut callee = self.eval(&path.base, frame)?;
        for step in steps {
            callee = self.step(callee, step, frame)?;
        }
        let arguments = match last {
            Step::Call(arguments) => arguments,
            Step::Method(method, arguments) => {
                callee = self.attribute(callee, method.name, Some(method))?;
                arguments
            }
            _ => return Ok(()),
        };
        let mut args = self.arguments(arguments, frame)?;
        let mut keywords = args.keywords.to_vec();
        keywords.push(("caller", caller));
        args.keywords = self.memory.slice(&keywords)?;
        self.print_called(callee, args)
    }
}

//! Macros, and the blocks that calls are followed by.

use crate::error::{Outcome, failed};
use crate::value::{Closure, Members, Undefined, Value};

use super::{Args, Frame, Renderer};

impl<'a> Renderer<'a> {
    pub(super) fn print_macro(&mut self, closure: &'a Closure<'a>, args: Args<'a>) -> Outcome<()> {
        let definition = closure.definition;
        let frame = self.frame(definition.body.id, Some(closure.frame))?;
        self.begin(definition.body.id, frame);
        let mut missing = Vec::new();
        for (at, parameter) in definition.parameters.iter().enumerate() {
            let named = || {
                args.keywords
                    .iter()
                    .find(|(name, _)| **name == *parameter.name)
            };
            let value = args
                .positional
                .get(at)
                .or_else(|| named().map(|(_, value)| value));
            match value {
                Some(value) => self.store(parameter.variable, frame, *value),
                None => missing.push(parameter),
            }
        }
        self.implicit(closure, args, frame)?;
        for parameter in missing {
            let value = match &parameter.default {
                Some(default) => self.eval(default, frame)?,
                None => {
                    let why = format!("parameter '{}' was not provided", parameter.name);
                    Value::Undefined(Undefined::Because(self.memory.text(&why)?))
                }
            };
            self.store(parameter.variable, frame, value);
        }
        self.run(&definition.body.body, frame)?;
        Ok(())
    }

    /// Gives a macro the arguments that no parameter has a name for: as `caller`, `varargs` and
    /// `kwargs`, where it looks at them.
    fn implicit(
        &mut self,
        closure: &'a Closure<'a>,
        args: Args<'a>,
        frame: &'a Frame<'a>,
    ) -> Outcome<()> {
        let definition = closure.definition;
        let parameters = &definition.parameters;
        let wants = |it: &Self, variable| {
            it.scopes.is_used(variable) && parameters.iter().all(|known| known.variable != variable)
        };
        let by_name = &parameters[args.positional.len().min(parameters.len())..];
        let mut left: Vec<_> = args.keywords.to_vec();
        left.retain(|(name, _)| by_name.iter().all(|parameter| *parameter.name != **name));
        if wants(self, definition.caller) {
            let caller = left.iter().position(|(name, _)| *name == "caller");
            let caller = match caller.map(|at| left.remove(at).1) {
                None | Some(Value::None) => {
                    Value::Undefined(Undefined::Because("No caller defined"))
                }
                Some(caller) => caller,
            };
            self.store(definition.caller, frame, caller);
        }
        let name = definition.name.as_deref().unwrap_or("caller");
        if wants(self, definition.kwargs) {
            let left = self
                .memory
                .filled(left.len(), |at| (Value::Str(left[at].0), left[at].1))?;
            let left = Value::Dict(Members::Values(left));
            self.store(definition.kwargs, frame, left);
        } else if let Some((unknown, _)) = left.first() {
            return failed(format!(
                "macro '{name}' takes no keyword argument '{unknown}'"
            ));
        }
        let more = args.positional.get(parameters.len()..).unwrap_or_default();
        if wants(self, definition.varargs) {
            self.store(definition.varargs, frame, Value::Tuple(more));
        } else if !more.is_empty() {
            let count = parameters.len();
            return failed(format!(
                "macro '{name}' takes not more than {count} argument(s)"
            ));
        }
        Ok(())
    }

    /// What a macro tells of itself.
    pub(super) fn macro_member(
        &mut self,
        closure: &'a Closure<'a>,
        name: &str,
    ) -> Outcome<Option<Value<'a>>> {
        let definition = closure.definition;
        let wants = |variable| {
            let mut parameters = definition.parameters.iter();
            self.scopes.is_used(variable) && parameters.all(|known| known.variable != variable)
        };
        Ok(Some(match name {
            "name" => definition.name.as_deref().map_or(Value::None, Value::Str),
            "arguments" => {
                let parameters = &definition.parameters;
                let name = |at: usize| Value::Str(&parameters[at].name);
                Value::Tuple(self.memory.filled(parameters.len(), name)?)
            }
            "caller" => Value::Bool(self.scopes.is_used(definition.caller)),
            "catch_kwargs" => Value::Bool(wants(definition.kwargs)),
            "catch_varargs" => Value::Bool(wants(definition.varargs)),
            _ => return Ok(None),
        }))
    }
}

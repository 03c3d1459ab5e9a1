//! What expressions come to, and how they are printed.

use crate::ast::{Chain, Choice, Comparison, Expression, Operator, Path, Sign, Step};
use crate::error::{Outcome, failed};
use crate::filters::WRITTEN;
use crate::value::{Items, Members, Undefined, Value};

use super::{Frame, Renderer};

/// What operators of one precedence come to.
enum Sum<'a> {
    Value(Value<'a>),
    /// The text that was made since this mark.
    Made(usize),
}

impl<'a> Renderer<'a> {
    #[inline]
    pub(crate) fn eval(
        &mut self,
        expression: &'a Expression,
        frame: &'a Frame<'a>,
    ) -> Outcome<Value<'a>> {
        self.charge(1)?;
        // Each result is made where it is wanted, and not copied there.
        match expression {
            Expression::Name(name) => Ok(self.load(*name, frame)),
            Expression::Text(text) => Ok(Value::Str(text)),
            Expression::Int(number) => Ok(Value::Int((*number).into())),
            Expression::Bool(flag) => Ok(Value::Bool(*flag)),
            Expression::None => Ok(Value::None),
            Expression::Float(number) => Ok(Value::Float(*number)),
            compound => {
                self.enter()?;
                let value = self.compound(compound, frame);
                self.leave();
                value
            }
        }
    }

    fn compound(&mut self, expression: &'a Expression, frame: &'a Frame<'a>) -> Outcome<Value<'a>> {
        match expression {
            Expression::Path(path) => self.path(path, frame),
            Expression::Compare(chain) => self.compare(chain, frame),
            Expression::And(all) => self.decided(all, false, frame),
            Expression::Or(all) => self.decided(all, true, frame),
            Expression::Not(value) => Ok(Value::Bool(!self.eval(value, frame)?.is_true())),
            Expression::Arithmetic(chain) => match self.sum(chain, frame)? {
                Sum::Value(value) => Ok(value),
                Sum::Made(mark) => Ok(Value::Str(self.taken(mark)?)),
            },
            Expression::Concat(all) => {
                let mark = self.mark();
                for part in all {
                    self.print(part, frame)?;
                }
                Ok(Value::Str(self.taken(mark)?))
            }
            Expression::Choice(choice) => self.choice(choice, frame),
            Expression::List(items) => Ok(Value::List(Items::Values(self.each(items, frame)?))),
            Expression::Tuple(items) => Ok(Value::Tuple(self.each(items, frame)?)),
            Expression::Dict(members) => self.dict(members, frame),
            Expression::Signed(signed) => self.signed(&signed.0, &signed.1, frame),
            _ => Ok(Value::None),
        }
    }

    /// Prints an expression, without making a value of a text that is put together.
    pub(super) fn print(
        &mut self,
        expression: &'a Expression,
        frame: &'a Frame<'a>,
    ) -> Outcome<()> {
        match expression {
            Expression::Text(text) => self.push(text),
            Expression::Concat(all) => {
                self.enter()?;
                for part in all {
                    self.charge(1)?;
                    self.print(part, frame)?;
                }
                self.leave();
                Ok(())
            }
            Expression::Arithmetic(chain) => {
                self.enter()?;
                if let Sum::Value(value) = self.sum(chain, frame)? {
                    self.write_text(value)?;
                }
                self.leave();
                Ok(())
            }
            Expression::Path(path) => {
                self.enter()?;
                self.print_path(path, frame)?;
                self.leave();
                Ok(())
            }
            other => {
                let value = self.eval(other, frame)?;
                self.write_text(value)
            }
        }
    }

    fn print_path(&mut self, path: &'a Path, frame: &'a Frame<'a>) -> Outcome<()> {
        self.charge(1)?;
        let Some((last, steps)) = path.steps.split_last() else {
            return self.print(&path.base, frame);
        };
        let value = self.follow_steps(&path.base, steps, frame)?;
        match last {
            Step::Filter(filter, arguments) if filter.name == WRITTEN => {
                let args = self.arguments(arguments, frame)?;
                self.write_json_as_asked(value, args)
            }
            Step::Call(arguments) if matches!(value, Value::Macro(_) | Value::Loop(_)) => {
                let args = self.arguments(arguments, frame)?;
                self.print_called(value, args)
            }
            step => {
                let value = self.step(value, step, frame)?;
                self.write_text(value)
            }
        }
    }

    fn sum(&mut self, chain: &'a Chain<Operator>, frame: &'a Frame<'a>) -> Outcome<Sum<'a>> {
        let mut left = Sum::Value(self.eval(&chain.first, frame)?);
        for (operator, right) in &chain.others {
            let right = self.eval(right, frame)?;
            left = match (left, operator, right) {
                (Sum::Value(Value::Str(left)), Operator::Add, Value::Str(right)) => {
                    let mark = self.mark();
                    self.push(left)?;
                    self.push(right)?;
                    Sum::Made(mark)
                }
                (Sum::Made(mark), Operator::Add, Value::Str(right)) => {
                    self.push(right)?;
                    Sum::Made(mark)
                }
                (Sum::Made(mark), operator, right) => {
                    let left = Value::Str(self.taken(mark)?);
                    Sum::Value(self.operate(*operator, left, right)?)
                }
                (Sum::Value(left), operator, right) => {
                    Sum::Value(self.operate(*operator, left, right)?)
                }
            };
        }
        Ok(left)
    }

    /// The first value that decides, or the last one.
    fn decided(
        &mut self,
        all: &'a [Expression],
        deciding: bool,
        frame: &'a Frame<'a>,
    ) -> Outcome<Value<'a>> {
        let mut value = Value::None;
        for expression in all {
            value = self.eval(expression, frame)?;
            if value.is_true() == deciding {
                break;
            }
        }
        Ok(value)
    }

    fn compare(
        &mut self,
        chain: &'a Chain<Comparison>,
        frame: &'a Frame<'a>,
    ) -> Outcome<Value<'a>> {
        let mut left = self.eval(&chain.first, frame)?;
        for (comparison, right) in &chain.others {
            let right = self.eval(right, frame)?;
            if !self.compared(*comparison, left, right)? {
                return Ok(Value::Bool(false));
            }
            left = right;
        }
        Ok(Value::Bool(true))
    }

    fn choice(&mut self, choice: &'a Choice, frame: &'a Frame<'a>) -> Outcome<Value<'a>> {
        for (condition, value) in &choice.branches {
            if self.eval(condition, frame)?.is_true() {
                return self.eval(value, frame);
            }
        }
        match &choice.otherwise {
            Some(value) => self.eval(value, frame),
            None => {
                let why = format!(
                    "the inline if-expression on line {} evaluated to false and no else \
                     section was defined.",
                    choice.line
                );
                Ok(Value::Undefined(Undefined::Because(
                    self.memory.text(&why)?,
                )))
            }
        }
    }

    pub(super) fn each(
        &mut self,
        items: &'a [Expression],
        frame: &'a Frame<'a>,
    ) -> Outcome<&'a [Value<'a>]> {
        if let [only] = items {
            let value = self.eval(only, frame)?;
            return self.memory.slice(&[value]);
        }
        /// Up to how many are put together without a list of their own.
        const FEW: usize = 4;
        if items.len() <= FEW {
            let mut values = [Value::None; FEW];
            for (value, item) in values.iter_mut().zip(items) {
                *value = self.eval(item, frame)?;
            }
            return self.memory.slice(&values[..items.len()]);
        }
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push(self.eval(item, frame)?);
        }
        self.memory.slice(&values)
    }

    fn dict(
        &mut self,
        members: &'a [(Expression, Expression)],
        frame: &'a Frame<'a>,
    ) -> Outcome<Value<'a>> {
        let mut made = Vec::with_capacity(members.len());
        for (key, value) in members {
            let pair = (self.eval(key, frame)?, self.eval(value, frame)?);
            self.insert(&mut made, pair)?;
        }
        Ok(Value::Dict(Members::Values(self.memory.slice(&made)?)))
    }

    fn signed(
        &mut self,
        signs: &'a [Sign],
        value: &'a Expression,
        frame: &'a Frame<'a>,
    ) -> Outcome<Value<'a>> {
        let mut value = self.eval(value, frame)?;
        for sign in signs.iter().rev() {
            self.charge(1)?;
            value = match (sign, value) {
                (_, Value::Undefined(undefined)) => return failed(undefined.to_string()),
                (Sign::Minus, Value::Float(number)) => Value::Float(-number),
                (Sign::Plus, Value::Float(number)) => Value::Float(number),
                (sign, other) => match other.as_integer() {
                    Some(number) => Value::Int(match sign {
                        Sign::Minus => -number,
                        Sign::Plus => number,
                    }),
                    None => {
                        let sign = if *sign == Sign::Minus { '-' } else { '+' };
                        let kind = other.kind();
                        return failed(format!("bad operand type for unary {sign}: '{kind}'"));
                    }
                },
            };
        }
        Ok(value)
    }
}

//! What follows a value: members, calls, filters and tests.

use crate::ast::{Arguments, Expression, Step};
use crate::error::Outcome;
use crate::lexer::Token;
use crate::{filters, methods, tests};

use super::expression::Conditions;
use super::{Parser, Unknown};

/// How many arguments with names one call may have.
const KEYWORDS_MAX: usize = 255;

impl<'s> Parser<'s> {
    /// `.name`, `[item]` and `(…)`.
    pub(super) fn members(&mut self, steps: &mut Vec<Step>) -> Outcome<()> {
        loop {
            if self.skip_operator(".") {
                steps.push(self.attribute()?);
            } else if self.is_operator("[") {
                steps.push(self.item()?);
            } else if self.is_operator("(") {
                self.call(steps)?;
            } else {
                return Ok(());
            }
        }
    }

    /// `|filter`, `is test` and `(…)`.
    pub(super) fn filters(&mut self, steps: &mut Vec<Step>) -> Outcome<()> {
        loop {
            if self.skip_operator("|") {
                steps.push(self.filter()?);
            } else if self.skip_word("is") {
                steps.push(self.test()?);
            } else if self.is_operator("(") {
                self.call(steps)?;
            } else {
                return Ok(());
            }
        }
    }

    fn call(&mut self, steps: &mut Vec<Step>) -> Outcome<()> {
        let arguments = self.arguments()?;
        let step = match steps.pop() {
            Some(Step::Attribute(_, Some(method))) => Step::Method(method, arguments),
            before => {
                steps.extend(before);
                Step::Call(arguments)
            }
        };
        steps.push(step);
        Ok(())
    }

    fn attribute(&mut self) -> Outcome<Step> {
        match *self.token() {
            Token::Name(name) => {
                self.next();
                Ok(Step::Attribute(name.into(), methods::find(name)))
            }
            Token::Int(index) => {
                self.next();
                Ok(Step::Item(Expression::Int(index)))
            }
            _ => self.unexpected("a name or a number"),
        }
    }

    fn item(&mut self) -> Outcome<Step> {
        self.expect_operator("[")?;
        let mut items = Vec::new();
        loop {
            items.push(self.subscript()?);
            if !self.skip_operator(",") {
                break;
            }
        }
        self.expect_operator("]")?;
        match items.pop() {
            Some(only) if items.is_empty() => Ok(only),
            last => {
                items.extend(last);
                let mut values = Vec::new();
                for item in items {
                    match item {
                        Step::Item(value) => values.push(value),
                        _ => return self.fail("a slice stands alone"),
                    }
                }
                Ok(Step::Item(Expression::Tuple(values)))
            }
        }
    }

    /// `item` or `start:stop:step`.
    fn subscript(&mut self) -> Outcome<Step> {
        let mut bounds = [None, None, None];
        for at in 0..3 {
            if !matches!(self.token(), Token::Operator(":" | "]" | ",")) {
                bounds[at] = Some(self.expression(Conditions::Allowed)?);
            }
            if self.skip_operator(":") {
                continue;
            }
            return match (at, bounds) {
                (0, [Some(item), ..]) => Ok(Step::Item(item)),
                (0, _) => self.unexpected("an expression"),
                (_, bounds) => Ok(Step::Slice(Box::new(bounds))),
            };
        }
        self.unexpected("']'")
    }

    /// The filter after its `|`.
    pub(super) fn filter(&mut self) -> Outcome<Step> {
        let line = self.line();
        let name = self.dotted_name()?;
        let arguments = match self.is_operator("(") {
            true => self.arguments()?,
            false => Arguments::default(),
        };
        Ok(match filters::find(&name) {
            Some(filter) => Step::Filter(filter, arguments),
            None => self.unknown(line, format!("there is no filter '{name}'")),
        })
    }

    /// The test after its `is`.
    fn test(&mut self) -> Outcome<Step> {
        let line = self.line();
        let is_negated = self.skip_word("not");
        let name = self.dotted_name()?;
        let arguments = if self.is_operator("(") {
            self.arguments()?
        } else if self.begins_argument() {
            if self.is_word("is") {
                return self.fail("tests cannot follow each other");
            }
            let base = self.primary()?;
            let mut steps = Vec::new();
            self.members(&mut steps)?;
            Arguments {
                positional: vec![super::expression::path(base, steps)],
                ..Arguments::default()
            }
        } else {
            Arguments::default()
        };
        Ok(match tests::find(&name) {
            Some(test) => Step::Test {
                test,
                arguments,
                is_negated,
            },
            None => self.unknown(line, format!("there is no test '{name}'")),
        })
    }

    fn begins_argument(&self) -> bool {
        match self.token() {
            Token::Name(name) => !matches!(*name, "else" | "or" | "and"),
            Token::String(_) | Token::Int(_) | Token::Float(_) => true,
            Token::Operator(operator) => matches!(*operator, "[" | "{"),
            _ => false,
        }
    }

    fn unknown(&mut self, line: u32, message: String) -> Step {
        let step = Step::Unknown(message.as_str().into());
        self.unknown.push(Unknown {
            line,
            message,
            scope: self.scopes.current(),
        });
        step
    }

    fn dotted_name(&mut self) -> Outcome<String> {
        let mut name = self.expect_name()?.to_owned();
        while self.skip_operator(".") {
            name.push('.');
            name.push_str(self.expect_name()?);
        }
        Ok(name)
    }

    pub(super) fn arguments(&mut self) -> Outcome<Arguments> {
        self.expect_operator("(")?;
        let mut arguments = Arguments::default();
        let mut is_first = true;
        while !self.skip_operator(")") {
            if !is_first {
                self.expect_operator(",")?;
                if self.skip_operator(")") {
                    break;
                }
            }
            is_first = false;
            self.argument(&mut arguments)?;
        }
        Ok(arguments)
    }

    fn argument(&mut self, into: &mut Arguments) -> Outcome<()> {
        if self.skip_operator("*") {
            if into.list.is_some() || into.dict.is_some() {
                return self.fail("a list of arguments stands before a dict of them");
            }
            into.list = Some(self.expression(Conditions::Allowed)?);
        } else if self.skip_operator("**") {
            if into.dict.is_some() {
                return self.fail("a call has one dict of arguments");
            }
            into.dict = Some(self.expression(Conditions::Allowed)?);
        } else if let (Token::Name(name), Token::Operator("=")) = (self.token(), self.following()) {
            let name: Box<str> = (*name).into();
            if into.dict.is_some() || into.keywords.len() == KEYWORDS_MAX {
                return self.fail("too many arguments, or some after a dict of them");
            }
            if into.keywords.iter().any(|(known, _)| *known == name) {
                return self.fail(format!("the argument '{name}' stands twice"));
            }
            self.next();
            self.next();
            let value = self.expression(Conditions::Allowed)?;
            into.keywords.push((name, value));
        } else {
            if !into.keywords.is_empty() || into.list.is_some() || into.dict.is_some() {
                return self.fail("an argument without a name follows one with a name");
            }
            into.positional.push(self.expression(Conditions::Allowed)?);
        }
        Ok(())
    }
}

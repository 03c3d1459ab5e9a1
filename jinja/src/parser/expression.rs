//! Expressions, weakest operators first.

use crate::ast::{Choice, Comparison, Expression, Operator, Path, Sign};
use crate::error::Outcome;
use crate::lexer::Token;

use super::Parser;

/// Whether an expression may have an `if`, or the word after it has another meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conditions {
    Allowed,
    Absent,
}

impl Parser<'_> {
    /// An expression; several with commas between them are a tuple.
    pub(super) fn tuple(&mut self, conditions: Conditions) -> Outcome<Expression> {
        let (mut items, has_commas) = self.items(conditions)?;
        match (has_commas, items.pop()) {
            (false, Some(item)) => Ok(item),
            (false, None) => self.unexpected("an expression"),
            (true, last) => {
                items.extend(last);
                Ok(Expression::Tuple(items))
            }
        }
    }

    /// Expressions with commas between them, and whether there are commas.
    fn items(&mut self, conditions: Conditions) -> Outcome<(Vec<Expression>, bool)> {
        let mut items = Vec::new();
        let mut has_commas = false;
        loop {
            let is_end = match self.token() {
                Token::PrintEnd | Token::StatementEnd | Token::Operator(")") => true,
                Token::Name("recursive") => conditions == Conditions::Absent,
                _ => false,
            };
            if is_end {
                break;
            }
            items.push(self.expression(conditions)?);
            if !self.skip_operator(",") {
                break;
            }
            has_commas = true;
        }
        Ok((items, has_commas))
    }

    pub(super) fn expression(&mut self, conditions: Conditions) -> Outcome<Expression> {
        self.enter()?;
        let expression = match conditions {
            Conditions::Allowed => self.choice(),
            Conditions::Absent => self.or(),
        }?;
        self.leave();
        Ok(expression)
    }

    fn choice(&mut self) -> Outcome<Expression> {
        let (line, known) = (self.line(), self.unknown.len());
        let mut value = self.or()?;
        let mut branches = Vec::new();
        let mut otherwise = Some(());
        while self.skip_word("if") {
            let condition = self.or()?;
            // What a condition is about may not be reached.
            self.unknown.truncate(known);
            if otherwise.is_none() {
                // `a if b if c`: the first has nothing else. It stands a level deeper for good.
                self.enter()?;
                value = choice(std::mem::take(&mut branches), None, line);
            }
            branches.push((condition, value));
            otherwise = self.skip_word("else").then_some(());
            if otherwise.is_none() {
                value = Expression::None;
                continue;
            }
            value = self.or()?;
            self.unknown.truncate(known);
        }
        match branches.is_empty() {
            true => Ok(value),
            false => Ok(choice(branches, otherwise.map(|()| value), line)),
        }
    }

    fn or(&mut self) -> Outcome<Expression> {
        let first = self.and()?;
        if !self.is_word("or") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.skip_word("or") {
            all.push(self.and()?);
        }
        Ok(Expression::Or(all))
    }

    fn and(&mut self) -> Outcome<Expression> {
        let first = self.not()?;
        if !self.is_word("and") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.skip_word("and") {
            all.push(self.not()?);
        }
        Ok(Expression::And(all))
    }

    fn not(&mut self) -> Outcome<Expression> {
        let mut count = 0_usize;
        while self.skip_word("not") {
            count += 1;
        }
        let value = self.comparison()?;
        Ok(match count {
            0 => value,
            odd if odd % 2 == 1 => Expression::Not(Box::new(value)),
            _ => Expression::Not(Box::new(Expression::Not(Box::new(value)))),
        })
    }

    fn comparison(&mut self) -> Outcome<Expression> {
        let first = self.sum()?;
        let mut others = Vec::new();
        while let Some(comparison) = self.comparison_operator() {
            others.push((comparison, self.sum()?));
        }
        Ok(match others.is_empty() {
            true => first,
            false => Expression::Compare(Box::new(first), others),
        })
    }

    fn comparison_operator(&mut self) -> Option<Comparison> {
        let comparison = match self.token() {
            Token::Operator("==") => Comparison::Equal,
            Token::Operator("!=") => Comparison::NotEqual,
            Token::Operator("<") => Comparison::Less,
            Token::Operator("<=") => Comparison::LessOrEqual,
            Token::Operator(">") => Comparison::Greater,
            Token::Operator(">=") => Comparison::GreaterOrEqual,
            Token::Name("in") => Comparison::In,
            Token::Name("not") if matches!(self.following(), Token::Name("in")) => {
                self.next();
                Comparison::NotIn
            }
            _ => return None,
        };
        self.next();
        Some(comparison)
    }

    fn sum(&mut self) -> Outcome<Expression> {
        self.arithmetic(Self::concatenation, |token| match token {
            Token::Operator("+") => Some(Operator::Add),
            Token::Operator("-") => Some(Operator::Subtract),
            _ => None,
        })
    }

    fn concatenation(&mut self) -> Outcome<Expression> {
        let first = self.product()?;
        if !self.is_operator("~") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.skip_operator("~") {
            all.push(self.product()?);
        }
        Ok(Expression::Concat(all))
    }

    fn product(&mut self) -> Outcome<Expression> {
        self.arithmetic(Self::power, |token| match token {
            Token::Operator("*") => Some(Operator::Multiply),
            Token::Operator("/") => Some(Operator::Divide),
            Token::Operator("//") => Some(Operator::FloorDivide),
            Token::Operator("%") => Some(Operator::Remainder),
            _ => None,
        })
    }

    /// From the left as well, unlike in Python.
    fn power(&mut self) -> Outcome<Expression> {
        self.arithmetic(Self::filtered, |token| match token {
            Token::Operator("**") => Some(Operator::Power),
            _ => None,
        })
    }

    fn arithmetic(
        &mut self,
        operand: fn(&mut Self) -> Outcome<Expression>,
        operator: fn(&Token) -> Option<Operator>,
    ) -> Outcome<Expression> {
        let first = operand(self)?;
        let mut others = Vec::new();
        while let Some(operator) = operator(self.token()) {
            self.next();
            others.push((operator, operand(self)?));
        }
        Ok(match others.is_empty() {
            true => first,
            false => Expression::Arithmetic(Box::new(first), others),
        })
    }

    fn filtered(&mut self) -> Outcome<Expression> {
        let base = self.signed()?;
        let mut steps = Vec::new();
        self.members(&mut steps)?;
        self.filters(&mut steps)?;
        Ok(path(base, steps))
    }

    /// A sign binds what follows it closer than a filter.
    fn signed(&mut self) -> Outcome<Expression> {
        let mut signs = Vec::new();
        loop {
            if self.skip_operator("-") {
                signs.push(Sign::Minus);
            } else if self.skip_operator("+") {
                signs.push(Sign::Plus);
            } else {
                break;
            }
        }
        let value = self.primary()?;
        if signs.is_empty() {
            return Ok(value);
        }
        let mut steps = Vec::new();
        self.members(&mut steps)?;
        Ok(match (signs.as_slice(), path(value, steps)) {
            ([Sign::Minus], Expression::Int(value)) => Expression::Int(-value),
            (_, value) => Expression::Signed(signs, Box::new(value)),
        })
    }

    pub(super) fn primary(&mut self) -> Outcome<Expression> {
        let token = self.token().clone();
        match token {
            Token::Name(name) => {
                self.next();
                Ok(match name {
                    "true" | "True" => Expression::Bool(true),
                    "false" | "False" => Expression::Bool(false),
                    "none" | "None" => Expression::None,
                    name => Expression::Name(self.scopes.load(name)),
                })
            }
            Token::String(_) => Ok(self.text()),
            Token::Int(value) => {
                self.next();
                Ok(Expression::Int(value))
            }
            Token::Float(value) => {
                self.next();
                Ok(Expression::Float(value))
            }
            Token::Operator("(") => self.parentheses(),
            Token::Operator("[") => self.list(),
            Token::Operator("{") => self.dict(),
            _ => self.unexpected("an expression"),
        }
    }

    /// Texts that follow each other are one.
    fn text(&mut self) -> Expression {
        let mut all = String::new();
        while let Token::String(text) = self.token() {
            all.push_str(text);
            self.next();
        }
        Expression::Text(all.into())
    }

    fn parentheses(&mut self) -> Outcome<Expression> {
        self.expect_operator("(")?;
        let (mut items, has_commas) = self.items(Conditions::Allowed)?;
        self.expect_operator(")")?;
        match (has_commas, items.pop()) {
            (false, Some(item)) => Ok(item),
            (_, last) => {
                items.extend(last);
                Ok(Expression::Tuple(items))
            }
        }
    }

    fn list(&mut self) -> Outcome<Expression> {
        self.expect_operator("[")?;
        let mut items = Vec::new();
        while !self.skip_operator("]") {
            if !items.is_empty() {
                self.expect_operator(",")?;
                if self.skip_operator("]") {
                    break;
                }
            }
            items.push(self.expression(Conditions::Allowed)?);
        }
        Ok(Expression::List(items))
    }

    fn dict(&mut self) -> Outcome<Expression> {
        self.expect_operator("{")?;
        let mut members = Vec::new();
        while !self.skip_operator("}") {
            if !members.is_empty() {
                self.expect_operator(",")?;
                if self.skip_operator("}") {
                    break;
                }
            }
            let key = self.expression(Conditions::Allowed)?;
            self.expect_operator(":")?;
            members.push((key, self.expression(Conditions::Allowed)?));
        }
        Ok(Expression::Dict(members))
    }
}

fn choice(
    branches: Vec<(Expression, Expression)>,
    otherwise: Option<Expression>,
    line: u32,
) -> Expression {
    Expression::Choice(Box::new(Choice {
        branches,
        otherwise,
        line,
    }))
}

pub(super) fn path(base: Expression, steps: Vec<crate::ast::Step>) -> Expression {
    match steps.is_empty() {
        true => base,
        false => Expression::Path(Box::new(Path { base, steps })),
    }
}

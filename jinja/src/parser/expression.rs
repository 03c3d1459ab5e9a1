//! Expressions, weakest operators first.

use crate::ast::{Chain, Choice, Comparison, Expression, Operator, Path, Sign};
use crate::error::Outcome;
use crate::lexer::Token;

use super::Parser;

/// Whether an expression may have an `if`, or the word after it has another meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conditions {
    Allowed,
    Absent,
}

/// How close operators bind, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Concat,
    Product,
    Power,
    /// No operator does.
    Operand,
}

impl Binding {
    fn closer(self) -> Self {
        match self {
            Self::Or => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Comparison,
            Self::Comparison => Self::Sum,
            Self::Sum => Self::Concat,
            Self::Concat => Self::Product,
            Self::Product => Self::Power,
            Self::Power | Self::Operand => Self::Operand,
        }
    }
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
            self.forgive(known);
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
            self.forgive(known);
        }
        match branches.is_empty() {
            true => Ok(value),
            false => Ok(choice(branches, otherwise.map(|()| value), line)),
        }
    }

    fn or(&mut self) -> Outcome<Expression> {
        self.binary(Binding::Or)
    }

    /// Operands with operators between them that bind at least as close as `weakest`. Those of one
    /// kind are a list, and bind from the left, even powers.
    fn binary(&mut self, weakest: Binding) -> Outcome<Expression> {
        let mut left = match weakest <= Binding::Not && self.is_word("not") {
            true => self.not()?,
            false => self.filtered()?,
        };
        while let Some(binding) = self.binding().filter(|it| *it >= weakest) {
            left = self.chain(left, binding)?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Outcome<Expression> {
        let mut is_negated = false;
        while self.skip_word("not") {
            is_negated = !is_negated;
        }
        let value = Expression::Not(Box::new(self.binary(Binding::Comparison)?));
        Ok(match is_negated {
            true => value,
            false => Expression::Not(Box::new(value)),
        })
    }

    /// How close the operator binds that is next.
    fn binding(&self) -> Option<Binding> {
        Some(match self.token() {
            Token::Operator(operator) => match *operator {
                "==" | "!=" | "<" | "<=" | ">" | ">=" => Binding::Comparison,
                "+" | "-" => Binding::Sum,
                "~" => Binding::Concat,
                "*" | "/" | "//" | "%" => Binding::Product,
                "**" => Binding::Power,
                _ => return None,
            },
            Token::Name(name) => match *name {
                "or" => Binding::Or,
                "and" => Binding::And,
                "in" => Binding::Comparison,
                "not" if matches!(self.following(), Token::Name("in")) => Binding::Comparison,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// What follows `left` with operators of one kind.
    fn chain(&mut self, left: Expression, binding: Binding) -> Outcome<Expression> {
        Ok(match binding {
            Binding::Or => Expression::Or(self.operands(left, binding)?),
            Binding::And => Expression::And(self.operands(left, binding)?),
            Binding::Concat => Expression::Concat(self.operands(left, binding)?),
            Binding::Comparison | Binding::Not | Binding::Operand => {
                let mut others = Vec::new();
                while let Some(comparison) = self.comparison() {
                    others.push((comparison, self.binary(Binding::Sum)?));
                }
                Expression::Compare(Box::new(Chain {
                    first: left,
                    others,
                }))
            }
            Binding::Sum | Binding::Product | Binding::Power => {
                let mut others = Vec::new();
                while self.binding() == Some(binding) {
                    let operator = self.arithmetic();
                    others.push((operator, self.binary(binding.closer())?));
                }
                Expression::Arithmetic(Box::new(Chain {
                    first: left,
                    others,
                }))
            }
        })
    }

    fn operands(&mut self, first: Expression, binding: Binding) -> Outcome<Vec<Expression>> {
        let mut operands = vec![first];
        while self.binding() == Some(binding) {
            self.next();
            operands.push(self.binary(binding.closer())?);
        }
        Ok(operands)
    }

    fn comparison(&mut self) -> Option<Comparison> {
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

    fn arithmetic(&mut self) -> Operator {
        match self.next() {
            Token::Operator("-") => Operator::Subtract,
            Token::Operator("*") => Operator::Multiply,
            Token::Operator("/") => Operator::Divide,
            Token::Operator("//") => Operator::FloorDivide,
            Token::Operator("%") => Operator::Remainder,
            Token::Operator("**") => Operator::Power,
            _ => Operator::Add,
        }
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
            (_, value) => Expression::Signed(Box::new((signs, value))),
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

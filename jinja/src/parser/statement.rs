//! Statements, and where the scopes of their variables begin and end.

use crate::ast::{
    Block, Expression, For, If, LoopTest, Macro, Parameter, Placed, Scope, Statement, Step, Target,
};
use crate::error::Outcome;
use crate::lexer::{Token, syntax};
use crate::scope::{Kind, Reference};

use super::Parser;
use super::expression::Conditions;

/// How many parameters one macro may have.
const PARAMETERS_MAX: usize = 255;

/// What is assigned to, before it is known where: what is assigned is read first.
enum Assigned<'s> {
    Name(&'s str),
    Member(&'s str, &'s str),
    Several(Vec<Assigned<'s>>),
}

impl<'s> Parser<'s> {
    /// Statements up to a tag with one of the words in `ends`, of which the word is next.
    pub(super) fn block(&mut self, ends: &[&str]) -> Outcome<Block> {
        self.enter()?;
        let mut block = Vec::new();
        loop {
            let line = self.line();
            let statement = match self.next() {
                Token::Text(text) => Statement::Text(text.into()),
                Token::PrintBegin => {
                    let value = self.tuple(Conditions::Allowed)?;
                    self.expect(&Token::PrintEnd)?;
                    Statement::Print(value)
                }
                Token::StatementBegin => {
                    if ends.iter().any(|end| self.is_word(end)) {
                        break;
                    }
                    let line = self.line();
                    let statement = self.statement()?;
                    self.expect(&Token::StatementEnd)?;
                    block.push(Placed { line, statement });
                    continue;
                }
                _ if ends.is_empty() => break,
                _ => return self.fail(format!("'{}' is missing", ends.join("' or '"))),
            };
            block.push(Placed { line, statement });
        }
        self.leave();
        Ok(block)
    }

    /// The statements of a tag, whose end is next, up to one of `ends`.
    fn body(&mut self, ends: &[&str]) -> Outcome<Block> {
        self.skip_operator(":");
        self.expect(&Token::StatementEnd)?;
        self.block(ends)
    }

    /// The statements up to `end`, and the word itself.
    fn whole_body(&mut self, end: &str) -> Outcome<Block> {
        let body = self.body(&[end])?;
        self.next();
        Ok(body)
    }

    fn statement(&mut self) -> Outcome<Statement> {
        let line = self.line();
        let word = self.expect_name()?;
        match word {
            "if" => self.branches(),
            "for" => self.for_loop(),
            "set" => self.set(),
            "macro" => self.macro_definition(),
            "call" => self.call_block(),
            "filter" => self.filter_block(),
            "with" => self.with(),
            "block" => self.block_in_place(),
            "generation" => {
                let id = self.scopes.enter(Kind::Closed);
                let body = self.whole_body("endgeneration")?;
                self.scopes.leave();
                Ok(Statement::Block(Scope { id, body }))
            }
            "break" | "continue" if !self.scopes.is_in_loop() => {
                self.fail(format!("'{word}' stands in no loop"))
            }
            "break" => Ok(Statement::Break),
            "continue" => Ok(Statement::Continue),
            "include" | "import" | "from" | "extends" => {
                let message = format!("'{word}' needs other templates, and there are none");
                syntax(line, message)
            }
            _ => syntax(line, format!("there is no statement '{word}'")),
        }
    }

    fn branches(&mut self) -> Outcome<Statement> {
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        let known = self.unknown.len();
        loop {
            let condition = self.tuple(Conditions::Absent)?;
            self.scopes.enter_condition();
            let body = self.body(&["elif", "else", "endif"])?;
            self.scopes.leave_condition();
            branches.push((condition, body));
            match self.expect_name()? {
                "elif" => {}
                "else" => {
                    self.scopes.enter_condition();
                    otherwise = self.whole_body("endif")?;
                    self.scopes.leave_condition();
                    break;
                }
                _ => break,
            }
        }
        self.forgive(known);
        Ok(Statement::If(If {
            branches,
            otherwise,
        }))
    }

    fn for_loop(&mut self) -> Outcome<Statement> {
        let assigned = self.assigned()?;
        if !self.skip_word("in") {
            return self.unexpected("'in'");
        }
        let items = self.tuple(Conditions::Absent)?;
        let test = match self.skip_word("if") {
            true => Some(self.loop_test(&assigned)?),
            false => None,
        };
        let is_recursive = self.skip_word("recursive");
        let id = self.scopes.enter(match is_recursive {
            true => Kind::RecursiveLoop,
            false => Kind::Loop,
        });
        let state = self.scopes.parameter("loop");
        let target = self.parameters(&assigned)?;
        let body = self.body(&["endfor", "else"])?;
        self.scopes.leave();
        let body = Scope { id, body };
        let otherwise = match self.expect_name()? {
            "else" => {
                let id = self.scopes.enter(Kind::Inline);
                let body = self.whole_body("endfor")?;
                self.scopes.leave();
                Some(Scope { id, body })
            }
            _ => None,
        };
        Ok(Statement::For(Box::new(For {
            target,
            items,
            test,
            state,
            body,
            otherwise,
            is_recursive,
        })))
    }

    fn loop_test(&mut self, assigned: &Assigned<'s>) -> Outcome<LoopTest> {
        let scope = self.scopes.enter(Kind::Inline);
        let target = self.parameters(assigned)?;
        let condition = self.expression(Conditions::Allowed)?;
        self.scopes.leave();
        Ok(LoopTest {
            scope,
            target,
            condition,
        })
    }

    fn set(&mut self) -> Outcome<Statement> {
        let assigned = self.assigned()?;
        if self.skip_operator("=") {
            let value = self.tuple(Conditions::Allowed)?;
            return Ok(Statement::Set(self.stored(&assigned)?, value));
        }
        let target = self.stored(&assigned)?;
        let id = self.scopes.enter(Kind::Inline);
        let mut filters = Vec::new();
        while self.skip_operator("|") {
            filters.push(self.filter()?);
        }
        let body = self.whole_body("endset")?;
        self.scopes.leave();
        Ok(Statement::SetBlock {
            target,
            filters,
            body: Scope { id, body },
        })
    }

    fn filter_block(&mut self) -> Outcome<Statement> {
        let id = self.scopes.enter(Kind::Inline);
        let mut filters = vec![self.filter()?];
        while self.skip_operator("|") {
            filters.push(self.filter()?);
        }
        let body = self.whole_body("endfilter")?;
        self.scopes.leave();
        Ok(Statement::Filter {
            filters,
            body: Scope { id, body },
        })
    }

    fn with(&mut self) -> Outcome<Statement> {
        let mut assigned = Vec::new();
        while *self.token() != Token::StatementEnd {
            if !assigned.is_empty() {
                self.expect_operator(",")?;
            }
            let target = self.assigned()?;
            self.expect_operator("=")?;
            assigned.push((target, self.expression(Conditions::Allowed)?));
        }
        let id = self.scopes.enter(Kind::Inline);
        let mut values = Vec::with_capacity(assigned.len());
        for (target, value) in assigned {
            values.push((self.parameters(&target)?, value));
        }
        let body = self.whole_body("endwith")?;
        self.scopes.leave();
        Ok(Statement::With {
            values,
            body: Scope { id, body },
        })
    }

    /// A block that another template could replace, and none does.
    fn block_in_place(&mut self) -> Outcome<Statement> {
        let name = self.expect_name()?;
        if !self.blocks.insert(name) {
            return self.fail(format!("the block '{name}' stands twice"));
        }
        let id = match self.skip_word("scoped") {
            true => self.scopes.enter(Kind::Closed),
            false => self.scopes.enter_apart(),
        };
        let body = self.whole_body("endblock")?;
        self.skip_word(name);
        self.scopes.leave();
        Ok(Statement::Block(Scope { id, body }))
    }

    fn macro_definition(&mut self) -> Outcome<Statement> {
        let name = self.expect_name()?;
        let variable = self.store(name)?;
        let mut function = self.function(Some(name.into()))?;
        self.signature(&mut function)?;
        function.body.body = self.whole_body("endmacro")?;
        self.scopes.leave();
        Ok(Statement::Macro(variable, Box::new(function)))
    }

    fn call_block(&mut self) -> Outcome<Statement> {
        let mut caller = self.function(None)?;
        if self.is_operator("(") {
            self.signature(&mut caller)?;
        }
        self.scopes.leave();
        let call = match self.expression(Conditions::Allowed)? {
            Expression::Path(path)
                if matches!(path.steps.last(), Some(Step::Call(_) | Step::Method(..))) =>
            {
                path
            }
            _ => return self.fail("a call block needs a call"),
        };
        self.scopes.resume(caller.body.id);
        caller.body.body = self.whole_body("endcall")?;
        self.scopes.leave();
        let caller = Box::new(caller);
        Ok(Statement::Call { call, caller })
    }

    /// A macro without parameters and statements, whose scope is entered.
    fn function(&mut self, name: Option<Box<str>>) -> Outcome<Macro> {
        let id = self.scopes.enter(Kind::Function);
        Ok(Macro {
            name,
            parameters: Vec::new(),
            caller: self.scopes.parameter("caller"),
            varargs: self.scopes.parameter("varargs"),
            kwargs: self.scopes.parameter("kwargs"),
            body: Scope {
                id,
                body: Vec::new(),
            },
        })
    }

    fn signature(&mut self, function: &mut Macro) -> Outcome<()> {
        self.expect_operator("(")?;
        let parameters = &mut function.parameters;
        while !self.skip_operator(")") {
            if !parameters.is_empty() {
                self.expect_operator(",")?;
            }
            let name = self.expect_name()?;
            self.check_assignable(name)?;
            let variable = self.scopes.parameter(name);
            if parameters
                .iter()
                .any(|it: &Parameter| it.variable == variable)
            {
                return self.fail(format!("the parameter '{name}' stands twice"));
            }
            let default = match self.skip_operator("=") {
                true => Some(self.expression(Conditions::Allowed)?),
                false => None,
            };
            let follows_default = parameters.last().is_some_and(|it| it.default.is_some());
            if follows_default && default.is_none() {
                return self.fail("a parameter without a default follows one with a default");
            }
            if parameters.len() == PARAMETERS_MAX {
                return self.fail(format!("more than {PARAMETERS_MAX} parameters"));
            }
            parameters.push(Parameter {
                name: name.into(),
                variable,
                default,
            });
        }
        Ok(())
    }

    /// Names with commas between them, each perhaps with a member or in parentheses.
    fn assigned(&mut self) -> Outcome<Assigned<'s>> {
        self.enter()?;
        let mut targets = Vec::new();
        let mut has_commas = false;
        loop {
            if self.skip_operator("(") {
                targets.push(self.assigned()?);
                self.expect_operator(")")?;
            } else if let Token::Name(name) = *self.token() {
                self.check_assignable(name)?;
                self.next();
                targets.push(match self.skip_operator(".") {
                    true => Assigned::Member(name, self.expect_name()?),
                    false => Assigned::Name(name),
                });
            } else {
                return self.unexpected("a name");
            }
            if !self.skip_operator(",") {
                break;
            }
            has_commas = true;
            if self.is_word("in")
                || matches!(
                    self.token(),
                    Token::Operator("=" | ")") | Token::StatementEnd
                )
            {
                break;
            }
        }
        self.leave();
        Ok(match (has_commas, targets.pop()) {
            (false, Some(only)) => only,
            (_, last) => {
                targets.extend(last);
                Assigned::Several(targets)
            }
        })
    }

    fn check_assignable(&self, name: &str) -> Outcome<()> {
        match name {
            "true" | "false" | "none" | "True" | "False" | "None" => {
                self.fail(format!("'{name}' is no variable"))
            }
            _ => Ok(()),
        }
    }

    fn store(&mut self, name: &'s str) -> Outcome<Reference> {
        self.check_assignable(name)?;
        match name == "loop" && self.scopes.is_below_loop() {
            true => self.fail("'loop' cannot be assigned in a loop"),
            false => Ok(self.scopes.store(name)),
        }
    }

    fn stored(&mut self, assigned: &Assigned<'s>) -> Outcome<Target> {
        Ok(match assigned {
            Assigned::Name(name) => Target::Name(self.store(name)?),
            Assigned::Member(name, member) => {
                Target::Member(self.scopes.load(name), (*member).into())
            }
            Assigned::Several(targets) => {
                let targets = targets.iter().map(|target| self.stored(target));
                Target::Several(targets.collect::<Outcome<_>>()?)
            }
        })
    }

    /// Variables that the scope begins with.
    fn parameters(&mut self, assigned: &Assigned<'s>) -> Outcome<Target> {
        Ok(match assigned {
            Assigned::Name("loop") if self.scopes.is_below_loop() => {
                return self.fail("'loop' cannot be assigned in a loop");
            }
            Assigned::Name(name) => Target::Name(self.scopes.parameter(name)),
            Assigned::Member(..) => return self.fail("only 'set' assigns members"),
            Assigned::Several(targets) => {
                let targets = targets.iter().map(|target| self.parameters(target));
                Target::Several(targets.collect::<Outcome<_>>()?)
            }
        })
    }
}

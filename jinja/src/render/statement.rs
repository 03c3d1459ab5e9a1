//! What statements do.

use crate::ast::{Block, If, Placed, Scope, Statement, Step, Target};
use crate::error::{Outcome, failed};
use crate::value::{Closure, Namespace, Value};

use super::{Frame, Renderer};

/// Where a loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
}

impl<'a> Renderer<'a> {
    pub(super) fn run(&mut self, block: &'a Block, frame: &'a Frame<'a>) -> Outcome<Flow> {
        self.enter()?;
        for placed in block {
            let flow = self.statement(placed, frame);
            match flow.map_err(|error| error.in_line(placed.line))? {
                Flow::Next => {}
                flow => {
                    self.leave();
                    return Ok(flow);
                }
            }
        }
        self.leave();
        Ok(Flow::Next)
    }

    #[inline]
    fn statement(&mut self, placed: &'a Placed, frame: &'a Frame<'a>) -> Outcome<Flow> {
        self.charge(1)?;
        match &placed.statement {
            Statement::Text(text) => self.push(text)?,
            Statement::Print(value) => self.print(value, frame)?,
            Statement::If(branches) => return self.branch(branches, frame),
            Statement::For(definition) => return self.for_loop(definition, frame),
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Set(target, value) => {
                let value = self.eval(value, frame)?;
                self.assign(target, value, frame)?;
            }
            Statement::Block(scope) => return self.scope(scope, frame),
            other => return self.rarer(other, frame),
        }
        Ok(Flow::Next)
    }

    fn rarer(&mut self, statement: &'a Statement, frame: &'a Frame<'a>) -> Outcome<Flow> {
        match statement {
            Statement::SetBlock {
                target,
                filters,
                body,
            } => {
                let (value, flow) = self.captured(filters, body, frame)?;
                if flow != Flow::Next {
                    return Ok(flow);
                }
                self.assign(target, value, frame)?;
            }
            Statement::Filter { filters, body } => {
                let (value, flow) = self.captured(filters, body, frame)?;
                if flow != Flow::Next {
                    return Ok(flow);
                }
                self.write_text(value)?;
            }
            Statement::Macro(name, definition) => {
                let closure = self.memory.made(Closure { definition, frame })?;
                self.store(*name, frame, Value::Macro(closure));
            }
            Statement::Call { call, caller } => {
                let definition = caller;
                let closure = self.memory.made(Closure { definition, frame })?;
                self.print_call(call, Value::Macro(closure), frame)?;
            }
            Statement::With { values, body } => {
                let slots = values.iter();
                for (target, value) in slots {
                    let value = self.eval(value, frame)?;
                    self.assign(target, value, frame)?;
                }
                return self.scope(body, frame);
            }
            _ => {}
        }
        Ok(Flow::Next)
    }

    fn branch(&mut self, branches: &'a If, frame: &'a Frame<'a>) -> Outcome<Flow> {
        for (condition, body) in &branches.branches {
            self.charge(1)?;
            if self.eval(condition, frame)?.is_true() {
                return self.run(body, frame);
            }
        }
        self.run(&branches.otherwise, frame)
    }

    pub(super) fn scope(&mut self, scope: &'a Scope, frame: &'a Frame<'a>) -> Outcome<Flow> {
        self.begin(scope.id, frame);
        self.run(&scope.body, frame)
    }

    /// What a block prints, after filters.
    fn captured(
        &mut self,
        filters: &'a [Step],
        body: &'a Scope,
        frame: &'a Frame<'a>,
    ) -> Outcome<(Value<'a>, Flow)> {
        let mark = self.mark();
        let flow = self.scope(body, frame)?;
        let mut value = Value::Str(self.taken(mark)?);
        if flow == Flow::Next {
            for step in filters {
                value = self.step(value, step, frame)?;
            }
        }
        Ok((value, flow))
    }

    pub(super) fn assign(
        &mut self,
        target: &'a Target,
        value: Value<'a>,
        frame: &'a Frame<'a>,
    ) -> Outcome<()> {
        match target {
            Target::Name(reference) => self.store(*reference, frame, value),
            Target::Member(reference, name) => match self.load(*reference, frame) {
                Value::Namespace(namespace) => self.set_member(namespace, name, value)?,
                _ => return failed("cannot assign attribute on non-namespace object"),
            },
            Target::Several(targets) => {
                let source = self.source(value)?;
                let expected = targets.len();
                match source.len() {
                    got if got < expected => {
                        return failed(format!(
                            "not enough values to unpack (expected {expected}, got {got})"
                        ));
                    }
                    got if got > expected => {
                        return failed(format!("too many values to unpack (expected {expected})"));
                    }
                    _ => {}
                }
                for (at, target) in targets.iter().enumerate() {
                    let item = self.item_of(source, at)?;
                    self.assign(target, item, frame)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn set_member(
        &mut self,
        namespace: &'a Namespace<'a>,
        name: &'a str,
        value: Value<'a>,
    ) -> Outcome<()> {
        if name.starts_with('_') {
            return failed(format!("a namespace has no place for '{name}'"));
        }
        let members = namespace.members.get();
        self.charge(members.len() / 16)?;
        if let Some(member) = namespace.find(name) {
            member.set(value);
            return Ok(());
        }
        self.charge(members.len())?;
        let more = self
            .memory
            .filled(members.len() + 1, |at| match members.get(at) {
                Some((key, value)) => (*key, value.clone()),
                None => (Value::Str(name), value.into()),
            })?;
        namespace.members.set(more);
        Ok(())
    }
}

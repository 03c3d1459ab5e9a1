//! One rendering of a template: it walks the statements, counts what they cost, and writes one
//! text.

mod call;
mod expression;
mod function;
mod loops;
mod macros;
mod path;
mod statement;

use std::cell::Cell;
use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use crate::arena::Memory;
use crate::ast::Block;
use crate::error::{Error, Outcome, too_much};
use crate::limits::{DEPTH_MAX, Limits};
use crate::scope::{Beginning, Place, ROOT, Reference, Scopes};
use crate::value::{Function, Given, Items, Members, Undefined, Value};

pub(crate) use call::Args;

/// What a template finds under a name that it does not make itself.
#[derive(Clone)]
#[non_exhaustive]
pub enum Global<'g> {
    /// `none`.
    None,
    /// `true` or `false`.
    Bool(bool),
    /// Any JSON.
    Json(&'g Json),
    /// A list.
    List(&'g [Json]),
    /// A list of objects.
    Objects(&'g [Object<'g>]),
    /// A function.
    Function(&'g Given<'g>),
}

/// An object that a template is given, without a copy of what is in it.
#[derive(Debug, Clone)]
pub enum Object<'g> {
    /// As it stands in JSON.
    Whole(&'g Map<String, Json>),
    /// Put together of members, each under its own name.
    Members(Vec<(&'g str, &'g Json)>),
}

/// The variables of a function that runs: of the template itself, of a macro, of a loop that calls
/// itself.
pub(crate) struct Frame<'a> {
    slots: &'a [Cell<Value<'a>>],
    /// Of the function around it.
    outer: Option<&'a Frame<'a>>,
}

pub(crate) struct Renderer<'a> {
    pub(crate) memory: &'a Memory,
    scopes: &'a Scopes,
    globals: &'a [Value<'a>],
    limits: Limits,
    /// What is printed. Texts that are being made stand at its end until they are taken away.
    out: String,
    steps_left: usize,
    depth: usize,
}

/// For how much of what is printed there is place at first.
const OUT_BYTES: usize = 16 << 10;
/// How long a text may be that costs no more than the step that makes it.
const STEP_BYTES: usize = 64;

/// Runs `block`, whose names are `scopes`.
pub(crate) fn render<'g>(
    block: &Block,
    scopes: &Scopes,
    limits: Limits,
    global: &dyn Fn(&str) -> Option<Global<'g>>,
) -> Result<String, Error> {
    let memory = Memory::new(limits.memory_bytes);
    printed(block, scopes, limits, global, &memory).map_err(|error| *error)
}

fn printed<'a, 'g: 'a>(
    block: &'a Block,
    scopes: &'a Scopes,
    limits: Limits,
    global: &dyn Fn(&str) -> Option<Global<'g>>,
    memory: &'a Memory,
) -> Outcome<String> {
    let mut globals = Vec::with_capacity(scopes.globals().len());
    for name in scopes.globals() {
        globals.push(match global(name) {
            Some(global) => from_global(global, memory)?,
            None => builtin(name),
        });
    }
    let mut renderer = Renderer {
        memory,
        scopes,
        globals: memory.slice(&globals)?,
        limits,
        out: String::with_capacity(OUT_BYTES),
        steps_left: limits.steps,
        depth: 0,
    };
    let frame = renderer.frame(ROOT, None)?;
    renderer.begin(ROOT, frame);
    renderer.run(block, frame)?;
    Ok(renderer.out)
}

fn from_global<'a, 'g: 'a>(global: Global<'g>, memory: &'a Memory) -> Outcome<Value<'a>> {
    Ok(match global {
        Global::None => Value::None,
        Global::Bool(flag) => Value::Bool(flag),
        Global::Json(json) => json.into(),
        Global::List(items) => Value::List(Items::Json(items)),
        Global::Objects(objects) => {
            let mut dicts = Vec::with_capacity(objects.len());
            for object in objects {
                dicts.push(Value::Dict(match object {
                    Object::Whole(members) => Members::Json(members),
                    Object::Members(members) => {
                        let pair = |at: usize| (Value::Str(members[at].0), members[at].1.into());
                        Members::Values(memory.filled(members.len(), pair)?)
                    }
                }));
            }
            Value::List(Items::Values(memory.slice(&dicts)?))
        }
        Global::Function(function) => Value::Function(Function::Given(function)),
    })
}

fn builtin(name: &str) -> Value<'_> {
    Value::Function(match name {
        "range" => Function::Range,
        "dict" => Function::Dict,
        "namespace" => Function::Namespace,
        "cycler" => Function::Cycler,
        "joiner" => Function::Joiner,
        _ => return Value::Undefined(Undefined::Name(name)),
    })
}

impl<'a> Renderer<'a> {
    /// Counts steps.
    #[inline]
    pub(crate) fn charge(&mut self, steps: usize) -> Outcome<()> {
        match self.steps_left.checked_sub(steps) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => too_much("steps", self.limits.steps),
        }
    }

    /// Goes one deeper; [`Self::leave`] goes back. Errors go all the way back.
    #[inline]
    pub(crate) fn enter(&mut self) -> Outcome<()> {
        self.depth += 1;
        match self.depth > DEPTH_MAX {
            true => too_much("depth", DEPTH_MAX),
            false => Ok(()),
        }
    }

    #[inline]
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Adds to the text that is printed or made.
    #[inline]
    pub(crate) fn push(&mut self, text: &str) -> Outcome<()> {
        self.make_room(text.len())?;
        self.out.push_str(text);
        Ok(())
    }

    /// Adds a text in quotes that needs no escapes.
    #[inline]
    pub(crate) fn push_quoted(&mut self, text: &str) -> Outcome<()> {
        self.make_room(text.len() + 2)?;
        self.out.reserve(text.len() + 2);
        self.out.push('"');
        self.out.push_str(text);
        self.out.push('"');
        Ok(())
    }

    #[inline]
    fn make_room(&mut self, bytes: usize) -> Outcome<()> {
        if bytes >= STEP_BYTES {
            self.charge(bytes / STEP_BYTES)?;
        }
        match bytes > self.limits.printed_bytes - self.out.len() {
            true => too_much("printed_bytes", self.limits.printed_bytes),
            false => Ok(()),
        }
    }

    pub(crate) fn push_format(&mut self, text: std::fmt::Arguments<'_>) -> Outcome<()> {
        let mark = self.out.len();
        // Writing to a text does not fail.
        let _ = self.out.write_fmt(text);
        self.charge((self.out.len() - mark) / STEP_BYTES)?;
        match self.out.len() > self.limits.printed_bytes {
            true => too_much("printed_bytes", self.limits.printed_bytes),
            false => Ok(()),
        }
    }

    /// Where the text begins that is made next.
    pub(crate) fn mark(&self) -> usize {
        self.out.len()
    }

    /// Takes the text that was made since `mark`.
    pub(crate) fn taken(&mut self, mark: usize) -> Outcome<&'a str> {
        let text = self.memory.text(&self.out[mark..])?;
        self.out.truncate(mark);
        Ok(text)
    }

    /// The text that `write` makes.
    pub(crate) fn text(
        &mut self,
        write: impl FnOnce(&mut Self) -> Outcome<()>,
    ) -> Outcome<&'a str> {
        let mark = self.mark();
        write(self)?;
        self.taken(mark)
    }

    /// A list of `items`, which were counted.
    pub(crate) fn list(&self, items: &[Value<'a>]) -> Outcome<Value<'a>> {
        Ok(Value::List(Items::Values(self.memory.slice(items)?)))
    }

    pub(crate) fn tuple(&self, items: &[Value<'a>]) -> Outcome<Value<'a>> {
        Ok(Value::Tuple(self.memory.slice(items)?))
    }

    /// The frame of the function that the scope belongs to.
    fn frame(&self, scope: usize, outer: Option<&'a Frame<'a>>) -> Outcome<&'a Frame<'a>> {
        let length = self.scopes.layout(scope).slots as usize;
        let undefined = |_| Cell::new(Value::Undefined(Undefined::Name("")));
        let slots = self.memory.filled(length, undefined)?;
        self.memory.made(Frame { slots, outer })
    }

    /// Gives the variables of a scope what they begin with.
    #[inline]
    fn begin(&self, scope: usize, frame: &'a Frame<'a>) {
        for (slot, beginning) in &self.scopes.layout(scope).beginnings {
            frame.slots[*slot as usize].set(match beginning {
                Beginning::Value(place) => self.get(*place, frame),
                Beginning::Undefined(name) => Value::Undefined(Undefined::Name(name)),
            });
        }
    }

    #[inline]
    fn load(&self, reference: Reference, frame: &'a Frame<'a>) -> Value<'a> {
        self.get(self.scopes.place(reference), frame)
    }

    #[inline]
    fn get(&self, place: Place, frame: &'a Frame<'a>) -> Value<'a> {
        match place {
            Place::Slot { up, slot } => frame.up(up).slots[slot as usize].get(),
            Place::Global(number) => self.globals[number as usize],
        }
    }

    #[inline]
    fn store(&self, reference: Reference, frame: &'a Frame<'a>, value: Value<'a>) {
        if let Place::Slot { up, slot } = self.scopes.place(reference) {
            frame.up(up).slots[slot as usize].set(value);
        }
    }
}

impl<'a> Frame<'a> {
    #[inline]
    fn up(&'a self, levels: u16) -> &'a Frame<'a> {
        let mut frame = self;
        for _ in 0..levels {
            frame = frame.outer.unwrap_or(frame);
        }
        frame
    }
}

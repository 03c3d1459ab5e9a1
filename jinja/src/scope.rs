//! Which variable a name stands for. A loop, a macro, a block are scopes; what is stored in one is
//! a variable of its own, which begins with the value that the name has outside, and ends with it.
//!
//! A name may be used before the line that makes it a variable of the scope, so what a name
//! stands for is known once all is read: until then it is a [`Reference`].

use std::collections::HashMap;

/// A name in a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference(u32);

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the frame of this function, or in that of one around it.
    Slot {
        up: u16,
        slot: u32,
    },
    Global(u32),
}

/// What a variable begins with when its scope is entered.
#[derive(Debug)]
pub(crate) enum Beginning {
    Value(Place),
    /// Nothing, under this name.
    Undefined(Box<str>),
}

/// What happens to variables when a scope is entered.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// How many slots the function has in whose frame the scope is.
    pub(crate) slots: u32,
    pub(crate) beginnings: Vec<(u32, Beginning)>,
}

/// All names of a template, resolved.
#[derive(Debug)]
pub(crate) struct Scopes {
    places: Vec<Place>,
    layouts: Vec<Layout>,
    used: Vec<bool>,
    globals: Vec<Box<str>>,
}

impl Scopes {
    pub(crate) fn place(&self, reference: Reference) -> Place {
        self.places[reference.0 as usize]
    }

    pub(crate) fn layout(&self, scope: usize) -> &Layout {
        &self.layouts[scope]
    }

    /// Whether the scope that has `reference` as a parameter looks at it, itself or within.
    pub(crate) fn is_used(&self, reference: Reference) -> bool {
        self.used[reference.0 as usize]
    }

    /// The names that the template does not make itself.
    pub(crate) fn globals(&self) -> &[Box<str>] {
        &self.globals
    }
}

/// Where a scope begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In the frame of what is around it.
    Inline,
    /// The same, but no loop around it can be left from here.
    Closed,
    /// The body of a loop, in the frame of what is around it.
    Loop,
    /// With a frame of its own.
    Function,
    /// The body of a loop that calls itself.
    RecursiveLoop,
}

/// The scopes as they are read.
#[derive(Debug)]
pub(crate) struct Reading<'s> {
    scopes: Vec<Open<'s>>,
    current: usize,
    functions: Vec<Function>,
    references: u32,
}

#[derive(Debug)]
struct Function {
    depth: u16,
    slots: u32,
}

#[derive(Debug)]
struct Open<'s> {
    /// Around which it sees variables.
    parent: Option<usize>,
    /// Which one is read on after it.
    around: usize,
    function: usize,
    kind: Kind,
    /// How many conditions are around what is read.
    conditions: usize,
    names: HashMap<&'s str, Name>,
    order: Vec<&'s str>,
}

#[derive(Debug, Clone, Copy)]
struct Name {
    reference: Reference,
    use_: Use,
    is_loaded: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Loaded,
    Parameter,
    /// Stored in any case before it is looked at.
    Stored,
    /// Stored under a condition, or looked at before.
    StoredLater,
}

/// The scope of the template itself.
pub(crate) const ROOT: usize = 0;

impl<'s> Reading<'s> {
    pub(crate) fn new() -> Self {
        let mut reading = Self {
            scopes: Vec::new(),
            current: ROOT,
            functions: Vec::new(),
            references: 0,
        };
        reading.open(None, Kind::Function);
        reading
    }

    /// Enters a scope, and returns its number.
    pub(crate) fn enter(&mut self, kind: Kind) -> usize {
        self.open(Some(self.current), kind)
    }

    /// Enters a scope that sees the template's own variables and no others.
    pub(crate) fn enter_apart(&mut self) -> usize {
        self.open(Some(ROOT), Kind::Closed)
    }

    fn open(&mut self, parent: Option<usize>, kind: Kind) -> usize {
        let around = self.scopes.get(self.current);
        let function = match (kind, around) {
            (Kind::Inline | Kind::Closed | Kind::Loop, Some(around)) => around.function,
            (_, around) => {
                let depth = around.map_or(0, |it| self.functions[it.function].depth + 1);
                self.functions.push(Function { depth, slots: 0 });
                self.functions.len() - 1
            }
        };
        self.scopes.push(Open {
            parent,
            around: self.current,
            function,
            kind,
            conditions: 0,
            names: HashMap::new(),
            order: Vec::new(),
        });
        self.current = self.scopes.len() - 1;
        self.current
    }

    /// Goes on in a scope that was left, within the same one.
    pub(crate) fn resume(&mut self, scope: usize) {
        self.current = scope;
    }

    /// The scope that is read.
    pub(crate) fn current(&self) -> usize {
        self.current
    }

    pub(crate) fn leave(&mut self) {
        self.current = self.scopes[self.current].around;
    }

    pub(crate) fn enter_condition(&mut self) {
        self.scopes[self.current].conditions += 1;
    }

    pub(crate) fn leave_condition(&mut self) {
        self.scopes[self.current].conditions -= 1;
    }

    /// Whether a loop can be left where this is read.
    pub(crate) fn is_in_loop(&self) -> bool {
        let mut scope = &self.scopes[self.current];
        loop {
            match scope.kind {
                Kind::Loop | Kind::RecursiveLoop => return true,
                Kind::Function | Kind::Closed => return false,
                Kind::Inline => scope = &self.scopes[scope.around],
            }
        }
    }

    /// Whether this is read within a loop, however deep.
    pub(crate) fn is_below_loop(&self) -> bool {
        let mut at = self.current;
        loop {
            let scope = &self.scopes[at];
            match scope.kind {
                Kind::Loop | Kind::RecursiveLoop => return true,
                _ if at == ROOT => return false,
                _ => at = scope.around,
            }
        }
    }

    pub(crate) fn load(&mut self, name: &'s str) -> Reference {
        let entry = self.name(name, Use::Loaded);
        entry.is_loaded = true;
        entry.reference
    }

    pub(crate) fn store(&mut self, name: &'s str) -> Reference {
        let first = match self.scopes[self.current].conditions {
            0 => Use::Stored,
            _ => Use::StoredLater,
        };
        let entry = self.name(name, first);
        if entry.use_ == Use::Loaded {
            entry.use_ = Use::StoredLater;
        }
        entry.reference
    }

    pub(crate) fn parameter(&mut self, name: &'s str) -> Reference {
        let entry = self.name(name, Use::Parameter);
        entry.use_ = Use::Parameter;
        entry.reference
    }

    fn name(&mut self, name: &'s str, first: Use) -> &mut Name {
        let scope = &mut self.scopes[self.current];
        let (references, order) = (&mut self.references, &mut scope.order);
        scope.names.entry(name).or_insert_with(|| {
            *references += 1;
            order.push(name);
            Name {
                reference: Reference(*references - 1),
                use_: first,
                is_loaded: false,
            }
        })
    }

    pub(crate) fn finish(self) -> Scopes {
        Resolver {
            slots: HashMap::new(),
            global_numbers: HashMap::new(),
            scopes: Scopes {
                places: vec![Place::Global(0); self.references as usize],
                layouts: Vec::with_capacity(self.scopes.len()),
                used: vec![false; self.references as usize],
                globals: Vec::new(),
            },
            reading: self,
        }
        .resolved()
    }
}

struct Resolver<'s> {
    reading: Reading<'s>,
    /// Of variables, by the scope that has them.
    slots: HashMap<Reference, u32>,
    global_numbers: HashMap<&'s str, u32>,
    scopes: Scopes,
}

impl std::hash::Hash for Reference {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<'s> Resolver<'s> {
    fn resolved(mut self) -> Scopes {
        // What is around a scope has a smaller number.
        for at in 0..self.reading.scopes.len() {
            self.resolve(at);
        }
        for at in 0..self.scopes.layouts.len() {
            let function = self.reading.scopes[at].function;
            self.scopes.layouts[at].slots = self.reading.functions[function].slots;
        }
        self.scopes
    }

    fn resolve(&mut self, at: usize) {
        let mut layout = Layout::default();
        for name in std::mem::take(&mut self.reading.scopes[at].order) {
            let scope = &self.reading.scopes[at];
            let (known, function) = (scope.names[name], scope.function);
            let outer = scope
                .parent
                .and_then(|parent| self.find(parent, name, function));
            let place = if known.use_ == Use::Loaded {
                outer.unwrap_or_else(|| self.global(name))
            } else {
                let slot = self.reading.functions[function].slots;
                self.reading.functions[function].slots += 1;
                self.slots.insert(known.reference, slot);
                let beginning = match (known.use_, outer) {
                    (Use::Parameter, _) => None,
                    (_, Some(outer)) => Some(Beginning::Value(outer)),
                    (Use::Stored, None) => Some(Beginning::Undefined(name.into())),
                    (_, None) => Some(Beginning::Value(self.global(name))),
                };
                layout.beginnings.extend(beginning.map(|it| (slot, it)));
                if known.is_loaded {
                    self.scopes.used[known.reference.0 as usize] = true;
                }
                Place::Slot { up: 0, slot }
            };
            self.scopes.places[known.reference.0 as usize] = place;
        }
        self.scopes.layouts.push(layout);
    }

    /// The variable that `name` is in the scope `at` or around it, seen from `function`.
    fn find(&mut self, mut at: usize, name: &str, function: usize) -> Option<Place> {
        loop {
            let scope = &self.reading.scopes[at];
            if let Some(known) = scope.names.get(name)
                && let Some(slot) = self.slots.get(&known.reference)
            {
                self.scopes.used[known.reference.0 as usize] = true;
                let functions = &self.reading.functions;
                let up = functions[function].depth - functions[scope.function].depth;
                return Some(Place::Slot { up, slot: *slot });
            }
            at = scope.parent?;
        }
    }

    fn global(&mut self, name: &'s str) -> Place {
        let globals = &mut self.scopes.globals;
        let number = self.global_numbers.entry(name).or_insert_with(|| {
            globals.push(name.into());
            globals.len() as u32 - 1
        });
        Place::Global(*number)
    }
}

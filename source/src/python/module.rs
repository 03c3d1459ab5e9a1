//! Collects the names at the top of a Python module and what they mean, without running it.

use std::cell::Cell;
use std::collections::HashMap;

use tree_sitter::Node;

use super::docstring;
use super::expression::Expression;
use crate::limits::TYPES_MAX;
use crate::syntax::{children, text_of};

/// The deepest nesting of classes.
const DEPTH_MAX: usize = 16;

/// Built-in names that an annotation may have without an import.
const BUILTINS: [&str; 24] = [
    "int",
    "float",
    "str",
    "bool",
    "list",
    "tuple",
    "dict",
    "set",
    "frozenset",
    "bytes",
    "bytearray",
    "memoryview",
    "complex",
    "object",
    "type",
    "range",
    "slice",
    "property",
    "Exception",
    "BaseException",
    "ValueError",
    "TypeError",
    "callable",
    "any",
];
/// The names that `from typing import *` imports and that have a schema.
const TYPING: [&str; 8] = [
    "Any", "Dict", "List", "Literal", "Optional", "Text", "Tuple", "Union",
];

/// Names and what they stand for.
#[derive(Debug, Default)]
pub(super) struct Scope {
    names: HashMap<String, Binding>,
    /// Modules all of whose names are imported.
    stars: Vec<String>,
    /// The number of types and values that were looked at.
    seen: Cell<usize>,
    /// The bytes of types that were parsed.
    pub(super) parsed: Cell<usize>,
}

/// The meaning of a name.
#[derive(Debug)]
pub(super) enum Binding {
    /// Something of another module, by its whole name.
    Import(String),
    Class(Class),
    Value(Expression),
    /// Something that is no type.
    Other,
}

/// A class of the file.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) bases: Vec<Expression>,
    /// The assignments of its body, in order.
    pub(super) assignments: Vec<(String, Expression)>,
    /// The names in its body that have a type, in order.
    pub(super) fields: Vec<Field>,
    /// What is written above it after `@`.
    pub(super) decorators: Vec<Expression>,
    pub(super) docstring: Option<String>,
    inner: Scope,
}

/// A name with a type in the body of a class.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) annotation: Expression,
    pub(super) default: Option<Expression>,
}

/// The treatment of a name that is bound already.
#[derive(Clone, Copy, PartialEq)]
enum Rebinding {
    Yes,
    /// A later branch of `if` or `try` does not replace what the first one bound.
    No,
}

impl Scope {
    pub(super) fn of(module: Node<'_>, text: &str) -> Self {
        let mut scope = Self::default();
        Reader { text }.block(module, &mut scope, Rebinding::Yes, 0);
        scope
    }

    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.names.get(name)
    }

    /// The class that `expression` names.
    pub(super) fn class(&self, expression: &Expression) -> Option<&Class> {
        let (scope, name) = match expression {
            Expression::Name(name) => (self, name),
            Expression::Attribute(of, name) => (&self.class(of)?.inner, name),
            _ => return None,
        };
        match scope.get(name)? {
            Binding::Class(class) => Some(class),
            _ => None,
        }
    }

    /// True if every name of `module` is imported, by `*`.
    pub(super) fn has_all_of(&self, module: &str) -> bool {
        self.stars.iter().any(|star| star == module)
    }

    /// True if there are names that the text does not show, imported by `*`.
    pub(super) fn is_open(&self) -> bool {
        !self.stars.is_empty()
    }

    /// The whole name of what an expression names, if the file does not define it.
    pub(super) fn path(&self, expression: &Expression) -> Option<String> {
        match expression {
            Expression::Name(name) => match self.get(name) {
                Some(Binding::Import(path)) => Some(path.clone()),
                Some(_) => None,
                None if BUILTINS.contains(&name.as_str()) => Some(format!("builtins.{name}")),
                None => {
                    let is_typing = TYPING.contains(&name.as_str()) && self.has_all_of("typing");
                    let is_enum = name.ends_with("Enum") && self.has_all_of("enum");
                    is_typing
                        .then(|| format!("typing.{name}"))
                        .or_else(|| is_enum.then(|| format!("enum.{name}")))
                }
            },
            Expression::Attribute(of, name) => Some(format!("{}.{name}", self.path(of)?)),
            _ => None,
        }
    }

    /// Counts `more` types, and tells whether there were too many.
    pub(super) fn has_seen_enough(&self, more: usize) -> bool {
        self.seen.set(self.seen.get() + more);
        self.seen.get() > TYPES_MAX
    }

    fn bind(&mut self, name: &str, binding: Binding, again: Rebinding) {
        if again == Rebinding::Yes || !self.names.contains_key(name) {
            self.names.insert(name.to_owned(), binding);
        }
    }
}

/// The definition below decorators; any other node as it is.
pub(super) fn undecorated(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "decorated_definition" => node.child_by_field_name("definition").unwrap_or(node),
        _ => node,
    }
}

/// The decorators of the definition at `node`.
pub(super) fn decorators(node: Node<'_>, text: &str) -> Vec<Expression> {
    let above = node.parent();
    let above = above.filter(|above| above.kind() == "decorated_definition");
    let nodes = above.map(children).unwrap_or_default().into_iter();
    let nodes = nodes.filter(|it| it.kind() == "decorator");
    let inner = nodes.filter_map(|it| it.named_child(0));
    inner.map(|it| Expression::of(it, text)).collect()
}

struct Reader<'a> {
    text: &'a str,
}

impl<'a> Reader<'a> {
    fn text(&self, node: Option<Node<'_>>) -> &'a str {
        node.map_or("", |node| text_of(node, self.text))
    }

    fn block(&self, block: Node<'_>, scope: &mut Scope, again: Rebinding, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        for node in children(block) {
            self.statement(undecorated(node), scope, again, depth);
        }
    }

    fn statement(&self, node: Node<'_>, scope: &mut Scope, again: Rebinding, depth: usize) {
        match node.kind() {
            "import_statement" | "import_from_statement" => self.import(node, scope, again),
            "class_definition" => {
                let name = self.text(node.child_by_field_name("name"));
                let class = self.class(node, depth);
                scope.bind(name, Binding::Class(class), again);
            }
            "function_definition" => {
                let name = self.text(node.child_by_field_name("name"));
                scope.bind(name, Binding::Other, again);
            }
            "type_alias_statement" => {
                let name = self.text(node.named_child(0));
                scope.bind(name, Binding::Other, again);
            }
            "expression_statement" => {
                if let Some((name, value)) = self.assignment(node) {
                    scope.bind(name, Binding::Value(value), again);
                }
            }
            "if_statement" => {
                let condition = self.text(node.child_by_field_name("condition"));
                let is_for_checkers = condition.rsplit('.').next() == Some("TYPE_CHECKING");
                if let Some(block) = node.child_by_field_name("consequence")
                    && !is_for_checkers
                {
                    self.block(block, scope, again, depth + 1);
                }
                self.otherwise(node, scope, depth);
            }
            "try_statement" => {
                if let Some(block) = node.child_by_field_name("body") {
                    self.block(block, scope, again, depth + 1);
                }
                self.otherwise(node, scope, depth);
            }
            _ => {}
        }
    }

    /// The later branches of `if` or `try`.
    fn otherwise(&self, node: Node<'_>, scope: &mut Scope, depth: usize) {
        for clause in children(node) {
            if clause.kind().ends_with("_clause") {
                let blocks = children(clause).into_iter();
                for block in blocks.filter(|block| block.kind() == "block") {
                    self.block(block, scope, Rebinding::No, depth + 1);
                }
            }
        }
    }

    fn import(&self, node: Node<'_>, scope: &mut Scope, again: Rebinding) {
        let module = node.child_by_field_name("module_name");
        let module = module.map(|module| text_of(module, self.text));
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            let (path, alias) = match name.kind() {
                "aliased_import" => (
                    self.text(name.child_by_field_name("name")),
                    Some(self.text(name.child_by_field_name("alias"))),
                ),
                _ => (self.text(Some(name)), None),
            };
            let (bound, whole) = match (module, alias) {
                (Some(module), alias) => (alias.unwrap_or(path), format!("{module}.{path}")),
                (None, Some(alias)) => (alias, path.to_owned()),
                // `import a.b` binds `a`.
                (None, None) => {
                    let first = path.split('.').next().unwrap_or(path);
                    (first, first.to_owned())
                }
            };
            scope.bind(bound, Binding::Import(whole), again);
        }
        let has_star = children(node)
            .iter()
            .any(|it| it.kind() == "wildcard_import");
        if let (Some(module), true) = (module, has_star) {
            scope.stars.push(module.to_owned());
        }
    }

    fn class(&self, node: Node<'_>, depth: usize) -> Class {
        let bases = node.child_by_field_name("superclasses").map(children);
        let bases = bases.unwrap_or_default().into_iter();
        let bases = bases.map(|base| Expression::of(base, self.text)).collect();
        let mut class = Class {
            bases,
            assignments: Vec::new(),
            fields: Vec::new(),
            decorators: decorators(node, self.text),
            docstring: docstring::text_in(node, self.text),
            inner: Scope::default(),
        };
        if let Some(body) = node.child_by_field_name("body") {
            self.block(body, &mut class.inner, Rebinding::Yes, depth + 1);
            for statement in children(body) {
                if let Some((name, value)) = self.assignment(statement) {
                    class.assignments.push((name.to_owned(), value));
                }
                class.fields.extend(self.field(statement));
            }
        }
        class
    }

    /// `name: type` or `name: type = value`.
    fn field(&self, statement: Node<'_>) -> Option<Field> {
        let node = statement.named_child(0)?;
        let left = node.child_by_field_name("left")?;
        let annotation = node.child_by_field_name("type")?;
        let default = node.child_by_field_name("right");
        let is_plain = node.kind() == "assignment" && left.kind() == "identifier";
        is_plain.then(|| Field {
            name: text_of(left, self.text).to_owned(),
            annotation: Expression::of_text(text_of(annotation, self.text))
                .unwrap_or(Expression::Other),
            default: default.map(|it| Expression::of(it, self.text)),
        })
    }

    /// `name = value`, with a type or without.
    fn assignment(&self, statement: Node<'_>) -> Option<(&'a str, Expression)> {
        let node = statement.named_child(0)?;
        let left = node.child_by_field_name("left")?;
        let right = node.child_by_field_name("right")?;
        let is_plain = node.kind() == "assignment" && left.kind() == "identifier";
        let value = || Expression::of(right, self.text);
        is_plain.then(|| (text_of(left, self.text), value()))
    }
}

//! Collects the declarations of a module: functions that it exports, and types by their names.

use std::collections::HashMap;

use tree_sitter::Node;

use super::comment::{Comment, Param};
use crate::syntax::{children, text_of};

/// A function, the node that a comment stands before, and the byte of its name.
#[derive(Clone, Copy)]
pub(super) struct DeclaredFunction<'t> {
    pub(super) function: Node<'t>,
    pub(super) statement: Node<'t>,
    pub(super) offset: usize,
}

/// The declarations of a module.
pub(super) struct Scope<'t> {
    /// Functions by the names under which they are exported, in order.
    pub(super) exported: Vec<(String, DeclaredFunction<'t>)>,
    types: HashMap<String, Node<'t>>,
    /// Types that comments define.
    documented: HashMap<String, Comment>,
}

impl<'t> Scope<'t> {
    pub(super) fn of(module: Node<'t>, text: &str) -> Self {
        let mut scope = Self {
            exported: Vec::new(),
            types: HashMap::new(),
            documented: HashMap::new(),
        };
        let mut functions: HashMap<String, DeclaredFunction<'t>> = HashMap::new();
        let mut clauses = Vec::new();
        let mut cursor = module.walk();
        for statement in module.named_children(&mut cursor) {
            let inner = match statement.kind() {
                "comment" => {
                    scope.comment(text_of(statement, text));
                    continue;
                }
                "export_statement" => statement.child_by_field_name("declaration"),
                _ => None,
            };
            let declaration = inner.unwrap_or(statement);
            if declaration.kind() == "export_statement" {
                let is_own = statement.child_by_field_name("source").is_none();
                clauses.extend(is_own.then_some(statement));
                continue;
            }
            scope.declared_type(declaration, text);
            let is_default = is_default(statement);
            for (name, function) in functions_of(declaration, text) {
                let declared = DeclaredFunction {
                    function: function.0,
                    statement,
                    offset: function.1,
                };
                if inner.is_some() && !is_default {
                    scope.exported.push((name.clone(), declared));
                }
                functions.insert(name, declared);
            }
        }
        for clause in clauses {
            scope.clause(clause, text, &functions);
        }
        scope
    }

    /// The node that declares the type `name`.
    pub(super) fn declaration(&self, name: &str) -> Option<Node<'t>> {
        self.types.get(name).copied()
    }

    /// The comment that defines the type `name`.
    pub(super) fn typedef(&self, name: &str) -> Option<&Comment> {
        self.documented.get(name)
    }

    fn declared_type(&mut self, node: Node<'t>, text: &str) {
        let kinds = [
            "interface_declaration",
            "type_alias_declaration",
            "enum_declaration",
        ];
        if let Some(name) = node.child_by_field_name("name")
            && kinds.contains(&node.kind())
        {
            self.types.insert(text_of(name, text).to_owned(), node);
        }
    }

    fn comment(&mut self, text: &str) {
        if let Some(comment) = Comment::parse(text)
            && let Some(Param { name, .. }) = &comment.typedef
        {
            self.documented.insert(name.clone(), comment);
        }
    }

    /// `export { a, b as c }`
    fn clause(
        &mut self,
        statement: Node<'t>,
        text: &str,
        functions: &HashMap<String, DeclaredFunction<'t>>,
    ) {
        let lists = children(statement).into_iter();
        let specifiers = lists
            .filter(|list| list.kind() == "export_clause")
            .flat_map(children);
        for specifier in specifiers {
            let field = |name: &str| {
                let node = specifier.child_by_field_name(name);
                node.map(|node| text_of(node, text))
            };
            let Some(name) = field("name") else {
                continue;
            };
            if let Some(declared) = functions.get(name) {
                let alias = field("alias").unwrap_or(name);
                if alias != "default" {
                    self.exported.push((alias.to_owned(), *declared));
                }
            }
        }
    }
}

/// True if a statement is `export default …`.
fn is_default(statement: Node<'_>) -> bool {
    let mut cursor = statement.walk();
    statement
        .children(&mut cursor)
        .any(|it| it.kind() == "default")
}

/// The functions that a statement declares, by name, each with the byte of its name.
fn functions_of<'t>(node: Node<'t>, text: &str) -> Vec<(String, (Node<'t>, usize))> {
    let named = |node: Node<'t>, function: Node<'t>| {
        let name = node.child_by_field_name("name")?;
        let is_name = name.kind() == "identifier";
        is_name.then(|| {
            (
                text_of(name, text).to_owned(),
                (function, name.start_byte()),
            )
        })
    };
    match node.kind() {
        "function_declaration" => named(node, node).into_iter().collect(),
        "lexical_declaration" => children(node)
            .into_iter()
            .filter_map(|declarator| {
                let value = declarator.child_by_field_name("value")?;
                let is_function = ["arrow_function", "function_expression"].contains(&value.kind());
                is_function.then(|| named(declarator, value))?
            })
            .collect(),
        _ => Vec::new(),
    }
}

//! A file of Python, with what is needed to read its tools.

use tree_sitter::Node;

use super::expression::Expression;
use super::fault::KindAndOffset;
use super::module::Scope;
use crate::definition::{Definition, Function};
use crate::error::{Fault, FaultKind};
use crate::position::Lines;
use crate::syntax::text_of;

/// A parsed file.
pub(super) struct SourceFile<'a> {
    pub(super) text: &'a str,
    pub(super) lines: &'a Lines<'a>,
    pub(super) scope: &'a Scope,
}

impl SourceFile<'_> {
    /// A tool called `name` at the byte `offset`.
    pub(super) fn tool(
        &self,
        name: &str,
        offset: usize,
        definition: Result<Definition, KindAndOffset>,
    ) -> Function {
        Function {
            name: name.to_owned(),
            position: self.lines.position(offset),
            definition: definition.map_err(|(kind, offset)| Fault {
                function: name.to_owned(),
                position: self.lines.position(offset),
                kind,
            }),
        }
    }

    /// Something of the file that does not become a tool.
    pub(super) fn left_out(&self, name: &str, offset: usize, reason: &'static str) -> Function {
        self.tool(name, offset, Err((FaultKind::LeftOut { reason }, offset)))
    }

    /// The name of the definition at `node`, and the byte at which it stands.
    pub(super) fn name_of(&self, node: Node<'_>) -> (String, usize) {
        let name = node.child_by_field_name("name").unwrap_or(node);
        (text_of(name, self.text).to_owned(), name.start_byte())
    }

    /// The whole name of what `expression` names in another module, called or not: its first part,
    /// the package, and its last.
    pub(super) fn import(&self, expression: &Expression) -> Option<(String, String)> {
        let named = match expression {
            Expression::Call(function, _) => function,
            other => other,
        };
        let path = self.scope.path(named)?;
        let package = path.split('.').next().unwrap_or_default().to_owned();
        let name = path.rsplit('.').next().unwrap_or_default().to_owned();
        Some((package, name))
    }
}

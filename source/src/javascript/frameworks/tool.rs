//! A module of JavaScript, and the one form of what the files of frameworks find in it.

use serde_json::{Map, Value};
use tree_sitter::Node;

use crate::definition::{Definition, Function, Signature};
use crate::error::{Fault, FaultKind};
use crate::framework::{Framework, FrameworkTool};
use crate::javascript::zod::{Constants, Unread};
use crate::position::Lines;
use crate::syntax::{children, text_of};

/// A parsed module.
pub(super) struct Module<'t> {
    pub(super) text: &'t str,
    pub(super) lines: &'t Lines<'t>,
    pub(super) constants: Constants<'t>,
}

/// A tool as its framework lists it.
pub(super) struct Tool {
    pub(super) framework: Framework,
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) parameters: Result<Map<String, Value>, Unread>,
    /// What is called: the path of an exported value, or a name.
    pub(super) object: String,
}

impl<'t> Module<'t> {
    /// The definition of a tool that stands at the byte `offset`.
    pub(super) fn tool(&self, tool: Tool, offset: usize) -> Function {
        let definition = match (tool.description, tool.parameters) {
            (_, Err((reason, at))) => Err((FaultKind::LeftOut { reason }, at)),
            (None, _) => Err((FaultKind::NoDescription, offset)),
            (Some(description), Ok(parameters)) => Ok(Definition {
                name: tool.name.clone(),
                description,
                parameters: Value::Object(parameters),
                output: None,
                is_async: true,
                signature: Signature::Dynamic,
                tool: Some(FrameworkTool {
                    framework: tool.framework,
                    object: tool.object,
                    method: None,
                    settings: Vec::new(),
                }),
            }),
        };
        self.function(tool.name, offset, definition)
    }

    /// Something of the file that does not become a tool.
    pub(super) fn left_out(&self, name: &str, offset: usize, reason: &'static str) -> Function {
        let fault = Err((FaultKind::LeftOut { reason }, offset));
        self.function(name.to_owned(), offset, fault)
    }

    fn function(
        &self,
        name: String,
        offset: usize,
        definition: Result<Definition, (FaultKind, usize)>,
    ) -> Function {
        Function {
            position: self.lines.position(offset),
            definition: definition.map_err(|(kind, offset)| Fault {
                function: name.clone(),
                position: self.lines.position(offset),
                kind,
            }),
            name,
        }
    }

    /// True if `name` is imported from a module that `is_wanted`.
    pub(super) fn imports(
        &self,
        module: Node<'_>,
        name: &str,
        is_wanted: impl Fn(&str) -> bool,
    ) -> bool {
        let statements = children(module).into_iter();
        let mut imports = statements.filter(|it| it.kind() == "import_statement");
        imports.any(|statement| {
            let source = statement.child_by_field_name("source");
            let source = source.map_or("", |it| text_of(it, self.text));
            let clause = children(statement)
                .into_iter()
                .find(|it| it.kind() == "import_clause");
            let names = clause.map_or("", |it| text_of(it, self.text));
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let mut words = names.split(|c| !is_word(c));
            is_wanted(source.trim_matches(['"', '\''])) && words.any(|word| word == name)
        })
    }
}

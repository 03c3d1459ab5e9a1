//! Finds the tools that a file of Python has for a framework.
//!
//! Each framework has a file of its own; what they find has one form.

mod class;
mod fastmcp;
mod langchain;
mod llama_index;
mod openai_agents;
mod smolagents;
mod tool;

use tree_sitter::Node;

use super::module::decorators;
use super::source_file::SourceFile;
use crate::definition::Function;
use crate::syntax::children;

/// The tools of `file`, in its order; what it has for a framework and cannot be one says why.
/// Nothing where it uses no framework.
pub(super) fn tools(file: &SourceFile<'_>, module: Node<'_>) -> Vec<Function> {
    let mut found = Vec::new();
    for statement in children(module) {
        let definition = match statement.kind() {
            "decorated_definition" => statement.child_by_field_name("definition"),
            _ => Some(statement),
        };
        let Some(node) = definition else { continue };
        match node.kind() {
            "function_definition" => {
                let decorators = decorators(node, file.text);
                let tool = decorators.iter().find_map(|decorator| {
                    fastmcp::decorated(file, node, decorator)
                        .or_else(|| langchain::decorated(file, node, decorator))
                        .or_else(|| smolagents::decorated(file, node, decorator))
                        .or_else(|| openai_agents::decorated(file, node, decorator))
                });
                match tool {
                    Some(tool) => found.push(tool),
                    None => found.extend(fastmcp::within(file, node)),
                }
            }
            "class_definition" => {
                found.extend(smolagents::class(file, node));
                found.extend(langchain::class(file, node));
                found.extend(llama_index::class(file, node));
            }
            "expression_statement" => found.extend(langchain::assigned(file, node, module)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests;

//! Finds the tools that a module has for a framework: the AI SDK of Vercel, and the SDK of MCP.

mod mcp;
mod tool;
mod vercel;

use tree_sitter::Node;

use super::zod::Constants;
use crate::definition::Function;
use crate::position::Lines;
use tool::Module;

/// The tools of a module, in its order; what it has for a framework and cannot be one says why.
/// Nothing where it uses no framework.
pub(super) fn tools<'t>(module: Node<'t>, text: &'t str, lines: &'t Lines<'t>) -> Vec<Function> {
    let module_read = Module {
        text,
        lines,
        constants: Constants::of(module, text),
    };
    let mut found = vercel::tools(&module_read, module);
    found.extend(mcp::tools(&module_read, module));
    found
}

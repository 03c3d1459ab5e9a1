//! Reads the functions of a Python module as `get_json_schema` of Transformers describes them.
//! Tools that it has for a framework are read as that lists them. The file is parsed and not run.
//! The version of Transformers is 5.23.

mod annotation;
mod arguments;
mod docstring;
mod documented;
mod enumeration;
mod expression;
mod fault;
mod frameworks;
mod hint;
pub(crate) mod imports;
mod literal;
pub(crate) mod methods;
mod module;
mod pydantic;
mod schema;
mod sections;
mod signature;
mod source_file;

use tree_sitter::Node;

use crate::definition::Function;
use crate::error::SourceError;
use crate::function_count::check_function_count;
use crate::language::Language;
use crate::position::Lines;
use crate::syntax;
use documented::Reader;
use module::{Scope, undecorated};
use source_file::SourceFile;

/// The tools that `text` has for a framework. Where there are none, the functions at the top of
/// `text` whose names do not begin with `_`. Of several with one name the last is what the module
/// has.
pub(crate) fn read(text: &str) -> Result<Vec<Function>, SourceError> {
    // Python reads every end of a line as `\n`.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_start_matches('\u{feff}');
    let tree = syntax::parse(text, &tree_sitter_python::LANGUAGE.into(), Language::Python)?;
    let scope = Scope::of(tree.root_node(), text);
    let lines = Lines::of(text);
    let file = SourceFile {
        text,
        lines: &lines,
        scope: &scope,
    };
    let tools = frameworks::tools(&file, tree.root_node());
    check_function_count(tools.len())?;
    let functions = match tools.is_empty() {
        true => plain(&file, tree.root_node())?,
        false => tools,
    };
    let mut known: Vec<Function> = Vec::new();
    for function in functions {
        known.retain(|known| known.name != function.name);
        known.push(function);
    }
    Ok(known)
}

/// The functions at the top of a module.
fn plain(file: &SourceFile<'_>, module: Node<'_>) -> Result<Vec<Function>, SourceError> {
    let reader = Reader {
        text: file.text,
        lines: file.lines,
        scope: file.scope,
    };
    let nodes = syntax::children(module).into_iter().map(undecorated);
    let nodes: Vec<Node<'_>> = nodes
        .filter(|node| node.kind() == "function_definition")
        .collect();
    check_function_count(nodes.len())?;
    let functions = nodes.into_iter().map(|node| reader.function(node));
    Ok(functions
        .filter(|function| !function.name.starts_with('_'))
        .collect())
}

#[cfg(test)]
mod tests;

//! Reads which modules a module of JavaScript or TypeScript imports at its top.

use super::grammar_of::grammar;
use crate::language::Language;
use crate::syntax::{children, parse_leniently, text_of};

/// The modules that `text` imports, as it names them. Imports of types alone do not count.
pub fn module_imports(text: &str, language: Language) -> Vec<String> {
    let Some(tree) = parse_leniently(text, &grammar(language)) else {
        return Vec::new();
    };
    let statements = children(tree.root_node()).into_iter();
    let sources = statements.filter_map(|statement| {
        let source = statement.child_by_field_name("source")?;
        let is_type = text_of(statement, text).starts_with("import type ");
        let name = text_of(source, text).trim_matches(['"', '\'']);
        (!is_type).then(|| name.to_owned())
    });
    sources.collect()
}

//! The grammars of JavaScript and TypeScript.

use crate::language::Language;

/// The grammar of JavaScript or TypeScript.
pub(crate) fn grammar(language: Language) -> tree_sitter::Language {
    let grammar = match language {
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        _ => tree_sitter_typescript::LANGUAGE_TSX,
    };
    grammar.into()
}

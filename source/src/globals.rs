//! Finds the places at which a file of JavaScript or TypeScript uses a global by its name.

use tree_sitter::Node;

use crate::javascript::grammar_of::grammar;
use crate::language::Language;
use crate::limits::SOURCE_BYTES_MAX;
use crate::position::{Lines, Position};
use crate::syntax::{self, children, text_of};

/// Parents of a name that stands for a type only.
const TYPES: [&str; 3] = ["nested_type_identifier", "nested_identifier", "type_query"];
/// Parents of a name that is given to something here, and the field that holds it, where there is
/// one.
const DECLARATIONS: [(&str, Option<&str>); 13] = [
    ("arrow_function", Some("parameter")),
    ("variable_declarator", Some("name")),
    ("function_declaration", Some("name")),
    ("class_declaration", Some("name")),
    ("internal_module", Some("name")),
    ("import_specifier", None),
    ("import_clause", None),
    ("namespace_import", None),
    ("formal_parameters", None),
    ("required_parameter", None),
    ("optional_parameter", None),
    ("array_pattern", None),
    ("catch_clause", None),
];

/// The places at which `text` uses the value `name`, in its order; none where it declares that name
/// itself or first looks whether it is there (`typeof`), and none where it is not written in
/// `language`. A member, a property and a type of that name are something else.
pub fn uses_of_global(text: &str, language: Language, name: &str) -> Vec<Position> {
    let is_script = matches!(language, Language::JavaScript | Language::TypeScript);
    if !is_script || text.len() > SOURCE_BYTES_MAX || !text.contains(name) {
        return Vec::new();
    }
    let Ok(tree) = syntax::parse(text, &grammar(language), language) else {
        return Vec::new();
    };
    let lines = Lines::of(text);
    let mut found = Vec::new();
    // An explicit stack, because a text may be nested arbitrarily deep.
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        let is_name = ["identifier", "shorthand_property_identifier"].contains(&node.kind());
        if is_name && text_of(node, text) == name {
            match role(node, text) {
                Role::Use => found.push(lines.position(node.start_byte())),
                Role::Type => {}
                Role::Known => return Vec::new(),
            }
        } else if node.kind() == "shorthand_property_identifier_pattern"
            && text_of(node, text) == name
        {
            return Vec::new();
        }
        waiting.extend(children(node));
    }
    found.sort_unstable();
    found
}

/// What a name is there for.
enum Role {
    /// Its value is used.
    Use,
    /// It is a part of a type.
    Type,
    /// It is declared, or it is asked whether it is there.
    Known,
}

fn role(node: Node<'_>, text: &str) -> Role {
    let Some(parent) = node.parent() else {
        return Role::Use;
    };
    let field = |name: &str| parent.child_by_field_name(name);
    if TYPES.contains(&parent.kind()) {
        return Role::Type;
    }
    let operator = field("operator").map(|operator| text_of(operator, text));
    if parent.kind() == "unary_expression" && operator == Some("typeof") {
        return Role::Known;
    }
    let mut declarations = DECLARATIONS.iter();
    let is_declared = declarations.any(|(kind, within)| {
        *kind == parent.kind()
            && within.is_none_or(|within| field(within).is_some_and(|named| named == node))
    });
    match is_declared {
        true => Role::Known,
        false => Role::Use,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[(usize, usize)]) {
        let found = uses_of_global(text, Language::TypeScript, "Intl");
        let found: Vec<(usize, usize)> = found.iter().map(|it| (it.line, it.column)).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn values_are_found() {
        check("const a = 1;\nnew Intl.NumberFormat('de');", &[(2, 5)]);
        check("f(Intl); const all = { Intl };", &[(1, 3), (1, 24)]);
        check("const { NumberFormat } = Intl;", &[(1, 26)]);
    }

    #[test]
    fn what_is_something_else_is_not() {
        for text in [
            "// Intl\nconst a = 'Intl';",
            "a.Intl(); const b = { Intl: 1 };",
            "let a: Intl.NumberFormat | undefined; let b: typeof Intl;",
            "import Intl from 'intl'; new Intl.NumberFormat();",
            "import { Intl } from 'intl'; new Intl.NumberFormat();",
            "import * as Intl from 'intl'; new Intl.NumberFormat();",
            "const Intl = { f: 1 }; Intl.f;",
            "function f(Intl: any) { return Intl.f; }",
            "const { Intl } = other; Intl.f;",
            "if (typeof Intl !== 'undefined') new Intl.NumberFormat();",
            "this is no TypeScript: Intl",
        ] {
            check(text, &[]);
        }
        assert!(uses_of_global("Intl.f", Language::Python, "Intl").is_empty());
    }
}

//! Finds the first function or class that a file declares and does not offer, and the reason.

use syn::{Item, spanned::Spanned as _};
use tree_sitter::Node;

use crate::javascript::grammar_of::grammar;
use crate::language::Language;
use crate::position::{Lines, Position};
use crate::syntax::{self, children, text_of};

/// A declaration that makes no tool as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    /// The name, which is empty where it has none.
    pub name: String,
    /// Its position.
    pub position: Position,
    /// The reason, which follows the name in a sentence.
    pub reason: &'static str,
    /// The correction.
    pub hint: &'static str,
}

/// The reason and the correction.
type Reason = (&'static str, &'static str);

const PRIVATE: Reason = (
    "begins with `_`, by which a function is kept from agents",
    "give it a name without `_` at the beginning",
);
const NOT_EXPORTED: Reason = (
    "is not exported",
    "write `export` before it: `export function NAME(…)`",
);
const DEFAULT: Reason = (
    "is the default export, which has no name that agents could use",
    "leave `default` out: `export function NAME(…)`",
);
const COMMON_JS: Reason = (
    "is exported as Node's own modules are",
    "write `export function NAME(…)` instead",
);
const METHOD: Reason = (
    "is a class, and only functions are offered",
    "write its methods as functions of the file, without a class",
);
const NOT_PUB: Reason = ("is not `pub`", "write `pub` before `fn`");

/// The first declaration at the top of `text` that is not offered to agents. Nothing where there
/// is none, and where the text cannot be read.
pub fn withheld(text: &str, language: Language) -> Option<Withheld> {
    let grammar = match language {
        Language::Rust => return in_rust(text),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::JavaScript | Language::TypeScript => grammar(language),
    };
    let tree = syntax::parse(text, &grammar, language).ok()?;
    let statements = children(tree.root_node()).into_iter();
    let (node, (reason, hint)) = statements
        .filter_map(|statement| reason(statement, text))
        .next()?;
    Some(Withheld {
        name: name_of(node, text),
        position: Lines::of(text).position(node.start_byte()),
        reason,
        hint,
    })
}

fn in_rust(text: &str) -> Option<Withheld> {
    let items = crate::rust::items(text).ok()?;
    let function = items.iter().find_map(|item| match item {
        Item::Fn(function) => Some(function),
        _ => None,
    })?;
    let start = function.sig.span().start();
    let (reason, hint) = NOT_PUB;
    Some(Withheld {
        name: function.sig.ident.to_string(),
        position: Position {
            line: start.line,
            column: start.column + 1,
        },
        reason,
        hint,
    })
}

/// The declaration in `statement`, and why it is not offered.
fn reason<'t>(statement: Node<'t>, text: &str) -> Option<(Node<'t>, Reason)> {
    let statement = match statement.kind() {
        "decorated_definition" => statement.child_by_field_name("definition")?,
        _ => statement,
    };
    Some(match statement.kind() {
        "function_definition" => (statement, PRIVATE),
        "function_declaration" if name_of(statement, text).starts_with('_') => (statement, PRIVATE),
        "function_declaration" => (statement, NOT_EXPORTED),
        "class_definition" | "class_declaration" => (statement, METHOD),
        "export_statement" => match statement.child_by_field_name("declaration") {
            Some(class) if class.kind() == "class_declaration" => (class, METHOD),
            Some(function) if name_of(function, text).starts_with('_') => (function, PRIVATE),
            _ => (statement, DEFAULT),
        },
        "expression_statement" => {
            let assigned = statement.named_child(0)?.child_by_field_name("left")?;
            let target = text_of(assigned, text);
            let is_common_js = ["module.exports", "exports."];
            let is_common_js = is_common_js.iter().any(|it| target.starts_with(it));
            is_common_js.then_some((assigned, COMMON_JS))?
        }
        _ => return None,
    })
}

/// The name that a node declares; its own text where it is a name.
fn name_of(node: Node<'_>, text: &str) -> String {
    let declared = node.child_by_field_name("declaration").unwrap_or(node);
    let name = declared.child_by_field_name("name");
    let name = name.or_else(|| (node.kind() == "member_expression").then_some(node));
    name.map_or("", |name| text_of(name, text)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, text: &str, expect: Option<(&str, usize, &str)>) {
        let found = withheld(text, language);
        let found = found
            .as_ref()
            .map(|it| (it.name.as_str(), it.position.line, it.reason));
        match (found, expect) {
            (None, None) => {}
            (Some((name, line, reason)), Some(expect)) => {
                assert_eq!((name, line), (expect.0, expect.1), "{text}");
                assert!(reason.contains(expect.2), "{reason}");
            }
            (found, expect) => panic!("{found:?}, expected {expect:?}: {text}"),
        }
    }

    #[test]
    fn what_is_not_offered_says_why() {
        use Language::{JavaScript, Python, Rust, TypeScript};
        check(
            Python,
            "x = 1\n\ndef _f():\n    pass\n",
            Some(("_f", 3, "begins with `_`")),
        );
        check(
            Python,
            "class Tool:\n    pass\n",
            Some(("Tool", 1, "is a class")),
        );
        check(Python, "x = 1\n", None);
        check(
            JavaScript,
            "const a = 1;\nfunction f() {}",
            Some(("f", 2, "is not exported")),
        );
        check(
            JavaScript,
            "export default function f() {}",
            Some(("f", 1, "default")),
        );
        check(
            JavaScript,
            "module.exports.f = function () {};",
            Some(("module.exports.f", 1, "as Node's own")),
        );
        check(
            TypeScript,
            "export class Sums {}",
            Some(("Sums", 1, "is a class")),
        );
        check(
            Rust,
            "use std::fs;\nfn f() {}",
            Some(("f", 2, "is not `pub`")),
        );
        check(Rust, "fn f( {", None);
    }
}

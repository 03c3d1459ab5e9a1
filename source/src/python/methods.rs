//! Reads the methods of classes in a Python module, with the number of their arguments.

use std::ops::RangeInclusive;

use tree_sitter::Node;

use super::signature::{Kind, parameters};
use crate::language::Language;
use crate::position::{Lines, Position};
use crate::syntax::{self, children, text_of};

/// A method of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// The class.
    pub class: String,
    /// The method's own name.
    pub name: String,
    /// The position of its name.
    pub position: Position,
    /// True for `async def`.
    pub is_async: bool,
    /// How many arguments may be passed by their places; `None` where any number may.
    pub arguments: Option<RangeInclusive<usize>>,
}

/// The methods of the classes at the top of `text`, without those that are decorated. None where
/// the text is no Python.
pub fn methods(text: &str) -> Vec<Method> {
    let grammar = tree_sitter_python::LANGUAGE.into();
    let Ok(tree) = syntax::parse(text, &grammar, Language::Python) else {
        return Vec::new();
    };
    let lines = Lines::of(text);
    let mut found = Vec::new();
    for class in children(tree.root_node()) {
        let (Some(name), Some(body)) = (
            class.child_by_field_name("name"),
            class.child_by_field_name("body"),
        ) else {
            continue;
        };
        if class.kind() != "class_definition" {
            continue;
        }
        let class = text_of(name, text);
        let definitions = children(body).into_iter();
        let definitions = definitions.filter(|it| it.kind() == "function_definition");
        found.extend(definitions.filter_map(|it| method(it, class, text, &lines)));
    }
    found
}

fn method(node: Node<'_>, class: &str, text: &str, lines: &Lines<'_>) -> Option<Method> {
    let name = node.child_by_field_name("name")?;
    let parameters = parameters(node, text);
    let is_any = parameters.iter().any(|it| it.kind == Kind::Rest);
    let by_place = parameters
        .iter()
        .filter(|it| matches!(it.kind, Kind::Either | Kind::Positional));
    let required = by_place.clone().filter(|it| !it.has_default);
    Some(Method {
        class: class.to_owned(),
        name: text_of(name, text).to_owned(),
        position: lines.position(name.start_byte()),
        is_async: syntax::is_async(node),
        arguments: (!is_any).then(|| required.count()..=by_place.count()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_say_how_many_arguments_they_take() {
        let text = "class A(B):\n    def f(self, a, b=1): pass\n    async def g(self): pass\n    \
                    def h(self, *rest): pass\n    @staticmethod\n    def i(): pass\ndef j(): pass\n";
        let found = methods(text);
        let found: Vec<_> = found
            .iter()
            .map(|it| {
                (
                    &*it.name,
                    it.position.line,
                    it.is_async,
                    it.arguments.clone(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("f", 2, false, Some(1..=2)),
                ("g", 3, true, Some(0..=0)),
                ("h", 4, false, None),
            ]
        );
        assert!(methods("class (").is_empty());
    }
}

//! Parses source code with tree-sitter within limits, and reads the nodes of its syntax trees.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use crate::error::SourceError;
use crate::language::Language;
use crate::position::Lines;

/// The most reports of the parser before it is stopped; it reports every hundred steps. The longest
/// valid text takes a tenth of it.
const REPORTS_MAX: usize = 1_000_000;

/// Parses `text`, and refuses what its grammar does not know.
pub(crate) fn parse(
    text: &str,
    grammar: &tree_sitter::Language,
    language: Language,
) -> Result<Tree, SourceError> {
    let tree = parse_leniently(text, grammar).ok_or(SourceError::TooSlow { language })?;
    match first_error(tree.root_node()) {
        Some(node) => Err(SourceError::Syntax {
            language,
            position: Lines::of(text).position(node.start_byte()),
            expected: node
                .is_missing()
                .then(|| format!("expected `{}`", node.kind())),
        }),
        None => Ok(tree),
    }
}

/// Parses `text`; what the grammar does not know is marked in the tree. Nothing when it takes
/// too many steps.
pub(crate) fn parse_leniently(text: &str, grammar: &tree_sitter::Language) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(grammar).ok()?;
    let mut reports = 0;
    let mut watch = |_: &ParseState| {
        reports += 1;
        match reports > REPORTS_MAX {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let bytes = text.as_bytes();
    let mut rest = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut rest, None, Some(options))
}

/// The first part that the grammar does not know. Such a part may begin long before
/// the mistake and hold another one: the inner one is nearer to it where it is on the same line, or
/// where the outer one is the file.
fn first_error(root: Node<'_>) -> Option<Node<'_>> {
    if !root.has_error() {
        return None;
    }
    let (mut node, mut found) = (root, None::<Node<'_>>);
    loop {
        if node.is_error() || node.is_missing() {
            let is_nearer = |outer: Node<'_>| {
                let row = outer.start_position().row;
                outer.start_byte() == 0 || row == node.start_position().row
            };
            if !found.is_none_or(is_nearer) {
                break;
            }
            found = Some(node);
        }
        let mut cursor = node.walk();
        let Some(next) = node.children(&mut cursor).find(|child| child.has_error()) else {
            break;
        };
        node = next;
    }
    Some(found.unwrap_or(node))
}

/// The text of a node.
pub(crate) fn text_of<'a>(node: Node<'_>, text: &'a str) -> &'a str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// True if a function's first word is `async`.
pub(crate) fn is_async(function: Node<'_>) -> bool {
    function
        .child(0)
        .is_some_and(|first| first.kind() == "async")
}

/// The named children of a node, in order, without comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let named = node.named_children(&mut cursor);
    named.filter(|child| !child.is_extra()).collect()
}

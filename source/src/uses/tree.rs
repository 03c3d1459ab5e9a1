//! Finds in the syntax tree of a Python, JavaScript or TypeScript file what it reaches.

use tree_sitter::Node;

use super::found::{Use, UseKind, origin};
use crate::javascript::grammar_of::grammar;
use crate::language::Language;
use crate::position::Lines;
use crate::syntax::{self, children, text_of};

/// Python modules that send requests.
const REQUESTS: [&str; 7] = [
    "aiohttp",
    "http.client",
    "httpx",
    "requests",
    "urllib.request",
    "urllib3",
    "wit_world.imports.outgoing_handler",
];
/// The beginning of the modules of WASI that send requests.
const WASI_HTTP: &str = "wasi:http/";
/// Functions of JavaScript's frameworks for tests.
const TESTS: [&str; 5] = ["describe", "it", "test", "beforeEach", "afterEach"];

/// The uses in `text`; none where it is not written in `language`.
pub(super) fn uses(text: &str, language: Language) -> Vec<Use> {
    let grammar = match language {
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        _ => grammar(language),
    };
    let Ok(tree) = syntax::parse(text, &grammar, language) else {
        return Vec::new();
    };
    let lines = Lines::of(text);
    let mut found = Vec::new();
    // An explicit stack, because a text may be nested arbitrarily deep.
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        if is_documentation(node) || is_test(node, text) {
            continue;
        }
        let kinds = kinds(node, text).into_iter();
        found.extend(kinds.map(|kind| Use {
            kind,
            position: lines.position(node.start_byte()),
        }));
        waiting.extend(children(node));
    }
    found
}

/// True for a statement that is a string alone, as docstrings are.
fn is_documentation(node: Node<'_>) -> bool {
    let only = node.named_child(0);
    node.kind() == "expression_statement" && only.is_some_and(|only| only.kind() == "string")
}

/// True for code that only tests run, or that runs only without the host.
fn is_test(node: Node<'_>, text: &str) -> bool {
    let field = |name: &str| {
        let child = node.child_by_field_name(name);
        child.map_or("", |child| text_of(child, text))
    };
    match node.kind() {
        "function_definition" => field("name").starts_with("test_"),
        "class_definition" => field("name").starts_with("Test"),
        "if_statement" => field("condition").starts_with("__name__ =="),
        "call_expression" => TESTS.contains(&field("function")),
        _ => false,
    }
}

/// The use that the node itself is, without those in it.
fn kinds(node: Node<'_>, text: &str) -> Vec<UseKind> {
    match node.kind() {
        "string" | "template_string" => literal(node, text)
            .and_then(|(text, is_whole)| origin(text, is_whole))
            .into_iter()
            .collect(),
        "call" | "call_expression" => called(node, text).into_iter().collect(),
        "subscript" => {
            let of = node.child_by_field_name("value");
            let is_environment = of.is_some_and(|of| text_of(of, text) == "os.environ");
            let name = node.child_by_field_name("subscript");
            let name = name.and_then(|name| literal(name, text));
            let name = name.filter(|_| is_environment);
            name.map(|(name, _)| UseKind::Variable(name.to_owned()))
                .into_iter()
                .collect()
        }
        "member_expression" => {
            let of = node.child_by_field_name("object");
            let is_environment = of.is_some_and(|of| text_of(of, text) == "process.env");
            let name = node.child_by_field_name("property");
            let name = name.filter(|_| is_environment);
            name.map(|name| UseKind::Variable(text_of(name, text).to_owned()))
                .into_iter()
                .collect()
        }
        "import_statement" | "import_from_statement" => imported(node, text),
        _ => Vec::new(),
    }
}

/// The text of a string up to what is computed in it, and true if nothing is.
fn literal<'a>(node: Node<'_>, text: &'a str) -> Option<(&'a str, bool)> {
    let parts = children(node);
    let content = parts
        .iter()
        .find(|part| ["string_content", "string_fragment"].contains(&part.kind()))?;
    let is_computed =
        |part: &Node<'_>| ["interpolation", "template_substitution"].contains(&part.kind());
    let first = parts.iter().position(is_computed);
    let is_first = first.is_none_or(|first| parts[first].start_byte() > content.start_byte());
    is_first.then(|| (text_of(*content, text), first.is_none()))
}

fn called(node: Node<'_>, text: &str) -> Option<UseKind> {
    let function = text_of(node.child_by_field_name("function")?, text);
    let arguments = children(node.child_by_field_name("arguments")?);
    if function == "fetch" && node.kind() == "call_expression" {
        return Some(UseKind::Requests(function.to_owned()));
    }
    let (first, _) = literal(*arguments.first()?, text)?;
    let is_python = node.kind() == "call";
    match function {
        "os.getenv" | "os.environ.get" => Some(UseKind::Variable(first.to_owned())),
        "open" | "io.open" | "Path" | "pathlib.Path" if is_python => {
            let mode = arguments.get(1).and_then(|mode| literal(*mode, text));
            let mode = mode.map_or("r", |(mode, _)| mode);
            Some(UseKind::Path {
                path: first.to_owned(),
                is_written: mode.contains(['w', 'a', 'x', '+']),
            })
        }
        _ => None,
    }
}

/// The modules that send requests among those that a statement imports.
fn imported(node: Node<'_>, text: &str) -> Vec<UseKind> {
    if let Some(source) = node.child_by_field_name("source") {
        let module = literal(source, text).map_or("", |(module, _)| module);
        let sends = module.starts_with(WASI_HTTP);
        return sends
            .then(|| UseKind::Requests(module.to_owned()))
            .into_iter()
            .collect();
    }
    let module = node.child_by_field_name("module_name");
    let module = module.map(|module| text_of(module, text));
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor);
    let modules = names.map(|name| {
        let name = name.child_by_field_name("name").unwrap_or(name);
        let name = text_of(name, text);
        match module {
            Some(module) if REQUESTS.contains(&module) => module.to_owned(),
            Some(module) => format!("{module}.{name}"),
            None => name.to_owned(),
        }
    });
    let modules = modules.filter(|module| REQUESTS.contains(&module.as_str()));
    modules.map(UseKind::Requests).collect()
}

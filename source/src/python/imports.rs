//! Reads the imports of a Python module, those that run on loading and those that run during calls.

use tree_sitter::Node;

use crate::error::SourceError;
use crate::language::Language;
use crate::limits::SOURCE_BYTES_MAX;
use crate::position::{Lines, Position};
use crate::syntax::{self, children, text_of};

/// An import of a module, or of one name from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The module. Each dot of a relative import is kept in front.
    pub module: String,
    /// The imported name, which may be that of a submodule; `None` for `import module` and `*`.
    pub name: Option<String>,
    /// The time of the import.
    pub time: ImportTime,
    /// Its position in the source.
    pub position: Position,
}

/// The time at which an import runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportTime {
    /// At the loading of the module.
    Load,
    /// At a call of one of its functions.
    Call,
}

/// The imports of `text`, a Python module, in the order of the source.
///
/// # Errors
/// If the text is too long or not valid Python.
pub fn imports(text: &str) -> Result<Vec<Import>, SourceError> {
    if text.len() > SOURCE_BYTES_MAX {
        return Err(SourceError::TooLong { bytes: text.len() });
    }
    let tree = syntax::parse(text, &tree_sitter_python::LANGUAGE.into(), Language::Python)?;
    let lines = Lines::of(text);
    let mut found = Vec::new();
    // An explicit stack, because a text may be nested arbitrarily deep.
    let mut waiting = vec![(tree.root_node(), ImportTime::Load)];
    while let Some((node, time)) = waiting.pop() {
        let position = || lines.position(node.start_byte());
        match node.kind() {
            "import_statement" => found.extend(children(node).into_iter().map(|child| Import {
                module: name_of(child, text),
                name: None,
                time,
                position: position(),
            })),
            "import_from_statement" => {
                let module = node.child_by_field_name("module_name");
                let module = module.map_or("", |module| text_of(module, text));
                let mut cursor = node.walk();
                let names = node.children_by_field_name("name", &mut cursor);
                let names: Vec<String> = names.map(|name| name_of(name, text)).collect();
                let names: Vec<Option<String>> = match names.is_empty() {
                    true => vec![None],
                    false => names.into_iter().map(Some).collect(),
                };
                found.extend(names.into_iter().map(|name| Import {
                    module: module.to_owned(),
                    name,
                    time,
                    position: position(),
                }));
            }
            kind => {
                let time = match kind {
                    "function_definition" | "lambda" => ImportTime::Call,
                    _ => time,
                };
                let below = children(node).into_iter().rev();
                waiting.extend(below.map(|child| (child, time)));
            }
        }
    }
    Ok(found)
}

/// The imported name, without its `as` alias.
fn name_of(node: Node<'_>, text: &str) -> String {
    let name = node.child_by_field_name("name").unwrap_or(node);
    text_of(name, text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[(&str, Option<&str>, ImportTime, usize)]) {
        let found = imports(text).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|it| (&*it.module, it.name.as_deref(), it.time, it.position.line))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn every_form_of_import_is_found() {
        use ImportTime::Load;
        check(
            "import a, b.c as d\nfrom e.f import g as h, i\nfrom . import j\nfrom .k import *\n",
            &[
                ("a", None, Load, 1),
                ("b.c", None, Load, 1),
                ("e.f", Some("g"), Load, 2),
                ("e.f", Some("i"), Load, 2),
                (".", Some("j"), Load, 3),
                (".k", None, Load, 4),
            ],
        );
        check(
            "x = 'import a'\n# import b\nfrom __future__ import annotations\n",
            &[],
        );
    }

    #[test]
    fn an_import_in_a_function_happens_at_its_call() {
        use ImportTime::{Call, Load};
        check(
            "try:\n    import a\nexcept ImportError:\n    a = 0\nclass C:\n    import b\n    def m(self):\n        if self:\n            import c\nasync def f():\n    from d import e\n",
            &[
                ("a", None, Load, 2),
                ("b", None, Load, 6),
                ("c", None, Call, 9),
                ("d", Some("e"), Call, 11),
            ],
        );
    }

    #[test]
    fn what_is_too_long_or_no_python_is_refused() {
        assert!(imports(&" ".repeat(SOURCE_BYTES_MAX + 1)).is_err());
        assert!(imports("import )\n").is_err());
        assert!(imports(&"(".repeat(50_000)).is_err());
    }
}

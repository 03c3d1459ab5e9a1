//! Writes the comments of declarations, with bounds that no type expresses, and reports losses.

use serde_json::Value;
use tool_hub_manifest::{Annotations, FunctionSpec};

use crate::definition::keyword_text::keyword_text;
use crate::definition::loss::LossKind;
use crate::definition::report::Report;
use crate::schema::{Form, Node};

/// Reports what no declaration has a place for, and a name that is not its identifier.
pub(super) fn check_function(spec: &FunctionSpec, identifier: &str, report: &mut Report<'_>) {
    if spec.annotations != Annotations::default() {
        report.add(LossKind::Annotations);
    }
    if identifier != spec.name {
        report.add(LossKind::Renamed {
            pointer: String::new(),
            to: identifier.to_owned(),
        });
    }
}

/// The comment of a function.
pub(super) fn function_text(spec: &FunctionSpec) -> String {
    match &spec.title {
        Some(title) if *title != spec.description => format!("{title}\n\n{}", spec.description),
        _ => spec.description.clone(),
    }
}

/// Keywords that a comment describes because the type is weaker.
const SHAPING: [&str; 11] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
];

/// The comment of a value: its description, and what its type cannot express.
pub(super) fn value_text(node: &Node<'_>, report: &mut Report<'_>) -> String {
    let mut text: Vec<String> = node.description.map(str::to_owned).into_iter().collect();
    let mut add = |node: &Node<'_>, report: &mut Report<'_>| {
        for (name, value) in node.unread(&[]) {
            if SHAPING.contains(&name) {
                report.weakened(&node.pointer, name);
            }
            let words = keyword_text(name, value);
            if !is_plain(node, name, value) && !text.contains(&words) {
                text.push(words);
            }
        }
    };
    add(node, report);
    if let Form::Array(item) = &node.form {
        add(item, report);
    }
    text.join(" ")
}

/// True for bounds that only state the width of an integer, which readers need not know.
fn is_plain(node: &Node<'_>, keyword: &str, value: &Value) -> bool {
    let is_wide = matches!(&node.form, Form::Union(_))
        && ["^[0-9]{1,20}$", "^-?[0-9]{1,19}$"]
            .iter()
            .any(|pattern| node.keyword("pattern").and_then(Value::as_str) == Some(pattern));
    match keyword {
        "pattern" => is_wide,
        "minimum" => is_wide || value.as_i64().is_some_and(|least| least <= i32::MIN.into()),
        "maximum" => is_wide || value.as_u64().is_some_and(|most| most >= i32::MAX as u64),
        _ => false,
    }
}

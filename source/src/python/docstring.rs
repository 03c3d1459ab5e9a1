//! Splits docstrings in Google's style into description, parameters and result.
//! The rules are those of Transformers.

use std::collections::HashMap;

use serde_json::Value;
use tree_sitter::Node;

use super::expression::string;
use super::literal::Text;
use crate::error::FaultKind;
use crate::syntax::children;

/// Tabs reach to columns that are multiples of this number.
const TAB: usize = 8;

/// The parts of a docstring.
pub(super) struct Docstring {
    pub(super) description: String,
    /// The descriptions of the parameters.
    pub(super) parameters: HashMap<String, String>,
    pub(super) returns: Option<String>,
}

/// The docstring of the function at `node`, if it has one that says something.
pub(super) fn of(node: Node<'_>, text: &str) -> Result<Option<Docstring>, FaultKind> {
    let Some(literal) = literal(node) else {
        return Ok(None);
    };
    match string(literal, text) {
        Text::Plain(text) => {
            let text = cleaned(&text);
            Ok((!text.is_empty()).then(|| parse(strip(&text))))
        }
        Text::Other => Ok(None),
        Text::Unreadable => Err(FaultKind::UnreadableDescription),
    }
}

/// The docstring of the function or class at `node`, as `inspect.getdoc` returns it.
pub(super) fn text_in(node: Node<'_>, text: &str) -> Option<String> {
    match string(literal(node)?, text) {
        Text::Plain(text) => Some(cleaned(&text)).filter(|text| !text.is_empty()),
        Text::Other | Text::Unreadable => None,
    }
}

/// The literal that a body begins with.
fn literal(node: Node<'_>) -> Option<Node<'_>> {
    let body = node.child_by_field_name("body")?;
    let first = children(body).first().copied();
    let statement = first.filter(|first| first.kind() == "expression_statement");
    let literal = statement?.named_child(0)?;
    ["string", "concatenated_string"]
        .contains(&literal.kind())
        .then_some(literal)
}

/// White space as Python has it.
fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// A docstring as `inspect.cleandoc` returns it: without the indentation that all lines but the
/// first have in common.
fn cleaned(text: &str) -> String {
    let expanded = expand_tabs(text);
    let mut lines: Vec<&str> = expanded.split('\n').collect();
    let indent = |line: &&str| {
        let content = line.trim_start_matches(is_space);
        (!content.is_empty()).then(|| line.chars().count() - content.chars().count())
    };
    let margin = lines.iter().skip(1).filter_map(indent).min();
    for (index, line) in lines.iter_mut().enumerate() {
        *line = match (index, margin) {
            (0, _) => line.trim_start_matches(is_space),
            (_, Some(margin)) => {
                let start = line.char_indices().nth(margin);
                start.map_or("", |(start, _)| &line[start..])
            }
            (_, None) => line,
        };
    }
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.is_empty()).count();
    lines[blank..].join("\n")
}

fn expand_tabs(text: &str) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut column = 0;
    for character in text.chars() {
        match character {
            '\t' => {
                let width = TAB - column % TAB;
                expanded.extend(std::iter::repeat_n(' ', width));
                column += width;
            }
            '\n' | '\r' => {
                expanded.push(character);
                column = 0;
            }
            _ => {
                expanded.push(character);
                column += 1;
            }
        }
    }
    expanded
}

fn parse(text: &str) -> Docstring {
    let description = &text[..earliest(text, &["Args:", "Returns:", "Raises:"])];
    let parameters = section(text, "Args:\n").map(|rest| {
        let end = earliest(rest, &["Returns:", "Raises:"]);
        parameters(rest[..end].trim_end_matches(is_space))
    });
    let returns = section(text, "Returns:\n").map(|rest| {
        // Transformers includes an `Args:` section that follows in the description of the result.
        let rest = &rest[..section_start(rest, "Args:\n").unwrap_or(rest.len())];
        let rest = rest.trim_start_matches(is_space);
        strip(&rest[..earliest(rest, &["Raises:"])]).to_owned()
    });
    Docstring {
        description: strip(description).to_owned(),
        parameters: parameters.unwrap_or_default(),
        returns,
    }
}

/// The place of the first of `words`, or the end.
fn earliest(text: &str, words: &[&str]) -> usize {
    let places = words.iter().filter_map(|word| text.find(word));
    places.min().unwrap_or(text.len())
}

/// The text after the first `heading` that begins a line.
fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let at = section_start(text, heading)?;
    Some(&text[at + heading.len()..])
}

/// The offset of the first `heading` at the beginning of a line.
fn section_start(text: &str, heading: &str) -> Option<usize> {
    let begins_line = |at: &usize| {
        let before = &text[..*at];
        let gap = &before[before.trim_end_matches(is_space).len()..];
        gap.contains('\n')
    };
    let mut places = text.match_indices(heading).map(|(at, _)| at);
    places.find(begins_line)
}

/// The parameters of a block: `name: text`, where text goes on until a line that begins with
/// another name and is indented no deeper.
fn parameters(block: &str) -> HashMap<String, String> {
    let lines = block.split('\n').filter(|line| !strip(line).is_empty());
    let block = lines.collect::<Vec<_>>().join("\n");
    let mut found = HashMap::new();
    let mut at = 0;
    while let Some((head, start)) = next_head(&block, at) {
        let ends = block[start..]
            .match_indices('\n')
            .map(|(end, _)| start + end);
        let mut ends = ends.filter(|end| ends_before(&block[end + 1..], head.indent));
        let end = ends.next().unwrap_or(block.len());
        found.insert(head.name.to_owned(), on_one_line(&block[start..end]));
        at = end;
    }
    found
}

/// The beginning of a parameter's line.
struct ParameterHeading<'a> {
    indent: &'a str,
    name: &'a str,
}

/// The first line from `at` on that names a parameter, and where its text begins. `at` is
/// the start of the block or an end of a line.
fn next_head(block: &str, at: usize) -> Option<(ParameterHeading<'_>, usize)> {
    let first = (at == 0).then_some(0);
    let later = block[at..].match_indices('\n').map(|(end, _)| at + end + 1);
    first.into_iter().chain(later).find_map(|line| {
        let (head, length) = head(&block[line..])?;
        let rest = &block[line + length..];
        let gap = rest.len() - rest.trim_start_matches(is_space).len();
        Some((head, line + length + gap))
    })
}

/// `name:` at the beginning of a text, and how long that is.
fn head(text: &str) -> Option<(ParameterHeading<'_>, usize)> {
    let rest = text.trim_start_matches([' ', '\t']);
    let indent = &text[..text.len() - rest.len()];
    let after = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let name = &rest[..rest.len() - after.len()];
    let is_head = !name.is_empty() && after.starts_with(':');
    is_head.then(|| {
        (
            ParameterHeading { indent, name },
            indent.len() + name.len() + 1,
        )
    })
}

/// True if a line begins another parameter than one with this indentation.
fn ends_before(line: &str, indent: &str) -> bool {
    let deeper = line.strip_prefix(indent);
    let is_deeper = deeper.is_some_and(|rest| rest.starts_with([' ', '\t']));
    !is_deeper && head(line).is_some()
}

fn on_one_line(text: &str) -> String {
    let mut lines = strip(text)
        .split('\n')
        .map(strip)
        .filter(|line| !line.is_empty());
    let mut whole = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        whole.push(' ');
        whole.push_str(line);
    }
    whole
}

/// The choices that a description ends with, and what stands before them: the values, or
/// nothing where they cannot be read.
pub(super) fn choices(text: &str) -> Option<(&str, Option<Vec<Value>>)> {
    const OPENING: &str = "(choices:";
    let inner = text.trim_end_matches(is_space).strip_suffix(')')?;
    let start = inner.to_ascii_lowercase().find(OPENING)?;
    let values = inner[start + OPENING.len()..].trim_start_matches(is_space);
    let values = match serde_json::from_str(values) {
        Ok(Value::Array(values)) => Some(values),
        Ok(Value::Object(members)) => Some(members.into_iter().map(|it| it.0.into()).collect()),
        _ => None,
    };
    let stripped = |value| match value {
        Value::String(text) => strip(&text).into(),
        other => other,
    };
    let values = values.map(|values: Vec<Value>| values.into_iter().map(stripped).collect());
    Some((strip(&text[..start]), values))
}

//! Finds calls that were read as text because they are written in another format.

use super::families;
use super::family::{Family, State};

/// The longest tag that is recognised without being in the table of families, in bytes.
const TAG_BYTES_MAX: usize = 48;
/// The endings of a tag's name that announce a call.
const TAG_ENDS: [&str; 4] = ["tool_call", "tool_calls", "function_call", "function_calls"];
/// The beginning of a list of calls in the way of Phi-4-mini, which uses no tag.
const LIST: &str = "functools[";

/// A text that looks like the beginning of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadCall {
    /// The text itself, such as `<tool_call>`.
    pub marker: String,
    /// The families that begin calls so, if any does.
    pub families: Vec<&'static str>,
}

impl UnreadCall {
    /// The first beginning of a call in `text`: a marker of some family, or a tag named after
    /// calls. Quoted markers and those within a sentence do not count.
    pub fn find(text: &str) -> Option<Self> {
        let begins = |(at, _)| {
            let marker = marker(&text[at..])?;
            stands_alone(text, at, marker).then_some(marker)
        };
        let marker = text
            .char_indices()
            .filter(|(_, character)| matches!(character, '<' | '[' | 'f'))
            .find_map(begins)?;
        let begins = |family: &&Family| {
            family
                .rows
                .iter()
                .any(|row| row.from == State::Text && row.to.is_in_call() && row.marker == marker)
        };
        Some(Self {
            marker: marker.to_owned(),
            families: families::all()
                .filter(begins)
                .map(|family| family.name)
                .collect(),
        })
    }
}

/// The marker that `rest` begins with.
fn marker(rest: &str) -> Option<&str> {
    if rest.starts_with('f') {
        return rest.starts_with(LIST).then_some(LIST);
    }
    let known = families::all().flat_map(|family| family.rows);
    let known = known.filter(|row| row.begins_call() && rest.starts_with(row.marker));
    let longest = known
        .map(|row| row.marker)
        .max_by_key(|marker| marker.len());
    longest.or_else(|| tag(rest))
}

/// The tag that `rest` begins with, if its name says that a call follows.
fn tag(rest: &str) -> Option<&str> {
    let within = &rest[..rest.floor_char_boundary(TAG_BYTES_MAX)];
    let end = within.find(['>', ']'])?;
    let name = within[1..end].trim_matches(['|', '｜']);
    let is_name = !name.starts_with('/') && !name.contains(char::is_whitespace);
    let lower = name.to_lowercase();
    let says_so = TAG_ENDS.iter().any(|end| lower.ends_with(end));
    (is_name && says_so).then_some(&rest[..=end])
}

/// True if the marker at `at` is not quoted, and either begins a line or is followed by what a call
/// looks like.
fn stands_alone(text: &str, at: usize, marker: &str) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    let is_quoted = before.ends_with(['`', '"', '\'', '“', '«']);
    let begins_line = before.is_empty() || before.ends_with('\n');
    let after = text[at + marker.len()..].trim_start();
    let is_quoted = is_quoted || after.starts_with(['`', '"', '\'', '”', '»']);
    let has_form = marker.ends_with(['[', '{']) || after.starts_with(['{', '[', '<']);
    !is_quoted && (begins_line || has_form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_others_are_seen() {
        for (text, marker, family) in [
            ("<|python_tag|>add(a=1)", "<|python_tag|>", Some("llama-3")),
            (
                "functools[{\"name\": \"add\"}]",
                "functools[",
                Some("phi-4"),
            ),
            (
                "Sure. [TOOL_CALLS][{\"name\": \"add\"}]",
                "[TOOL_CALLS]",
                Some("mistral"),
            ),
            ("So:\n<acme:tool_call>\nadd\n", "<acme:tool_call>", None),
            (
                "Sure.<|acme_tool_call|>{\"a\": 1}",
                "<|acme_tool_call|>",
                None,
            ),
            ("<FUNCTION_CALLS>\n", "<FUNCTION_CALLS>", None),
        ] {
            let found = UnreadCall::find(text).unwrap();
            assert_eq!(found.marker, marker, "{text}");
            match family {
                Some(family) => assert!(found.families.contains(&family), "{found:?}"),
                None => assert_eq!(found.families, <[&str; 0]>::default(), "{text}"),
            }
        }
    }

    #[test]
    fn prose_and_json_are_no_calls() {
        for text in [
            "",
            "It is 42.",
            "{\"answer\": [1, 2, {\"tool_call\": \"<none>\"}]}",
            "[1, 2]",
            "Hermes writes `<tool_call>` before {\"name\": …}, Llama <|python_tag|> before code.",
            "Set <b>tool_calls</b> to 1.",
            "functools is a module; functools.reduce(f, [1])",
            "</tool_call>",
            "a[tool_call] = 1",
            "<tool_call id",
        ] {
            assert_eq!(UnreadCall::find(text), None, "{text}");
        }
    }
}

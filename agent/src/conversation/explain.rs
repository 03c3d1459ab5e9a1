//! Shows how a model sees tools: the text that its chat template prints, and what it omits.

use std::fmt;
use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use tool_hub_manifest::FunctionSpec;

use crate::conversation::chat_template::{Chat, ChatTemplate, TemplateError};
use crate::definition::Dialect;
use crate::definition::export::export;

/// The prompt that a model reads when tools are offered to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// All of it.
    pub text: String,
    /// The byte range of the tools: where the prompt differs from one without tools.
    pub tools: Range<usize>,
    /// The omitted parts: those of definitions that the prompt does not contain.
    pub unseen: Vec<OmittedPart>,
}

/// An omitted part: one of a function's definition that is nowhere in the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OmittedPart {
    /// The function.
    pub function: String,
    /// The argument that it belongs to. Absent where it is of the function itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The part.
    pub part: Part,
}

/// A part of a definition that a model should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Part {
    /// Its name.
    Name,
    /// Its description.
    Description,
}

impl fmt::Display for OmittedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self.part {
            Part::Name => "name",
            Part::Description => "description",
        };
        match &self.argument {
            Some(argument) => write!(f, "the {part} of `{argument}` of `{}`", self.function),
            None => write!(f, "the {part} of `{}`", self.function),
        }
    }
}

/// Prints `chat` with a model's template, and `specs` in place of its tools.
///
/// # Errors
/// When the template does not print such a conversation.
pub fn explain(
    template: &ChatTemplate,
    chat: Chat,
    specs: &[FunctionSpec],
) -> Result<Explanation, TemplateError> {
    let without = Chat {
        tools: None,
        ..chat
    };
    let definitions = export(specs, Dialect::HuggingFace).tools;
    let with = Chat {
        tools: definitions.as_array().filter(|it| !it.is_empty()).cloned(),
        ..without.clone()
    };
    let text = template.render(&with)?;
    // Templates that iterate over the tools without checking for them need an empty list.
    let without = template.render(&without).or_else(|_| {
        template.render(&Chat {
            tools: Some(Vec::new()),
            ..without
        })
    });
    // A template that is for tools only may refuse a conversation without.
    let tools = match without {
        Ok(without) => difference(&text, &without),
        Err(_) => 0..text.len(),
    };
    let unseen = specs
        .iter()
        .flat_map(|spec| unseen(&text[tools.clone()], spec));
    Ok(Explanation {
        unseen: unseen.collect(),
        tools,
        text,
    })
}

/// The part of `text` that is not the same in `other`.
fn difference(text: &str, other: &str) -> Range<usize> {
    let same = |(one, other): &(char, char)| one == other;
    let width = |(one, _): (char, char)| one.len_utf8();
    let begin: usize = text
        .chars()
        .zip(other.chars())
        .take_while(same)
        .map(width)
        .sum();
    let rest = text[begin..]
        .chars()
        .rev()
        .zip(other[begin..].chars().rev());
    let end: usize = rest.take_while(same).map(width).sum();
    at_a_mark(text, begin..text.len() - end)
}

/// Shifts the difference so that it begins with an opening mark if possible: of `<s>` + `<t></t>` +
/// `<u>` and `<s><u>` it is `<t></t>` and not `t></t><`.
fn at_a_mark(text: &str, range: Range<usize>) -> Range<usize> {
    let begins = |at: usize| text[..at].ends_with('\n') || text[at..].starts_with(['<', '[']);
    let mut moved = range.clone();
    while !begins(moved.start) {
        let (before, last) = (&text[..moved.start], &text[..moved.end]);
        match (before.chars().next_back(), last.chars().next_back()) {
            (Some(before), Some(last)) if before == last && !moved.is_empty() => {
                moved = moved.start - before.len_utf8()..moved.end - last.len_utf8();
            }
            _ => return range,
        }
    }
    moved
}

fn unseen(text: &str, spec: &FunctionSpec) -> Vec<OmittedPart> {
    let mut unseen = Vec::new();
    let mut look = |argument: Option<&str>, part: Part, wanted: &str| {
        if !shows(text, wanted) {
            unseen.push(OmittedPart {
                function: spec.name.clone(),
                argument: argument.map(str::to_owned),
                part,
            });
        }
    };
    look(None, Part::Name, &spec.name);
    look(None, Part::Description, &spec.description);
    let arguments = spec.input_schema["properties"]
        .as_object()
        .into_iter()
        .flatten();
    for (name, schema) in arguments {
        look(Some(name), Part::Name, name);
        if let Some(description) = schema["description"].as_str() {
            look(Some(name), Part::Description, description);
        }
    }
    unseen
}

/// True if `text` contains `wanted`, trimmed, as it is or escaped as in JSON.
fn shows(text: &str, wanted: &str) -> bool {
    let wanted = wanted.trim();
    let json = Value::from(wanted).to_string();
    let json = &json[1..json.len() - 1];
    [wanted, json, &in_ascii(json)]
        .into_iter()
        .any(|form| text.contains(form))
}

/// JSON with what is not ASCII escaped.
fn in_ascii(json: &str) -> String {
    let escape = |unit: &u16| format!("\\u{unit:04x}");
    let written = json.chars().map(|character| match character.is_ascii() {
        true => character.to_string(),
        false => character
            .encode_utf16(&mut [0; 2])
            .iter()
            .map(escape)
            .collect(),
    });
    written.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use tool_hub_manifest::Annotations;

    use super::*;

    fn spec() -> FunctionSpec {
        FunctionSpec {
            name: "count_words".into(),
            title: None,
            description: "Counts \"words\" of größe.".into(),
            input_schema: json!({"type": "object", "properties": {
                "text": {"type": "string", "description": "What to count."},
                "limit": {"type": "integer"},
            }}),
            output_schema: None,
            annotations: Annotations::default(),
        }
    }

    fn explained(template: &str) -> Explanation {
        let message = json!({"role": "user", "content": "Hi"});
        let chat = Chat {
            messages: vec![Map::from_iter(message.as_object().cloned().unwrap())],
            ..Chat::default()
        };
        explain(&ChatTemplate::new(template).unwrap(), chat, &[spec()]).unwrap()
    }

    #[track_caller]
    fn check(template: &str, tools: &str, unseen: &[&str]) {
        let explained = explained(template);
        assert_eq!(&explained.text[explained.tools], tools);
        let omitted: Vec<String> = explained
            .unseen
            .iter()
            .map(OmittedPart::to_string)
            .collect();
        assert_eq!(omitted, unseen);
    }

    #[test]
    fn the_part_of_the_tools_is_what_differs() {
        check(
            "<s>{% for t in tools or [] %}<t>{{ t.function.name }}: {{ t.function.description }}\
             {{ t.function.parameters | tojson }}</t>{% endfor %}<u>{{ messages[0].content }}",
            concat!(
                "<t>count_words: Counts \"words\" of größe.{\"type\": \"object\", \"properties\": ",
                "{\"text\": {\"type\": \"string\", \"description\": \"What to count.\"}, ",
                "\"limit\": {\"type\": \"integer\"}}}</t>",
            ),
            &[],
        );
        let ascii = "{% if tools %}{{ tools | tojson(ensure_ascii=True) }}{% endif %}|{{ messages[0].content }}";
        let explained = explained(ascii);
        assert_eq!(explained.unseen, []);
        assert!(explained.text.ends_with("]|Hi"), "{}", explained.text);
    }

    #[test]
    fn what_a_model_never_reads_is_told() {
        let names = "{% for t in tools or [] %}[{{ t.function.name }}]{% endfor %}";
        check(
            names,
            "[count_words]",
            &[
                "the description of `count_words`",
                "the name of `text` of `count_words`",
                "the description of `text` of `count_words`",
                "the name of `limit` of `count_words`",
            ],
        );
        check(
            "{{ messages[0].content }}",
            "",
            &[
                "the name of `count_words`",
                "the description of `count_words`",
                "the name of `text` of `count_words`",
                "the description of `text` of `count_words`",
                "the name of `limit` of `count_words`",
            ],
        );
    }

    #[test]
    fn no_tools_are_none_and_no_empty_list() {
        let template = ChatTemplate::new("{{ 'none' if tools is none else 'some' }}").unwrap();
        let explained = explain(&template, Chat::default(), &[]).unwrap();
        assert_eq!(explained.text, "none");
    }

    #[test]
    fn a_template_for_tools_only_is_all_about_them() {
        let needs = "{% for t in tools %}[{{ t.function | tojson }}]{% endfor %}";
        let explained = explained(needs);
        assert_eq!(explained.tools, 0..explained.text.len());
        assert_eq!(explained.unseen, []);
        let refuses =
            "{% if not tools %}{{ raise_exception('none') }}{% endif %}{{ tools | tojson }}";
        let explained = self::explained(refuses);
        assert_eq!(explained.tools, 0..explained.text.len());
    }

    #[test]
    fn a_template_that_never_checks_for_tools_gets_an_empty_list() {
        let unasked =
            "<s>{% for t in tools %}[{{ t.function.name }}]{% endfor %}|{{ messages[0].content }}";
        let explained = explained(unasked);
        assert_eq!(&explained.text[explained.tools.clone()], "[count_words]");
    }
}

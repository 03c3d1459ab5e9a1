//! Types for the prompts that a tool offers, and their reading from component values.

use std::collections::HashSet;

use tool_hub_manifest::contract::{Content, Failure, Role};
use wasmtime::component::Val;

use crate::offerings::entries::{bounded, fault, quoted};
use crate::values::contract::{ok, part, role};
use crate::values::val::{TypeMismatch, items, members, optional_text, text};

/// The longest name of a prompt or of one of its arguments.
const NAME_LENGTH_MAX: usize = 64;

/// A prompt as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// Its name within the tool: `[a-z0-9_]`, at most 64 characters.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// Its purpose.
    pub description: Option<String>,
    /// Its arguments, in the order in which to ask for them.
    pub arguments: Vec<PromptArgument>,
}

/// Something that is filled into a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Its name within the prompt: `[a-z0-9_]`, at most 64 characters.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// True if the prompt makes no sense without it.
    pub required: bool,
}

/// One message of a filled-in prompt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// The role of the speaker.
    pub role: Role,
    /// The content.
    pub content: Content,
}

/// Reads a list of prompts.
pub(crate) fn prompts(value: &Val) -> Result<Vec<Prompt>, Failure> {
    let values = items(value)?;
    bounded(values.len(), "prompts")?;
    let prompts = values.iter().map(prompt).collect::<Result<Vec<_>, _>>()?;
    names(prompts.iter().map(|prompt| &*prompt.name), "prompt")?;
    for prompt in &prompts {
        let arguments = prompt.arguments.iter().map(|argument| &*argument.name);
        names(arguments, "prompt's argument")?;
    }
    Ok(prompts)
}

fn prompt(value: &Val) -> Result<Prompt, TypeMismatch> {
    let [name, title, description, arguments] = members(value)?;
    Ok(Prompt {
        name: text(name)?,
        title: optional_text(title)?,
        description: optional_text(description)?,
        arguments: items(arguments)?
            .iter()
            .map(argument)
            .collect::<Result<_, _>>()?,
    })
}

fn argument(value: &Val) -> Result<PromptArgument, TypeMismatch> {
    let [name, description, required] = members(value)?;
    Ok(PromptArgument {
        name: text(name)?,
        description: optional_text(description)?,
        required: matches!(required, Val::Bool(true)),
    })
}

fn message(value: &Val) -> Result<PromptMessage, TypeMismatch> {
    let [who, content] = members(value)?;
    Ok(PromptMessage {
        role: role(who)?,
        content: part(content)?,
    })
}

/// Reads the messages of a filled-in prompt.
pub(crate) fn messages(result: Option<&Val>) -> Result<Vec<PromptMessage>, Failure> {
    let messages = items(ok(result)?)?;
    bounded(messages.len(), "messages")?;
    let messages: Result<_, TypeMismatch> = messages.iter().map(message).collect();
    Ok(messages?)
}

/// Names have characters that every agent takes, and no two are alike.
fn names<'a>(names: impl Iterator<Item = &'a str>, what: &str) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    for name in names {
        let is_name = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
        if name.is_empty() || name.len() > NAME_LENGTH_MAX || !name.bytes().all(is_name) {
            return Err(fault(format!(
                "the tool calls a {what} `{}`; a name is 1 to {NAME_LENGTH_MAX} of a-z, 0-9 and `_`",
                quoted(name)
            )));
        }
        if !seen.insert(name) {
            return Err(fault(format!(
                "the tool calls more than one {what} `{name}`"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offerings::entries::ENTRIES_MAX;

    /// A prompt of each name, each with arguments of these names.
    #[track_caller]
    fn check(prompts: &[&str], arguments: &[&str], expect: Result<(), &str>) {
        let text = |text: &str| Val::String(text.to_owned());
        let record = |fields: Vec<(&str, Val)>| {
            let fields = fields.into_iter();
            Val::Record(
                fields
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect(),
            )
        };
        let argument = |name: &&str| {
            record(vec![
                ("name", text(name)),
                ("description", Val::Option(None)),
                ("required", Val::Bool(true)),
            ])
        };
        let prompt = |name: &&str| {
            record(vec![
                ("name", text(name)),
                ("title", Val::Option(None)),
                ("description", Val::Option(Some(Box::new(text("x"))))),
                (
                    "arguments",
                    Val::List(arguments.iter().map(argument).collect()),
                ),
            ])
        };
        let listed = self::prompts(&Val::List(prompts.iter().map(prompt).collect()));
        let named = listed.map(|listed| {
            let names: Vec<&str> = listed.iter().map(|prompt| &*prompt.name).collect();
            assert_eq!(names, prompts);
            for prompt in &listed {
                assert_eq!(prompt.arguments.len(), arguments.len());
                assert!(prompt.arguments.iter().all(|argument| argument.required));
            }
        });
        assert_eq!(
            named.map_err(|failure| failure.message),
            expect.map_err(str::to_owned)
        );
    }

    #[test]
    fn prompts_and_their_arguments_have_names_that_agents_take() {
        let long = "x".repeat(64);
        check(&[], &[], Ok(()));
        check(&["a_1", "b", &long], &["x", "y"], Ok(()));
        let rule = "a name is 1 to 64 of a-z, 0-9 and `_`";
        for name in ["", "A", "a-b", "a b", "ä", "a\n"] {
            let shown = name.escape_debug();
            let wrong = format!("the tool calls a prompt `{shown}`; {rule}");
            check(&[name], &[], Err(&wrong));
            let wrong = format!("the tool calls a prompt's argument `{shown}`; {rule}");
            check(&["a"], &[name], Err(&wrong));
        }
        check(
            &["a", "b", "a"],
            &[],
            Err("the tool calls more than one prompt `a`"),
        );
        check(
            &["a"],
            &["x", "x"],
            Err("the tool calls more than one prompt's argument `x`"),
        );
        let many = vec!["a"; ENTRIES_MAX + 1];
        check(
            &many,
            &[],
            Err("the tool gives 1001 prompts at once; the host takes 1000"),
        );
    }
}

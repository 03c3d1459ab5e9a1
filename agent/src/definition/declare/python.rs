//! Writes a Python stub: each function takes keyword arguments; objects are typed dictionaries.

use std::collections::HashSet;

use serde_json::Value;
use tool_hub_manifest::FunctionSpec;

use super::comments::{check_function, function_text, value_text};
use super::language::Language;
use super::reserved;
use super::union::union;
use crate::definition::comment;
use crate::definition::loss::{Loss, LossKind};
use crate::definition::report::Report;
use crate::schema::{Document, Form, Member, Node, Presence, Rest};

const HEADER: &str = "\
#: The functions of a toolbox. Arguments are given by name.

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
";

/// The stub that declares `specs`.
pub(super) fn stub(specs: &[FunctionSpec], losses: &mut Vec<Loss>) -> String {
    let mut taken: HashSet<String> = specs
        .iter()
        .map(|spec| Language::Python.identifier(&spec.name))
        .chain(reserved::PYTHON.map(str::to_owned))
        .collect();
    let mut text = HEADER.to_owned();
    for spec in specs {
        let identifier = Language::Python.identifier(&spec.name);
        let mut report = Report {
            function: &spec.name,
            losses,
        };
        check_function(spec, &identifier, &mut report);
        let mut result = "Any".to_owned();
        let mut types = String::new();
        if let Some(schema) = &spec.output_schema {
            let mut writer = Writer::new(schema, &mut taken, &mut report);
            writer.define(&identifier);
            result = writer.of(
                &writer.document.root(),
                &format!("{}Result", camel(&identifier)),
            );
            types = writer.types;
        }
        let mut writer = Writer::new(&spec.input_schema, &mut taken, &mut report);
        writer.define(&identifier);
        let (parameters, about) = writer.parameters(&identifier);
        types.push_str(&writer.types);
        text.push_str(&types);
        let words = [function_text(spec), about].join("\n\n");
        text.push_str(&format!(
            "\ndef {identifier}({parameters}) -> {result}:\n{}    ...\n",
            docstring(&words)
        ));
    }
    text
}

struct Writer<'w, 'r, 'a> {
    document: Document<'a>,
    /// The names of what the document defines.
    names: Vec<(&'a str, String)>,
    /// Types that have been written.
    types: String,
    taken: &'w mut HashSet<String>,
    report: &'w mut Report<'r>,
}

impl<'w, 'r, 'a> Writer<'w, 'r, 'a> {
    fn new(schema: &'a Value, taken: &'w mut HashSet<String>, report: &'w mut Report<'r>) -> Self {
        Self {
            document: Document::new(schema),
            names: Vec::new(),
            types: String::new(),
            taken,
            report,
        }
    }

    /// A name that nothing else has: `wanted`, or with a number.
    fn free(&mut self, wanted: &str) -> String {
        let numbered = (2..).map(|number| format!("{wanted}{number}"));
        let mut candidates = std::iter::once(wanted.to_owned()).chain(numbered);
        let taken = &mut *self.taken;
        candidates
            .find(|name| taken.insert(name.clone()))
            .unwrap_or_default()
    }

    /// Writes the types that the schema defines for itself.
    fn define(&mut self, function: &str) {
        let definitions = self.document.definitions();
        for (name, _) in &definitions {
            let wanted = format!(
                "{}{}",
                camel(function),
                camel(&Language::Python.identifier(name))
            );
            let free = self.free(&wanted);
            self.names.push((name, free));
        }
        for (index, (_, node)) in definitions.iter().enumerate() {
            let name = self.names[index].1.clone();
            if let Form::Object(members, rest) = &node.form
                && !members.is_empty()
            {
                self.dictionary(&name, node, members, rest);
            } else {
                let written = self.of(node, &format!("{name}Value"));
                let about = marked(&value_text(node, self.report), "");
                self.types
                    .push_str(&format!("\n{about}{name}: TypeAlias = {written}\n"));
            }
        }
    }

    /// The function's parameters, and their part of its docstring.
    fn parameters(&mut self, function: &str) -> (String, String) {
        let root = self.document.root();
        let Form::Object(members, rest) = &root.form else {
            let written = self.of(&root, &format!("{}Arguments", camel(function)));
            return (format!("arguments: {written}, /"), String::new());
        };
        if matches!(rest, Rest::Open | Rest::Typed(_)) {
            self.report.weakened(&root.pointer, "additionalProperties");
        }
        if members.is_empty() {
            return (String::new(), String::new());
        }
        let (mut parameters, mut about) = ("*".to_owned(), String::new());
        for member in members {
            let name = Language::Python.argument(member.name);
            let written = self.of(
                &member.node,
                &format!("{}{}", camel(function), camel(&name)),
            );
            let default = match member.presence {
                Presence::Required => "",
                Presence::Optional => " = ...",
            };
            parameters.push_str(&format!(", {name}: {written}{default}"));
            let words = value_text(&member.node, self.report);
            if !words.is_empty() {
                about.push_str(&format!("{name}: {}\n", comment::lines(&words).join(" ")));
            }
            if name != member.name {
                self.report.add(LossKind::Renamed {
                    pointer: member.node.pointer.clone(),
                    to: name,
                });
            }
        }
        (parameters, about)
    }

    fn of(&mut self, node: &Node<'a>, name: &str) -> String {
        match &node.form {
            Form::Any => "Any".to_owned(),
            Form::Null => "None".to_owned(),
            Form::Boolean => "bool".to_owned(),
            Form::Integer => "int".to_owned(),
            Form::Number => "float".to_owned(),
            Form::Text => "str".to_owned(),
            Form::Literals(values) => union(values.iter().map(|value| literal(value)), "Any"),
            Form::Array(item) => format!("list[{}]", self.of(item, &format!("{name}Item"))),
            Form::Tuple(items, rest) => {
                let numbered = items.iter().chain(rest.as_deref()).enumerate();
                let written: Vec<String> = numbered
                    .map(|(index, item)| self.of(item, &format!("{name}Item{}", index + 1)))
                    .collect();
                if rest.is_some() {
                    self.report.weakened(&node.pointer, "prefixItems");
                    return format!("list[{}]", union(written.into_iter(), "Any"));
                }
                format!("tuple[{}]", written.join(", "))
            }
            Form::Object(members, rest) if members.is_empty() => match rest {
                Rest::Typed(value) => {
                    format!("dict[str, {}]", self.of(value, &format!("{name}Value")))
                }
                _ => "dict[str, Any]".to_owned(),
            },
            Form::Object(members, rest) => {
                let name = self.free(name);
                self.dictionary(&name, node, members, rest);
                name
            }
            Form::Union(nodes) => {
                let written: Vec<String> = nodes.iter().map(|node| self.of(node, name)).collect();
                union(written.into_iter(), "Any")
            }
            Form::Ref(target) => {
                let known = self.names.iter().find(|(known, _)| known == target);
                known.map_or_else(|| "Any".to_owned(), |(_, name)| name.clone())
            }
        }
    }

    fn dictionary(&mut self, name: &str, node: &Node<'a>, members: &[Member<'a>], rest: &Rest<'a>) {
        if matches!(rest, Rest::Open | Rest::Typed(_)) {
            self.report.weakened(&node.pointer, "additionalProperties");
        }
        let mut lines = String::new();
        for member in members {
            lines.push_str(&marked(&value_text(&member.node, self.report), "        "));
            let part = camel(&Language::Python.identifier(member.name));
            let mut written = self.of(&member.node, &format!("{name}{part}"));
            if member.presence == Presence::Optional {
                written = format!("NotRequired[{written}]");
            }
            lines.push_str(&format!("        {}: {written},\n", quoted(member.name)));
        }
        // Written as a call, because any name may be a key here, and only here.
        self.types.push_str(&format!(
            "\n{name} = TypedDict(\n    \"{name}\",\n    {{\n{lines}    }},\n)\n"
        ));
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "Literal[True]".to_owned(),
        Value::Bool(false) => "Literal[False]".to_owned(),
        Value::Number(number) if number.is_f64() => "float".to_owned(),
        Value::Number(number) => format!("Literal[{number}]"),
        Value::String(text) => format!("Literal[{}]", quoted(text)),
        Value::Array(_) | Value::Object(_) => "Any".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    comment::literal(text, |character| format!("\\U{:08x}", character as u32))
}

/// `get_weather` becomes `GetWeather`.
fn camel(identifier: &str) -> String {
    identifier
        .split('_')
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        })
        .collect()
}

/// A comment before a line. It begins with `#:`, because a plain `#` with a word such as
/// `type:` after it is an instruction to type checkers.
fn marked(text: &str, indent: &str) -> String {
    let lines = comment::lines(text);
    let words: Vec<&String> = lines.iter().filter(|line| !line.is_empty()).collect();
    words
        .iter()
        .map(|line| format!("{indent}#: {line}\n"))
        .collect()
}

/// A docstring. Quotes that could end it and backslashes are escaped, and it ends on a line
/// of its own.
fn docstring(text: &str) -> String {
    let lines: String = comment::lines(text)
        .iter()
        .map(|line| line.replace('\\', "\\\\").replace("\"\"", "\\\"\\\""))
        .map(|line| match line.is_empty() {
            true => "\n".to_owned(),
            false => format!("    {line}\n"),
        })
        .collect();
    format!("    \"\"\"\n{lines}    \"\"\"\n")
}

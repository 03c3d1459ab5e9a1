//! Writes a TypeScript module: each function takes one object and returns a promise.

use serde_json::Value;
use tool_hub_manifest::FunctionSpec;

use super::comments::{check_function, function_text, value_text};
use super::language::Language;
use super::union::union;
use crate::definition::comment;
use crate::definition::loss::Loss;
use crate::definition::report::Report;
use crate::schema::{Document, Form, Member, Node, Presence, Rest};

const HEADER: &str = "// The functions of a toolbox. Each takes its arguments as one object.\n";

/// The module that declares `specs`.
pub(super) fn module(specs: &[FunctionSpec], losses: &mut Vec<Loss>) -> String {
    let mut text = HEADER.to_owned();
    for spec in specs {
        let identifier = Language::TypeScript.identifier(&spec.name);
        let mut report = Report {
            function: &spec.name,
            losses,
        };
        check_function(spec, &identifier, &mut report);
        let mut result = "unknown".to_owned();
        if let Some(schema) = &spec.output_schema {
            let mut writer = Writer::new(schema, &identifier, "Result", &mut report);
            text.push_str(&writer.definitions());
            result = writer.of(&writer.document.root(), 0);
        }
        let mut writer = Writer::new(&spec.input_schema, &identifier, "Argument", &mut report);
        text.push_str(&writer.definitions());
        let parameter = writer.parameter();
        text.push('\n');
        text.push_str(&doc(&function_text(spec), ""));
        text.push_str(&format!(
            "export declare function {identifier}({parameter}): Promise<{result}>;\n"
        ));
    }
    text.push_str("\nexport {};\n");
    text
}

struct Writer<'w, 'r, 'a> {
    document: Document<'a>,
    /// The prefix of this function's type names. Different functions have different identifiers, so
    /// no two types share a name.
    prefix: String,
    report: &'w mut Report<'r>,
}

impl<'w, 'r, 'a> Writer<'w, 'r, 'a> {
    fn new(schema: &'a Value, function: &str, role: &str, report: &'w mut Report<'r>) -> Self {
        Self {
            document: Document::new(schema),
            prefix: format!("{function}${role}"),
            report,
        }
    }

    fn name(&self, definition: &str) -> String {
        let identifier = Language::TypeScript.identifier(definition);
        format!("{}${identifier}", self.prefix)
    }

    /// The types that the schema defines for itself.
    fn definitions(&mut self) -> String {
        let mut text = String::new();
        for (name, node) in self.document.definitions() {
            let about = doc(&value_text(&node, self.report), "");
            let written = self.of(&node, 0);
            text.push_str(&format!(
                "\n{about}export type {} = {written};\n",
                self.name(name)
            ));
        }
        text
    }

    fn parameter(&mut self) -> String {
        let root = self.document.root();
        match &root.form {
            Form::Object(members, Rest::Closed | Rest::Unsaid) if members.is_empty() => {
                String::new()
            }
            Form::Object(members, _) => {
                let may_be_left_out = members.iter().all(|m| m.presence == Presence::Optional);
                let mark = if may_be_left_out { "?" } else { "" };
                format!("args{mark}: {}", self.of(&root, 0))
            }
            _ => format!("args: {}", self.of(&root, 0)),
        }
    }

    fn of(&mut self, node: &Node<'a>, depth: usize) -> String {
        match &node.form {
            Form::Any => "unknown".to_owned(),
            Form::Null => "null".to_owned(),
            Form::Boolean => "boolean".to_owned(),
            Form::Integer | Form::Number => "number".to_owned(),
            Form::Text => "string".to_owned(),
            Form::Literals(values) => union(values.iter().map(|value| literal(value)), "never"),
            Form::Array(item) => format!("Array<{}>", self.of(item, depth)),
            Form::Tuple(items, rest) => {
                let mut written: Vec<String> =
                    items.iter().map(|item| self.of(item, depth)).collect();
                if let Some(rest) = rest {
                    written.push(format!("...Array<{}>", self.of(rest, depth)));
                }
                format!("[{}]", written.join(", "))
            }
            Form::Object(members, rest) => self.object(node, members, rest, depth),
            Form::Union(nodes) => {
                let written: Vec<String> = nodes.iter().map(|node| self.of(node, depth)).collect();
                union(written.into_iter(), "never")
            }
            Form::Ref(name) if self.document.definition(name).is_some() => self.name(name),
            Form::Ref(_) => "unknown".to_owned(),
        }
    }

    fn object(
        &mut self,
        node: &Node<'a>,
        members: &[Member<'a>],
        rest: &Rest<'a>,
        depth: usize,
    ) -> String {
        let others = match rest {
            Rest::Typed(value) if members.is_empty() => Some(self.of(value, depth)),
            Rest::Typed(_) => {
                // One type has to hold for every member, those with names included.
                self.report.weakened(&node.pointer, "additionalProperties");
                Some("unknown".to_owned())
            }
            Rest::Open => Some("unknown".to_owned()),
            Rest::Unsaid if members.is_empty() => Some("unknown".to_owned()),
            Rest::Unsaid | Rest::Closed => None,
        };
        if members.is_empty() {
            let value = others.unwrap_or_else(|| "never".to_owned());
            return format!("{{ [key: string]: {value} }}");
        }
        let indent = "  ".repeat(depth + 1);
        let mut text = "{\n".to_owned();
        for member in members {
            text.push_str(&doc(&value_text(&member.node, self.report), &indent));
            let mark = match member.presence {
                Presence::Required => "",
                Presence::Optional => "?",
            };
            let written = self.of(&member.node, depth + 1);
            text.push_str(&format!(
                "{indent}{}{mark}: {written};\n",
                property(member.name)
            ));
        }
        if let Some(value) = others {
            text.push_str(&format!("{indent}[key: string]: {value};\n"));
        }
        text.push_str(&format!("{}}}", "  ".repeat(depth)));
        text
    }
}

/// A member's name, quoted if it is not an identifier.
fn property(name: &str) -> String {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    match is_word {
        true => name.to_owned(),
        false => quoted(name),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(_) | Value::Object(_) => "unknown".to_owned(),
        scalar => scalar.to_string(),
    }
}

fn quoted(text: &str) -> String {
    comment::literal(text, |character| format!("\\u{{{:x}}}", character as u32))
}

/// A documentation comment; nothing for an empty text. `*/` would end it, and a line that
/// begins with `@` would be an instruction to tools.
fn doc(text: &str, indent: &str) -> String {
    let lines: Vec<String> = comment::lines(text)
        .iter()
        .map(|line| line.replace("*/", "*\\/"))
        .map(|line| match line.trim_start().starts_with('@') {
            true => format!("\\{}", line.trim_start()),
            false => line,
        })
        .collect();
    match &lines[..] {
        [empty] if empty.is_empty() => String::new(),
        [only] => format!("{indent}/** {only} */\n"),
        several => {
            let several: String = several
                .iter()
                .map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n")
                .collect();
            format!("{indent}/**\n{several}{indent} */\n")
        }
    }
}

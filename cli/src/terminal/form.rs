//! Asks the person at the terminal a tool's question, member by member of its form.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use serde_json::{Map, Number, Value};
use tool_hub_host::{Answer, CONFIRMATION_KEY, Question};

use crate::terminal::escape::escape_line;
use crate::terminal::typed_ahead;

/// True if there is a person at the terminal who can be asked.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks `question`, and waits for the answers. An empty answer where one is required declines.
pub(crate) fn ask(question: &Question) -> Answer {
    match form(question) {
        Ok(Some(answers)) => Answer::Given(answers.into()),
        Ok(None) => Answer::Declined,
        Err(_) => Answer::Cancelled,
    }
}

fn form(question: &Question) -> io::Result<Option<Map<String, Value>>> {
    let mut stderr = io::stderr();
    let text = escape_line(&question.text);
    match question.key.as_str() {
        CONFIRMATION_KEY => writeln!(stderr, "{text}")?,
        _ => writeln!(stderr, "The tool asks: {text}")?,
    }
    let required = question.schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
    let mut answers = Map::new();
    let properties = question.schema["properties"].as_object();
    for (name, schema) in properties.into_iter().flatten() {
        let required = is_required(name);
        let label = ["title", "description"]
            .iter()
            .find_map(|key| schema[key].as_str())
            .unwrap_or(name);
        let prompt = format!("{}{}: ", escape_line(label), choices(schema, required));
        loop {
            let text = line(&prompt)?;
            match value(schema, text.trim()) {
                Some(value) => {
                    answers.insert(name.clone(), value);
                    break;
                }
                None if text.trim().is_empty() && required => return Ok(None),
                None if text.trim().is_empty() => break,
                None => writeln!(stderr, "that is not one of the possible answers")?,
            }
        }
    }
    Ok(Some(answers))
}

fn line(prompt: &str) -> io::Result<String> {
    let input = io::stdin();
    typed_ahead::discard(&input)?;
    let mut stderr = io::stderr();
    write!(stderr, "{prompt}")?;
    stderr.flush()?;
    let mut answer = String::new();
    match input.lock().read_line(&mut answer)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(answer),
    }
}

/// The possible answers, for the end of a prompt.
fn choices(schema: &Value, required: bool) -> String {
    let listed = listed(schema).or_else(|| listed(&schema["items"]));
    let listed = listed.map(|values| {
        let values: Vec<String> = values.iter().map(|it| escape_line(it)).collect();
        values.join(", ")
    });
    let possible = match schema["type"].as_str() {
        Some("boolean") => Some("yes or no".to_owned()),
        _ => listed,
    };
    match (possible, required) {
        (Some(possible), true) => format!(" [{possible}]"),
        (Some(possible), false) => format!(" [{possible}; empty for none]"),
        (None, true) => String::new(),
        (None, false) => " [empty for none]".to_owned(),
    }
}

/// The values that `schema` enumerates: by themselves, or each with a title.
fn listed(schema: &Value) -> Option<Vec<&str>> {
    if let Some(values) = schema["enum"].as_array() {
        return Some(values.iter().filter_map(Value::as_str).collect());
    }
    let titled = schema["oneOf"].as_array().or(schema["anyOf"].as_array())?;
    let constants = titled.iter().filter_map(|choice| choice["const"].as_str());
    Some(constants.collect())
}

/// The value that `text` is for a member of the form; `None` if it is none.
fn value(schema: &Value, text: &str) -> Option<Value> {
    if text.is_empty() {
        return None;
    }
    let is_listed =
        |schema: &Value, text: &str| listed(schema).is_none_or(|values| values.contains(&text));
    match schema["type"].as_str()? {
        "boolean" => match text.to_ascii_lowercase().as_str() {
            "y" | "yes" | "true" => Some(true.into()),
            "n" | "no" | "false" => Some(false.into()),
            _ => None,
        },
        "integer" => text.parse::<i64>().ok().map(Value::from),
        "number" => Number::from_f64(text.parse().ok()?).map(Value::Number),
        "array" => {
            let parts = text.split(',').map(str::trim);
            let parts =
                parts.map(|part| is_listed(&schema["items"], part).then(|| Value::from(part)));
            parts.collect::<Option<Vec<_>>>().map(Value::from)
        }
        _ => is_listed(schema, text).then(|| text.into()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_of_the_type_that_is_asked_for() {
        let choice = json!({"type": "string", "enum": ["a", "b"]});
        let titled = json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}]});
        let several = json!({"type": "array", "items": choice});
        for (schema, text, expect) in [
            (json!({"type": "boolean"}), "Yes", Some(json!(true))),
            (json!({"type": "boolean"}), "n", Some(json!(false))),
            (json!({"type": "boolean"}), "maybe", None),
            (json!({"type": "integer"}), "-3", Some(json!(-3))),
            (json!({"type": "integer"}), "1.5", None),
            (json!({"type": "number"}), "1.5", Some(json!(1.5))),
            (json!({"type": "string"}), "x, y", Some(json!("x, y"))),
            (json!({"type": "string"}), "", None),
            (choice.clone(), "b", Some(json!("b"))),
            (choice.clone(), "c", None),
            (titled, "A", None),
            (several.clone(), "a, b", Some(json!(["a", "b"]))),
            (several, "a, c", None),
        ] {
            assert_eq!(value(&schema, text), expect, "{schema} {text}");
        }
        assert_eq!(choices(&choice, false), " [a, b; empty for none]");
        assert_eq!(choices(&json!({"type": "boolean"}), true), " [yes or no]");
    }
}

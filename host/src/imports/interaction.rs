//! Implements the contract's `interaction` interface: progress, and questions to a person.

use std::time::{Duration, Instant};

use serde_json::Value;
use tool_hub_manifest::contract::Question;
use wasmtime::component::Linker;

use crate::call::audit;
use crate::call::state::CallState;
use crate::call::stop::Stop;
use crate::interaction::{ANSWER_TIME_MAX, Answer, Progress};

mod bindings {
    wasmtime::component::bindgen!({
        inline: "
            package tool-hub:host;
            world host { import tool-hub:tool/interaction@0.1.0; }
        ",
        path: "../wit",
        imports: { default: async | trappable },
    });
}
use bindings::tool_hub::tool::interaction::{self, AskError};

/// Progress reports that come faster are dropped.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);
/// The longest question, schema or progress message.
const TEXT_BYTES_MAX: usize = 16 << 10;
/// The longest key of a question.
const KEY_LENGTH_MAX: usize = 64;

/// Offers the interface to guests.
pub(crate) fn add_to_linker(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    interaction::add_to_linker::<_, wasmtime::component::HasSelf<CallState>>(linker, |s| s)
}

impl interaction::Host for CallState {
    async fn report_progress(
        &mut self,
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> wasmtime::Result<()> {
        let due = self
            .reported
            .is_none_or(|at| at.elapsed() >= REPORT_INTERVAL);
        let last = total.is_some_and(|total| done >= total);
        if (due || last) && done.is_finite() {
            self.reported = Some(Instant::now());
            let message = message.filter(|text| text.len() <= TEXT_BYTES_MAX);
            self.record.interaction.progress(Progress {
                done,
                total: total.filter(|total| total.is_finite()),
                message: self.record.secrets.mask_some(message),
            });
        }
        Ok(())
    }

    async fn ask(
        &mut self,
        key: String,
        text: String,
        schema: String,
    ) -> wasmtime::Result<Result<String, AskError>> {
        let question = match question(key, text, &schema) {
            Ok(question) => question,
            Err(reason) => return Ok(Err(AskError::InvalidQuestion(reason))),
        };
        let secrets = &self.record.secrets;
        // Answers are looked up by the key, so it cannot be masked.
        if secrets.are_in(&question.key) {
            let reason = "the key must not contain a secret value".to_owned();
            return Ok(Err(AskError::InvalidQuestion(reason)));
        }
        let question = secrets.mask_question(question);
        let max = self.record.limits.questions;
        if self.questions >= max {
            let reason = format!("a call asks at most {max} questions (limit questions = {max})");
            return Ok(Err(AskError::InvalidQuestion(reason)));
        }
        self.questions += 1;
        let interaction = self.record.interaction.clone();
        self.record.time.pause();
        let answer = tokio::time::timeout(ANSWER_TIME_MAX, interaction.ask(&question)).await;
        self.record.time.resume();
        let result = match &answer {
            Ok(answer) => answer.word(),
            Err(_) => "none in time",
        };
        audit::asked(&self.policy.tool.name, &question.key, result);
        Ok(match answer {
            Ok(Answer::Given(value)) if fits(&question.schema, &value) => Ok(value.to_string()),
            Ok(Answer::Given(_) | Answer::Cancelled) | Err(_) => Err(AskError::Cancelled),
            Ok(Answer::Declined) => Err(AskError::Declined),
            Ok(Answer::Unavailable) => Err(AskError::Unavailable),
            Ok(Answer::Postponed) => return Err(Stop::Question(Box::new(question)).into()),
        })
    }
}

impl bindings::tool_hub::tool::types::Host for CallState {}

fn question(key: String, text: String, schema: &str) -> Result<Question, String> {
    let is_key = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if key.is_empty() || key.len() > KEY_LENGTH_MAX || !key.chars().all(is_key) {
        return Err(format!(
            "the key has to be 1 to {KEY_LENGTH_MAX} of a-z, 0-9 and `-`"
        ));
    }
    if text.len() > TEXT_BYTES_MAX || schema.len() > TEXT_BYTES_MAX {
        return Err(format!(
            "question and schema have at most {TEXT_BYTES_MAX} bytes each"
        ));
    }
    let schema: Value =
        serde_json::from_str(schema).map_err(|error| format!("the schema is not JSON: {error}"))?;
    flat(&schema)?;
    Ok(Question { key, text, schema })
}

/// Holds a schema to what every client can show as a form.
fn flat(schema: &Value) -> Result<(), String> {
    if schema["type"] != "object" {
        return Err("the schema has to be of type `object`".into());
    }
    let Some(properties) = schema["properties"].as_object() else {
        return Err("the schema has no `properties`".into());
    };
    for (name, property) in properties {
        match property["type"].as_str() {
            Some("string" | "number" | "integer" | "boolean") => {}
            Some("array") if choices(&property["items"]).is_some() => {}
            _ => {
                return Err(format!(
                    "property `{name}` has to be a string, number, integer or boolean, or an \
                     array of enumerated strings"
                ));
            }
        }
    }
    Ok(())
}

/// The values that are enumerated: by themselves, or each with a title.
fn choices(schema: &Value) -> Option<Vec<&Value>> {
    let titled = || schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    match schema["enum"].as_array() {
        Some(values) => Some(values.iter().collect()),
        None => Some(titled()?.iter().map(|choice| &choice["const"]).collect()),
    }
}

/// True if `answer` fits a flat schema: every required member is there, every member is
/// known and of its type, and one of the enumerated values.
fn fits(schema: &Value, answer: &Value) -> bool {
    let Some(members) = answer.as_object() else {
        return false;
    };
    let required = schema["required"].as_array().into_iter().flatten();
    let mut required = required.filter_map(Value::as_str);
    required.all(|name| members.contains_key(name))
        && members.iter().all(|(name, value)| {
            let property = &schema["properties"][name];
            let typed = match property["type"].as_str() {
                Some("string") => value.is_string(),
                Some("number") => value.is_number(),
                Some("integer") => value.is_i64() || value.is_u64(),
                Some("boolean") => value.is_boolean(),
                Some("array") => value.is_array(),
                _ => false,
            };
            let listed = |schema: &Value, value: &Value| {
                choices(schema).is_none_or(|choices| choices.contains(&value))
            };
            let items = value.as_array().into_iter().flatten();
            typed
                && listed(property, value)
                && items
                    .into_iter()
                    .all(|item| listed(&property["items"], item))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(key: &str, schema: Value, expect: Option<&str>) {
        let asked = question(key.into(), "Sure?".into(), &schema.to_string());
        assert_eq!(asked.err().as_deref(), expect);
    }

    #[test]
    fn questions_are_forms() {
        let sure = json!({"type": "object", "properties": {"sure": {"type": "boolean"}}});
        check("sure", sure.clone(), None);
        check(
            "Sure!",
            sure,
            Some("the key has to be 1 to 64 of a-z, 0-9 and `-`"),
        );
        check(
            "a",
            json!({"type": "string"}),
            Some("the schema has to be of type `object`"),
        );
        let nested = json!({"type": "object", "properties": {"a": {"type": "object"}}});
        check(
            "a",
            nested,
            Some(
                "property `a` has to be a string, number, integer or boolean, or an array of \
                 enumerated strings",
            ),
        );
    }

    #[test]
    fn answers_are_held_against_the_schema() {
        let schema = json!({
            "type": "object", "required": ["n"],
            "properties": {
                "n": {"type": "integer"},
                "c": {"type": "string", "enum": ["a"]},
                "t": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
                "m": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
            },
        });
        assert_eq!(flat(&schema), Ok(()));
        for (answer, expect) in [
            (json!({"n": 1}), true),
            (json!({"n": 1, "c": "a"}), true),
            (json!({"n": 1, "c": "b"}), false),
            (json!({"n": "1"}), false),
            (json!({}), false),
            (json!({"n": 1, "x": 1}), false),
            (json!({"n": 1, "t": "a", "m": ["b", "a"]}), true),
            (json!({"n": 1, "m": []}), true),
            (json!({"n": 1, "t": "A"}), false),
            (json!({"n": 1, "m": ["a", "c"]}), false),
            (json!({"n": 1, "m": "a"}), false),
            (json!([]), false),
        ] {
            assert_eq!(fits(&schema, &answer), expect, "{answer}");
        }
    }
}

//! Tests that answers are read by a `response_template` as Transformers reads them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tool_hub_agent::conversation::answer::{Answer, AnswerFormat};
use tool_hub_manifest::{Annotations, FunctionSpec};

use crate::cases::{PACKAGES, python};

#[derive(Deserialize)]
struct Case {
    name: String,
    template: Value,
    prompt: String,
    answer: String,
    typed: bool,
    message: Option<Map<String, Value>>,
    error: Option<String>,
}

#[test]
#[ignore = "installs transformers from PyPI"]
fn answers_are_read_as_transformers_reads_them() {
    let offered = [FunctionSpec {
        name: "add".to_owned(),
        title: None,
        description: String::new(),
        input_schema: json!({"type": "object", "properties": {
            "a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "array"},
        }}),
        output_schema: None,
        annotations: Annotations::default(),
    }];
    let (mut same, mut refused, mut kept) = (0, 0, 0);
    let mut differ: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let cases = cases();
    for case in &cases {
        let format = AnswerFormat::from_response_template(&case.template).expect("a template");
        let offered = if case.typed { &offered[..] } else { &[] };
        let answer = format.read(&case.answer, &case.prompt, offered);
        let is_same = match &case.message {
            Some(message) => {
                answer.problems.is_empty() && relevant_members(message) == shown(&answer)
            }
            None => !answer.problems.is_empty(),
        };
        match (is_same, &case.message) {
            (true, Some(_)) => same += 1,
            (true, None) => refused += 1,
            (false, Some(message)) if is_kept(&relevant_members(message), &shown(&answer)) => {
                kept += 1
            }
            (false, _) => differ.entry(case.name.clone()).or_default().push(format!(
                "{:?} after {:?}\n  {:?} {:?}\n  {answer:?}",
                case.answer, case.prompt, case.message, case.error
            )),
        }
    }
    println!(
        "{} answers: {same} are read the same, {refused} are refused by both, of {kept} Transformers \
         keeps the last part of the text or the reasoning only",
        cases.len()
    );
    for (name, differences) in &differ {
        println!("{name}: {}\n{}", differences.len(), differences.join("\n"));
    }
    assert!(differ.is_empty());
    assert!(same > 500 && refused > 50, "cases are missing");
}

/// The message that Transformers read, without the members that it always has.
fn relevant_members(message: &Map<String, Value>) -> Value {
    let reasoning = message.get("thinking").or(message.get("reasoning_content"));
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let calls = calls
        .into_iter()
        .flatten()
        .map(|call| json!([call["function"]["name"], call["function"]["arguments"]]));
    json!({
        "text": message.get("content").and_then(Value::as_str).unwrap_or_default(),
        "reasoning": reasoning,
        "calls": calls.collect::<Vec<_>>(),
    })
}

fn shown(answer: &Answer) -> Value {
    let calls = answer
        .calls
        .iter()
        .map(|call| json!([call.name, call.arguments]));
    json!({
        "text": answer.text,
        "reasoning": answer.reasoning,
        "calls": calls.collect::<Vec<_>>(),
    })
}

/// True if Transformers' message lacks nothing but earlier parts of the text or the reasoning: it
/// keeps the last part of a field that does not repeat.
fn is_kept(told: &Value, shown: &Value) -> bool {
    let ends = |part: &str| {
        let part = |message: &Value| message[part].as_str().unwrap_or_default().to_owned();
        part(shown).ends_with(&part(told)) || part(told).is_empty()
    };
    told["calls"] == shown["calls"] && ends("text") && ends("reasoning")
}

fn cases() -> Vec<Case> {
    python(&PACKAGES, "answers.py", &[])
}

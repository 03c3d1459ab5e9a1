//! Tests of reading answers of every family, whole and cut in all ways, and of finding the family.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tool_hub_manifest::{Annotations, FunctionSpec};

use super::{Answer, AnswerEvent, AnswerFormat, AnswerProblem};
use crate::conversation::message::ToolCall;

mod bounds;
mod checks;
mod reasoning;
mod templates;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    about: String,
    answer: String,
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    offered: Map<String, Value>,
    #[serde(default)]
    text: String,
    reasoning: Option<String>,
    #[serde(default)]
    calls: Vec<Call>,
    #[serde(default)]
    problems: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    id: Option<String>,
    name: String,
    arguments: Map<String, Value>,
}

impl Vector {
    fn offered(&self) -> Vec<FunctionSpec> {
        let offered = self.offered.iter();
        offered
            .map(|(name, properties)| FunctionSpec {
                name: name.clone(),
                title: None,
                description: String::new(),
                input_schema: json!({"type": "object", "properties": properties}),
                output_schema: None,
                annotations: Annotations::default(),
            })
            .collect()
    }
}

/// A problem, in the form of the test vectors.
fn problem_json(problem: &AnswerProblem) -> Value {
    match problem {
        AnswerProblem::CutOff { written } => json!({"cut off": written}),
        AnswerProblem::Unreadable { written, .. } => json!({"unreadable": written}),
        AnswerProblem::ReasoningCutOff => json!("reasoning cut off"),
        other => panic!("{other}"),
    }
}

fn read_in(pieces: &[&str], format: &AnswerFormat, vector: &Vector) -> Answer {
    let offered = vector.offered();
    let mut reader = format.reader(&vector.prompt, &offered);
    let mut answer = Answer::default();
    for piece in pieces {
        for event in reader.push(piece) {
            answer.add(event);
        }
    }
    for event in reader.finish() {
        answer.add(event);
    }
    answer
}

fn vectors(family: &str) -> Vec<Vector> {
    let file = format!("tests/answers/{family}.json");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

fn families() -> Vec<(AnswerFormat, Vec<Vector>)> {
    AnswerFormat::names()
        .map(|name| (name.parse().unwrap(), vectors(name)))
        .collect()
}

#[test]
fn every_family_reads_its_answers() {
    for (format, vectors) in families() {
        for vector in vectors {
            let about = format!("{}: {}", format.name(), vector.about);
            let answer = format.read(&vector.answer, &vector.prompt, &vector.offered());
            assert_eq!(answer.text, vector.text, "{about}");
            assert_eq!(answer.reasoning, vector.reasoning, "{about}");
            let expected = vector.calls.iter().map(|call| ToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
            });
            assert_eq!(answer.calls, expected.collect::<Vec<_>>(), "{about}");
            let problems: Vec<Value> = answer.problems.iter().map(problem_json).collect();
            assert_eq!(problems, vector.problems, "{about}");
        }
    }
}

#[test]
fn an_answer_is_the_same_however_it_is_cut() {
    for (format, vectors) in families() {
        for vector in vectors {
            let about = format!("{}: {}", format.name(), vector.about);
            let text = vector.answer.as_str();
            let whole = read_in(&[text], &format, &vector);
            let ends: Vec<usize> = (0..=text.len())
                .filter(|end| text.is_char_boundary(*end))
                .collect();
            for end in &ends {
                let (head, tail) = text.split_at(*end);
                let cut = read_in(&[head, tail], &format, &vector);
                assert_eq!(cut, whole, "{about}, cut after {head:?}");
            }
            let letters: Vec<&str> = ends.windows(2).map(|it| &text[it[0]..it[1]]).collect();
            assert_eq!(read_in(&letters, &format, &vector), whole, "{about}");
        }
    }
}

/// The texts and the calls of a stream, in order.
fn stream(format: &str, pieces: &[&str]) -> Vec<AnswerEvent> {
    let format: AnswerFormat = format.parse().unwrap();
    let mut reader = format.reader("known", &[]);
    let mut events: Vec<_> = pieces.iter().flat_map(|it| reader.push(it)).collect();
    events.extend(reader.finish());
    events
}

#[test]
fn nothing_that_may_be_a_marker_is_told_too_early() {
    let text = |text: &str| AnswerEvent::Text(text.to_owned());
    let call = ToolCall {
        id: None,
        name: "now".to_owned(),
        arguments: Map::new(),
    };
    let events = stream(
        "hermes",
        &[
            "Let me <",
            "b>see</b> ",
            " <tool",
            "_call>{\"na",
            "me\": \"now\"}",
            "</tool_call>",
            " So",
            ".",
        ],
    );
    assert_eq!(
        events,
        [
            text("Let me"),
            text(" <b>see</b>"),
            AnswerEvent::CallBegun { name: None },
            AnswerEvent::Call(call.clone()),
            text("\n\nSo"),
            text("."),
        ]
    );
    let events = stream(
        "kimi-k2",
        &[
            "<|tool_call_begin|>now",
            "<|tool_call_argument_begin|>{",
            "}",
        ],
    );
    let name = Some("now".to_owned());
    assert_eq!(
        events,
        [AnswerEvent::CallBegun { name }, AnswerEvent::Call(call)]
    );
}

#[test]
fn reasoning_that_the_prompt_began_is_told_when_it_ends() {
    let events = stream("deepseek", &["So it", " is.</th", "ink>Yes."]);
    assert_eq!(
        events,
        [
            AnswerEvent::Text("So it".to_owned()),
            AnswerEvent::Text(" is.".to_owned()),
            AnswerEvent::TextWasReasoning,
            AnswerEvent::Text("Yes.".to_owned()),
        ]
    );
}

#[test]
fn arguments_keep_their_order() {
    let format: AnswerFormat = "hermes".parse().unwrap();
    let written = r#"<tool_call>{"name": "f", "arguments": {"z": 1, "a": 2, "m": 3}}</tool_call>"#;
    let answer = format.read(written, "", &[]);
    let names: Vec<&String> = answer.calls[0].arguments.keys().collect();
    assert_eq!(names, ["z", "a", "m"]);
    assert_ne!(answer.calls[0].arguments, Map::new());
}

#[test]
fn problems_are_written_for_the_model() {
    let hermes: AnswerFormat = "hermes".parse().unwrap();
    let first_problem = |answer: &str| hermes.read(answer, "", &[]).problems[0].to_string();
    assert_eq!(
        first_problem("<tool_call>{\"name\": \"add\", \"argum"),
        "The answer ends within a call, which was not made: `<tool_call>{\"name\": \"add\", \"argum`.\n\
         To mend it: write the whole call again, with shorter arguments if it is long."
    );
    assert_eq!(
        first_problem("<tool_call>{\"name\": \"add\", \"arguments\": 7}</tool_call>"),
        "A call could not be read, and was not made: of the call of `add` the arguments must be an object. \
         It reads `{\"name\": \"add\", \"arguments\": 7}`.\n\
         To mend it: write the call again in the form that the system prompt shows."
    );
}

#[test]
fn a_family_is_found_by_what_its_chat_template_prints() {
    for (printed, family) in [
        ("<tool_call>\n{{ call | tojson }}\n</tool_call>", "hermes"),
        (
            "'<tool_call>\\n<function=' + name + '>' '<parameter='",
            "qwen3-coder",
        ),
        (
            "<tool_call>{{ name }}<arg_key>{{ k }}</arg_key><arg_value>",
            "glm-4.5",
        ),
        ("'<｜tool▁sep｜>' + name + '\\n```json\\n'", "deepseek"),
        ("'<｜tool▁sep｜>' + arguments", "deepseek-v3.1"),
        ("[TOOL_CALLS]", "mistral"),
        ("<|start|>assistant<|channel|>final<|message|>", "harmony"),
        ("<|python_tag|>", "llama-3"),
        ("'｜DSML｜'", "deepseek-v3.2"),
        ("']<]minimax[>[' '<tool_call>'", "minimax-m3"),
        ("<minimax:tool_call>", "minimax-m2"),
        ("<seed:tool_call>\n<function=f>\n<parameter=a>", "seed-oss"),
        ("<tool_calls>[{\"name\"", "jamba"),
        ("'<|open|>' '<|close|>' '<|sep|>'", "kimi-k3"),
        ("functools[{\"name\"", "phi-4"),
        ("<function_call> {\"name\"", "granite-20b"),
        ("<|action_start|><|plugin|>", "internlm2"),
        ("<tool_call>[|endofturn|]", "exaone"),
    ] {
        let found = AnswerFormat::of_chat_template(printed).unwrap();
        assert_eq!(found.name(), family, "{printed}");
    }
    assert!(AnswerFormat::of_chat_template("{{ messages[0].content }}").is_none());
    assert_eq!(AnswerFormat::generic().name(), "generic");
    let unknown = "hermse".parse::<AnswerFormat>().unwrap_err().to_string();
    assert!(
        unknown.starts_with("there is no format `hermse`: expected one of harmony, "),
        "{unknown}"
    );
}

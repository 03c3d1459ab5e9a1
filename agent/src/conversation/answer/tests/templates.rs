//! Tests of answers that follow a model's own `response_template`.

use serde_json::{Value, json};

use super::{Answer, AnswerFormat, AnswerProblem, problem_json};

fn template() -> Value {
    json!({
        "defaults": {"role": "assistant"},
        "start_anchor": "<|im_start|>assistant\n",
        "fields": {
            "thinking": {"open": "<think>", "close": "</think>"},
            "tool_calls": {
                "open": "<tool_call>",
                "close": "</tool_call>",
                "repeats": true,
                "content": "json",
                "transform": {"type": "function", "function": {
                    "name": "{content.name}", "arguments": "{content.arguments}"
                }}
            },
            "content": {"close": "<|im_end|>"}
        }
    })
}

fn format() -> AnswerFormat {
    AnswerFormat::from_response_template(&template()).unwrap()
}

fn read(answer: &str, prompt: &str, piece: usize) -> Answer {
    let format = format();
    let mut reader = format.reader(prompt, &[]);
    let mut read = Answer::default();
    let letters: Vec<char> = answer.chars().collect();
    for piece in letters.chunks(piece) {
        for event in reader.push(&piece.iter().collect::<String>()) {
            read.add(event);
        }
    }
    for event in reader.finish() {
        read.add(event);
    }
    read
}

#[test]
fn the_models_own_template_goes_first() {
    let answer = "<think>\nHm, 5 < 7.\n</think>\nI will <add>.\n<tool_call>\n\
        {\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": [\"é\"]}}\n</tool_call><|im_end|>";
    let whole = format().read(answer, "", &[]);
    assert_eq!(whole.reasoning.as_deref(), Some("Hm, 5 < 7."));
    assert_eq!(whole.text, "I will <add>.");
    assert_eq!(whole.calls.len(), 1);
    assert_eq!(whole.calls[0].name, "add");
    assert_eq!(
        Value::from(whole.calls[0].arguments.clone()),
        json!({"a": 1, "b": ["é"]})
    );
    assert!(whole.problems.is_empty());
    for piece in [1, 2, 3, 7, 31, 33, 100] {
        assert_eq!(read(answer, "", piece), whole, "{piece}");
    }
}

#[test]
fn what_the_prompt_began_goes_on() {
    let prompt = "<|im_start|>user\nHi<|im_end|><|im_start|>assistant\n<think>\n";
    let answer = read("Hm.</think>Yes.", prompt, 4);
    assert_eq!(answer.reasoning.as_deref(), Some("Hm."));
    assert_eq!(answer.text, "Yes.");
}

#[test]
fn what_cannot_be_read_is_not_lost() {
    for piece in [1, 5, 1000] {
        let answer = read(
            "So: <tool_call>{\"name\": oh}</tool_call> and on",
            "",
            piece,
        );
        let written: Vec<Value> = answer.problems.iter().map(problem_json).collect();
        let all = format!(
            "{}{}",
            answer.text,
            written[0]["unreadable"].as_str().unwrap()
        );
        assert!(
            all.contains("{\"name\": oh}") && all.ends_with(" and on"),
            "{all}"
        );
        assert!(matches!(
            answer.problems[..],
            [AnswerProblem::Unreadable { .. }]
        ));
    }
}

#[test]
fn patterns_that_could_take_long_are_refused() {
    for (pattern, why) in [
        (r"(a*)(a*)\1b", "refers back to a group"),
        (r"(?P<x>a)(?P=x)", "refers back to a group"),
        (r"a{2,65}b", "counts to more than 64"),
        (r"(?=.*b)a", "looks ahead"),
    ] {
        let mut template = template();
        template["fields"]["tool_calls"]["open_pattern"] = pattern.into();
        let error = AnswerFormat::from_response_template(&template).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    let mut long = template();
    long["fields"]["content"] = json!({"close_pattern": "a".repeat(2000)});
    let error = AnswerFormat::from_response_template(&long).unwrap_err();
    assert!(
        error.to_string().contains("is longer than 1024 bytes"),
        "{error}"
    );
    let error = AnswerFormat::from_response_template(&json!([])).unwrap_err();
    assert!(error.to_string().contains("must be a dict"), "{error}");
    let mut escaped = template();
    escaped["fields"]["content"] = json!({"close_pattern": r"\{\\end\}\("});
    assert!(AnswerFormat::from_response_template(&escaped).is_ok());
}

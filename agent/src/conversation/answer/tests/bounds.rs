//! Tests of limits: no answer takes too much time, nesting or memory.

use std::time::{Duration, Instant};

use super::super::scan::DEPTH_MAX;
use super::{Answer, AnswerFormat, AnswerProblem};
use crate::conversation::answer::{ANSWER_BYTES_MAX, CALLS_MAX};

fn read(format: &str, answer: &str) -> Answer {
    format
        .parse::<AnswerFormat>()
        .unwrap()
        .read(answer, "", &[])
}

#[test]
fn what_is_too_long_is_left_out() {
    let answer = read("hermes", &"é".repeat(ANSWER_BYTES_MAX / 2 + 7));
    assert_eq!(answer.text.len(), ANSWER_BYTES_MAX);
    let bytes_max = ANSWER_BYTES_MAX;
    assert_eq!(answer.problems, [AnswerProblem::TooLong { bytes_max }]);
}

#[test]
fn what_comes_after_many_calls_is_left_out() {
    let call = r#"<tool_call>{"name": "now"}</tool_call>"#;
    let answer = read("hermes", &format!("{}The end.", call.repeat(CALLS_MAX + 3)));
    assert_eq!(answer.calls.len(), CALLS_MAX);
    let calls_max = CALLS_MAX;
    assert_eq!(answer.problems, [AnswerProblem::TooManyCalls { calls_max }]);
    assert_eq!(answer.text, "The end.");
}

#[test]
fn problems_are_told_as_long_as_somebody_may_read_them() {
    let problems_max = CALLS_MAX;
    let last = AnswerProblem::TooManyProblems { problems_max };
    let numbers = format!("<tool_call>[{}1]</tool_call>", "1,".repeat(1_000_000));
    for answer in ["<tool_call>".repeat(ANSWER_BYTES_MAX / 11), numbers] {
        let problems = read("hermes", &answer).problems;
        assert_eq!(problems.len(), problems_max + 1);
        assert_eq!(problems.last(), Some(&last));
        assert!(!problems[..problems_max].contains(&last));
    }
}

#[test]
fn what_is_too_deep_is_no_call() {
    let call = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(r#"<tool_call>{{"name": "f", "arguments": {{"a": {open}{close}}}}}</tool_call>"#)
    };
    assert_eq!(read("hermes", &call(DEPTH_MAX - 2)).calls.len(), 1);
    let answer = read("hermes", &call(DEPTH_MAX));
    assert!(answer.calls.is_empty());
    assert_eq!(answer.problems.len(), 1);
    let open = "[".repeat(100_000);
    let answer = read("llama-pythonic", &format!("[f(a={open}"));
    assert_eq!(answer.text.len(), open.len() + 5);
}

/// Texts that would be slowest to read if a reader read anything again and again.
const UNITS: [&str; 24] = [
    "<",
    "{",
    "[",
    "\n{",
    "\n[{\"",
    "\n[f(",
    "{\"a\": ",
    "<tool_call>",
    "<tool_call>{\"",
    "<tool_call>{\"</tool_call>",
    "<tool_call>[",
    "\n{\"<tool_call>",
    "```",
    "```json\n{\"",
    "[TOOL_CALLS]",
    "[TOOL_CALLS]f[ARGS]{\"a\": \"",
    "<start_function_call>call:f{a:<escape>",
    "<start_function_call>call:f{<end_function_call>",
    "<function=f><parameter=a>",
    "<arg_key>",
    ">>>f\n{",
    "<|channel|>analysis",
    "</think>",
    "\\\"",
];

#[test]
fn no_answer_takes_longer_than_its_length_allows() {
    for name in AnswerFormat::names() {
        for unit in UNITS {
            let time = |bytes: usize| {
                let answer = unit.repeat(bytes / unit.len());
                let start = Instant::now();
                let read = read(name, &answer);
                assert!(read.calls.len() <= CALLS_MAX);
                start.elapsed()
            };
            let took = time(200_000);
            // Enough without optimisation on a busy machine; quadratic time would take minutes.
            assert!(
                took < Duration::from_secs(2),
                "{name}: {unit:?} took {took:?}"
            );
        }
    }
}

#[test]
fn a_name_is_too_long_at_one_place_however_it_comes() {
    let long = "é".repeat(200);
    for (name, answer) in [
        (
            "functionary-v2",
            format!("<|recipient|>{long}<|recipient|>{long}"),
        ),
        (
            "functionary-v2",
            format!("<|recipient|>{long}<|content|>{{}}<|stop|>"),
        ),
        ("glm-4.5", format!("<tool_call>{long}<arg_key>a</arg_key>")),
    ] {
        let format: AnswerFormat = name.parse().unwrap();
        let whole = format.read(&answer, "", &[]);
        assert!(whole.calls.is_empty(), "{name}: {whole:?}");
        for (cut, _) in answer.char_indices() {
            let mut reader = format.reader("", &[]);
            let mut events = reader.push(&answer[..cut]);
            events.extend(reader.push(&answer[cut..]));
            events.extend(reader.finish());
            let mut pieces = Answer::default();
            events.into_iter().for_each(|event| pieces.add(event));
            assert_eq!(pieces, whole, "{name} at {cut}");
        }
    }
}

//! Tests of calls inside of reasoning, of broken calls, and of calls with broken control tokens.

use super::super::families;
use super::super::family::{Certainty, State, Transition};
use super::{Answer, AnswerEvent, AnswerFormat, AnswerProblem, Vector, read_in, stream, vectors};
use crate::conversation::message::ToolCall;

/// The markers that open and close the reasoning of a family; `None` if it has none of its own.
fn marks_of_reasoning(name: &str) -> Option<(&'static str, &'static str)> {
    let rows = families::named(name).unwrap().rows;
    let is_open = |from, to| move |row: &&Transition| (row.from, row.to) == (from, to);
    let open = rows.iter().find(is_open(State::Text, State::Reasoning))?;
    let close = rows.iter().find(is_open(State::Reasoning, State::Text))?;
    Some((open.marker, close.marker))
}

/// An answer of the family that makes a call, and the calls expected from it.
fn call(name: &str) -> (Vector, Vec<ToolCall>) {
    let mut vectors = vectors(name).into_iter();
    let vector = vectors.find(|it| it.about == "a call").unwrap();
    let format: AnswerFormat = name.parse().unwrap();
    let calls = format.read(&vector.answer, "known", &[]).calls;
    assert_eq!(calls.len(), 1, "{name}");
    (vector, calls)
}

/// Reads an answer whole, and cut at every position.
#[track_caller]
fn read(name: &str, prompt: &str, answer: &str) -> Answer {
    let format: AnswerFormat = name.parse().unwrap();
    let whole = format.read(answer, prompt, &[]);
    let mut vector = call(name).0;
    prompt.clone_into(&mut vector.prompt);
    for (end, _) in answer.char_indices() {
        let (head, tail) = answer.split_at(end);
        let cut = read_in(&[head, tail], &format, &vector);
        assert_eq!(cut, whole, "{name}: {answer:?}, cut after {head:?}");
    }
    whole
}

#[test]
fn a_call_that_is_only_considered_is_none() {
    for name in AnswerFormat::names() {
        let Some((open, close)) = marks_of_reasoning(name) else {
            continue;
        };
        let considered = format!("maybe {} no", call(name).0.answer);
        let closed = format!("{considered}{close}Hi");
        for (prompt, answer) in [
            ("known", format!("{open}{closed}")),
            (open, closed.clone()),
            // The prompt is unknown, so it may have opened the reasoning.
            ("", closed),
        ] {
            let read = read(name, prompt, &answer);
            assert_eq!(read.calls, [], "{name}: {prompt:?} {answer:?}");
            assert_eq!(read.text, "Hi", "{name}: {prompt:?} {answer:?}");
            assert_eq!(read.problems, [], "{name}: {prompt:?} {answer:?}");
            let thought = read.reasoning.unwrap();
            assert!(
                thought.starts_with("maybe") && thought.ends_with("no"),
                "{thought}"
            );
        }
        let cut_off = read(name, "known", &format!("{open}{considered}"));
        assert_eq!(cut_off.calls, [], "{name}");
        assert_eq!(cut_off.reasoning.as_deref(), Some(&*considered), "{name}");
        assert_eq!(cut_off.problems, [AnswerProblem::ReasoningCutOff], "{name}");
    }
}

#[test]
fn reasoning_that_is_never_closed_may_end_in_a_call() {
    for name in AnswerFormat::names() {
        let Some((open, _)) = marks_of_reasoning(name) else {
            continue;
        };
        let (vector, calls) = call(name);
        let answer = read(name, "known", &format!("{open}I need it.{}", vector.answer));
        let is_sure = families::named(name)
            .unwrap()
            .rows
            .iter()
            .any(|row| row.begins_call());
        let expected = if is_sure { calls } else { Vec::new() };
        assert_eq!(answer.calls, expected, "{name}");
        assert_eq!(answer.problems.is_empty(), is_sure, "{name}");
    }
}

#[test]
fn calls_wait_only_where_they_may_be_thoughts() {
    let answer = "Hm. <tool_call>{\"name\": \"now\"}</tool_call> So.";
    let format: AnswerFormat = "hermes".parse().unwrap();
    let is_call = |event: &AnswerEvent| matches!(event, AnswerEvent::Call(_));
    for (prompt, at_once) in [("known", true), ("", false)] {
        let mut reader = format.reader(prompt, &[]);
        assert_eq!(reader.push(answer).iter().any(is_call), at_once);
        assert_eq!(reader.finish().iter().any(is_call), !at_once);
    }
    // In a family without reasoning, calls are reported at once.
    let events = stream(
        "functiongemma",
        &["<start_function_call>call:now{}<end_function_call>"],
    );
    assert_eq!(events.len(), 2);
}

/// A broken call of each family.
const BAD: [(&str, &str); 34] = [
    (
        "harmony",
        "<|channel|>commentary to=functions.add<|message|>oops<|call|><|start|>assistant",
    ),
    (
        "functiongemma",
        "<start_function_call>oops<end_function_call>",
    ),
    ("gemma-4", "<|tool_call>response:oops{a:1}<tool_call|>"),
    (
        "kimi-k2",
        "<|tool_call_begin|>functions.oops:0<|tool_call_end|>",
    ),
    ("kimi-k3", "<|open|>call oops<|close|>call<|sep|>"),
    ("deepseek", "<｜tool▁call▁begin｜>oops<｜tool▁call▁end｜>"),
    (
        "deepseek-v3.1",
        "<｜tool▁call▁begin｜>oops<｜tool▁call▁end｜>",
    ),
    (
        "deepseek-v3.2",
        "<｜DSML｜invoke name=\"oops\"><｜DSML｜parameter name=\"a\">1</｜DSML｜parameter></｜DSML｜invoke>",
    ),
    (
        "minimax-m2",
        "<minimax:tool_call><invoke name=\"oops oops\"></invoke></minimax:tool_call>",
    ),
    (
        "minimax-m3",
        "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"oops\">]<]minimax[>[<a>1]<]minimax[>[</tool_call>",
    ),
    (
        "longcat",
        "<longcat_tool_call>oops<longcat_arg_key>a</longcat_tool_call>",
    ),
    (
        "hunyuan",
        "<tool_call:opensource>oops</tool_call:opensource>",
    ),
    ("glm-4.5", "<tool_call>oops<arg_key>a</tool_call>"),
    (
        "seed-oss",
        "<seed:tool_call><function=oops</function></seed:tool_call>",
    ),
    (
        "qwen3-coder",
        "<tool_call><function=oops\n<parameter=a>1</function></tool_call>",
    ),
    ("functionary-v3.2", "add\noops\n>>>"),
    (
        "functionary-v2",
        "<|recipient|>add<|content|>oops<|from|>assistant\n<|recipient|>",
    ),
    ("functionary-v3.1", "<function=oops oops>{}</function>"),
    ("mistral", "[TOOL_CALLS]add[ARGS]oops"),
    ("command-r", "<|START_ACTION|>oops<|END_ACTION|>"),
    ("phi-4", "<|tool_call|>oops<|/tool_call|>"),
    ("granite", "<tool_call>oops</tool_call>"),
    ("llama-pythonic", "<|python_start|>oops(<|python_end|>"),
    ("nemotron", "<TOOLCALL>oops</TOOLCALL>"),
    ("apertus", "<|tools_prefix|>[\"oops\"]<|tools_suffix|>"),
    (
        "internlm2",
        "<|action_start|><|interpreter|>oops<|action_end|>",
    ),
    ("lfm2", "<|tool_call_start|>[oops<|tool_call_end|>"),
    ("olmo-3", "<function_calls>\noops\n</function_calls>"),
    ("granite-20b", "<function_call>oops"),
    ("jamba", "<tool_calls>oops</tool_calls>"),
    ("exaone", "<tool_call>oops</tool_call>"),
    ("hermes", "<tool_call>oops</tool_call>"),
    ("llama-3", "{\"name\": oops}\n"),
    ("generic", "```json\n{\"name\": oops}\n```\n"),
];

#[test]
fn a_bad_call_is_told_and_does_not_swallow_the_next() {
    assert!(AnswerFormat::names().eq(BAD.map(|(name, _)| name)));
    for (name, bad) in BAD {
        let (vector, calls) = call(name);
        let answer = read(name, "known", &format!("{bad}{}", vector.answer));
        assert_eq!(answer.calls, calls, "{name}: {answer:?}");
        let is_told = |problem: &AnswerProblem| match problem {
            AnswerProblem::Unreadable { written, .. } => written.contains("oops"),
            _ => false,
        };
        // Text that only resembles a call stays text.
        let rows = families::named(name).unwrap().rows;
        let is_sure = |row: &Transition| {
            row.begins_call() && row.certainty == Certainty::Sure && bad.starts_with(row.marker)
        };
        match rows.iter().any(is_sure) || name == "harmony" {
            true => assert!(answer.problems.iter().any(is_told), "{name}: {answer:?}"),
            false => assert!(answer.text.contains("oops"), "{name}: {answer:?}"),
        }
    }
}

#[test]
fn what_is_broken_calls_nothing() {
    for name in AnswerFormat::names() {
        let family = families::named(name).unwrap();
        for token in family.control_tokens() {
            let broken = crate::conversation::chat_template::without_control_tokens(token);
            assert!(!broken.contains(token), "{name}: {token}");
        }
        // Families that are read by brackets, line feeds and words have no tokens to break.
        let is_bare = family.bare.is_some() || family.start == State::Name;
        let is_plain = |row: &&Transition| {
            let begins = row.from == State::Text && row.to.is_in_call();
            begins && !row.marker.starts_with(['<', '[', ']'])
        };
        let plain: Vec<&str> = family
            .rows
            .iter()
            .filter(is_plain)
            .map(|row| row.marker)
            .collect();
        for vector in vectors(name) {
            if is_bare || plain.iter().any(|marker| vector.answer.contains(marker)) {
                continue;
            }
            let format: AnswerFormat = name.parse().unwrap();
            let answer = crate::conversation::chat_template::without_control_tokens(&vector.answer);
            let read = format.read(&answer, "known", &[]);
            assert_eq!(read.calls, [], "{name}: {answer}");
        }
    }
}

//! Tests of `tool run` and `tool chat` where the model or its endpoint slips: who is told, and how.
//! The model is told of unreadable calls, the person of work that was not done.

use serde_json::{Value, json};

use crate::support::ran::says;
use crate::support::scripted_agent::{INTERPRETER, endpoint, last, run, start, user};
use crate::support::{Need, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let rust = &[Need::RustGuests];
    let python = &[Need::RustGuests, Need::PythonGuest];
    vec![
        test("agent_slips::calls_are_mended", calls_are_mended).needs(rust),
        test(
            "agent_slips::a_call_may_stand_beside_one_that_is_none",
            a_call_may_stand_beside_one_that_is_none,
        )
        .needs(rust),
        test(
            "agent_slips::what_is_held_to_nothing_is_mended",
            what_is_held_to_nothing_is_mended,
        )
        .needs(rust),
        test(
            "agent_slips::nothing_is_run_in_the_last_round",
            nothing_is_run_in_the_last_round,
        )
        .needs(python),
        test(
            "agent_slips::an_answer_that_is_not_all_is_warned_of",
            an_answer_that_is_not_all_is_warned_of,
        )
        .needs(rust),
        test("agent_slips::code_is_one_block", code_is_one_block).needs(python),
        test(
            "agent_slips::what_is_not_kept_is_told_first",
            what_is_not_kept_is_told_first,
        )
        .needs(python),
        test(
            "agent_slips::a_chat_tells_of_failures_at_its_end",
            a_chat_tells_of_failures_at_its_end,
        )
        .needs(rust),
        test(
            "agent_slips::an_endpoint_may_refuse_with_a_good_status",
            an_endpoint_may_refuse_with_a_good_status,
        )
        .needs(rust),
    ]
}

const COUNT: &str = "text_stats__count_words";

/// A reply with calls as the model wrote them.
fn written(calls: &[(&str, &str)]) -> Value {
    let calls = calls.iter().enumerate().map(|(number, (name, arguments))| {
        json!({
            "id": format!("c{number}"), "type": "function",
            "function": {"name": name, "arguments": arguments},
        })
    });
    let message = json!({
        "role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>(),
    });
    json!({"choice": {"index": 0, "message": message, "finish_reason": "tool_calls"}})
}

fn calls_are_mended() {
    let home = user(&["text-stats"]);
    let deep = "[".repeat(100_000);
    let script = json!([
        written(&[(COUNT, r#"{"text": "a b"}"#), (COUNT, r#"{"text": "a"#)]),
        written(&[(COUNT, "[1]"), (COUNT, &deep)]),
        {"calls": [[COUNT, {"text": "a b c"}]]},
        "Three.",
    ]);
    let (printed, asked) = run(&home, "Count.", &[], script);
    assert_eq!(printed, "Three.");
    let messages = asked[1]["messages"].as_array().expect("messages");
    assert_eq!(messages[1]["tool_calls"].as_array().map(Vec::len), Some(1));
    assert_eq!(messages[2]["content"], "2");
    let (role, told) = last(&asked[1]);
    assert_eq!(role, "user");
    assert!(
        told.contains(
            "The call of `text_stats__count_words` was not made: its arguments are no JSON object"
        ),
        "{told}"
    );
    assert!(told.contains("To mend it: "), "{told}");
    let (_, told) = last(&asked[2]);
    assert_eq!(told.matches("was not made").count(), 2, "{told}");
    assert_eq!(last(&asked[3]), ("tool", "3"));
}

fn a_call_may_stand_beside_one_that_is_none() {
    let home = user(&["text-stats"]);
    let call = format!(r#"{{"name": "{COUNT}", "arguments": {{"text": "a b"}}}}"#);
    let script = json!([
        format!("<tool_call>\n{call}\n</tool_call>\n<tool_call>\n{{\"name\": \n</tool_call>"),
        format!("<think>secret</think>Two. <tool_call>\n{call}\n</tool_call>"),
        "<think>secret</think>Two.",
    ]);
    let flags = ["--read-as", "hermes", "--rounds", "3"];
    let (printed, asked) = run(&home, "Count.", &flags, script);
    // The last words are read as all others are.
    assert_eq!(printed, "Two.");
    let messages = asked[1]["messages"].as_array().expect("messages");
    assert_eq!(messages[2]["content"], "2");
    let (role, told) = last(&asked[1]);
    assert!(
        role == "user" && told.starts_with("A call could not be read"),
        "{told}"
    );
}

fn what_is_held_to_nothing_is_mended() {
    let home = user(&["text-stats"]);
    let script = json!(["Two, I think.", r#"{"answer": "Two."}"#]);
    let (printed, asked) = run(&home, "Count.", &["--hold-by", "vllm"], script);
    assert_eq!(printed, "Two.");
    let (role, told) = last(&asked[1]);
    assert!(role == "user" && told.contains("JSON"), "{told}");
    let model = start(json!([]));
    let flags = [
        &["run", "Count.", "--yes", "--hold-by", "openai"],
        &endpoint(&model)[..],
    ];
    says(
        &home.run(flags.concat()),
        1,
        "use tgi, vllm, llama.cpp or sglang",
    );
}

fn nothing_is_run_in_the_last_round() {
    let home = user(&["text-stats", INTERPRETER]);
    let call = json!({"calls": [[COUNT, {"text": "a b c d"}]]});
    let model = start(json!([call, call]));
    let flags = [
        &["run", "Count.", "--yes", "--rounds", "2"],
        &endpoint(&model)[..],
    ];
    let ran = home.run(flags.concat());
    says(&ran, 1, "no answer after 2 rounds");
    assert_eq!(ran.stderr().matches("→ 4").count(), 1, "{}", ran.stderr());
    assert_eq!(model.asked()[1]["tool_choice"], "none");

    let model = start(json!([
        "```py\nprint('once')\n```",
        "```py\nprint('twice')\n```"
    ]));
    let flags = [
        &["run", "Count.", "--yes", "--code", "--rounds", "2"],
        &endpoint(&model)[..],
    ];
    let ran = home.run(flags.concat());
    says(&ran, 1, "no answer after 2 rounds");
    assert!(!ran.stderr().contains("twice"), "{}", ran.stderr());
    let asked = model.asked();
    let (_, told) = last(&asked[1]);
    assert!(
        told.ends_with("No more code is run. Answer in words now."),
        "{told}"
    );
}

fn an_answer_that_is_not_all_is_warned_of() {
    let home = user(&["text-stats"]);
    let cut = json!({"choice": {
        "index": 0, "message": {"role": "assistant", "content": "The answer is cut o"},
        "finish_reason": "length",
    }});
    let unread =
        format!("<tool_call>\n{{\"name\": \"{COUNT}\", \"arguments\": {{}}}}\n</tool_call>");
    for (reply, warning) in [
        (cut, "warning: the endpoint cut the answer off"),
        (
            json!(unread),
            "warning: the answer has a call in its text, which the endpoint did not read",
        ),
    ] {
        let model = start(json!([reply]));
        let flags = [&["run", "Count.", "--yes"], &endpoint(&model)[..]].concat();
        says(&home.run(flags), 0, warning);
    }
}

fn code_is_one_block() {
    let home = user(&["text-stats", INTERPRETER]);
    let script = json!([
        "First:\n```py\nprint(1)\n```\nthen:\n```py\nprint(2)\n```",
        {"text": "", "calls": [[COUNT, {"text": "a"}]]},
        "Done.",
    ]);
    let (printed, asked) = run(&home, "Count.", &["--code"], script);
    assert_eq!(printed, "Done.");
    let (_, told) = last(&asked[1]);
    assert_eq!(
        told,
        "The code printed:\n1\nOnly the first block of code of a message runs; the others did not."
    );
    let (_, told) = last(&asked[2]);
    assert_eq!(
        told,
        "Nothing was called. Call functions in a block of code."
    );
}

fn what_is_not_kept_is_told_first() {
    let home = user(&[INTERPRETER]);
    let script = json!(["```py\nlong = 'z' * 6_000_000\n```", "Done."]);
    let (_, asked) = run(&home, "Count.", &["--code"], script);
    let (_, told) = last(&asked[1]);
    assert!(
        told.starts_with("These are not kept: long\n"),
        "{}",
        &told[..100]
    );
    assert!(told.ends_with("[cut: 32768 of 6000000 bytes]"));
    assert!(told.len() < 40_000, "{}", told.len());
}

fn a_chat_tells_of_failures_at_its_end() {
    let home = user(&["text-stats"]);
    let model = start(json!([null, "می\u{200c}خواهم\r\nYes."]));
    let chat = format!("chat --yes --openai {} --model scripted", model.origin());
    let ran = home.run_with_input(&chat, "One.\nTwo.\n");
    says(&ran, 1, "the script has no answer");
    // A program reads what the model wrote, and nothing else.
    assert_eq!(ran.stdout(), "می\u{200c}خواهم\r\nYes.\n");
    let model = start(json!([null, "Yes."]));
    let chat = format!(
        "chat --json --yes --openai {} --model scripted",
        model.origin()
    );
    let ran = home.run_with_input(&chat, "One.\nTwo.\n");
    assert_eq!(ran.code(), 1);
    let answers = serde_json::Deserializer::from_str(&ran.stdout())
        .into_iter::<Value>()
        .collect::<Result<Vec<_>, _>>()
        .expect("JSON");
    assert!(answers[0]["error"].is_string(), "{answers:?}");
    assert_eq!(answers[1]["text"], "Yes.");
}

fn an_endpoint_may_refuse_with_a_good_status() {
    let home = user(&["text-stats"]);
    let model = start(json!([{"error": {"message": "the quota is used up"}}]));
    let flags = [&["run", "Count.", "--yes"], &endpoint(&model)[..]].concat();
    says(&home.run(flags), 1, "the quota is used up");
}

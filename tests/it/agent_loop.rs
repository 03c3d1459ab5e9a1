//! Tests of `tool run` and `tool chat` with a scripted model, and tools that really run.

use serde_json::{Value, json};

use crate::support::picture::picture_file;
use crate::support::scripted_agent::{INTERPRETER, endpoint, last, run, start, user};
use crate::support::terminal::Terminal;
use crate::support::{Need, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("agent_loop::functions_are_called", functions_are_called).needs(&[Need::RustGuests]),
        test("agent_loop::pictures_go_by_name", pictures_go_by_name).needs(&[Need::RustGuests]),
        test(
            "agent_loop::failures_teach_the_model",
            failures_teach_the_model,
        )
        .needs(&[Need::RustGuests]),
        test("agent_loop::calls_are_read_in_text", calls_are_read_in_text)
            .needs(&[Need::RustGuests]),
        test(
            "agent_loop::a_grammar_stands_for_tools",
            a_grammar_stands_for_tools,
        )
        .needs(&[Need::RustGuests]),
        test("agent_loop::a_person_may_refuse", a_person_may_refuse).needs(&[Need::RustGuests]),
        test(
            "agent_loop::code_and_what_it_calls_may_be_refused",
            code_and_what_it_calls_may_be_refused,
        )
        .needs(&[Need::RustGuests, Need::PythonGuest]),
        test("agent_loop::what_is_wrong_is_said", what_is_wrong_is_said).needs(&[Need::RustGuests]),
        test("agent_loop::code_calls_functions", code_calls_functions)
            .needs(&[Need::RustGuests, Need::PythonGuest]),
        test("agent_loop::code_hands_pictures_on", code_hands_pictures_on)
            .needs(&[Need::RustGuests, Need::PythonGuest]),
        test("agent_loop::a_chat_keeps_variables", a_chat_keeps_variables)
            .needs(&[Need::RustGuests, Need::PythonGuest]),
        test(
            "agent_loop::values_wait_for_code_that_takes_them",
            values_wait_for_code_that_takes_them,
        )
        .needs(&[Need::PythonGuest]),
        test(
            "agent_loop::code_that_fails_is_told_why",
            code_that_fails_is_told_why,
        )
        .needs(&[Need::RustGuests, Need::PythonGuest]),
        test(
            "agent_loop::code_can_be_only_printed",
            code_can_be_only_printed,
        )
        .needs(&[Need::PythonGuest]),
        test(
            "agent_loop::code_that_is_only_written_needs_nobody",
            code_that_is_only_written_needs_nobody,
        )
        .needs(&[Need::RustGuests, Need::PythonGuest]),
        test(
            "agent_loop::a_person_sees_words_and_can_see_all",
            a_person_sees_words_and_can_see_all,
        )
        .needs(&[Need::RustGuests]),
    ]
}

fn functions_are_called() {
    let home = user(&["text-stats", "calculator"]);
    let script = json!([
        {"text": "I count.", "calls": [
            ["text_stats__count_words", {"text": "one two three"}],
            ["calculator__evaluate", {"expression": "1 km + 1 m"}],
        ]},
        "Three words, and 1.001 km.",
    ]);
    let (printed, asked) = run(&home, "Count and add.", &[], script);
    assert_eq!(printed, "Three words, and 1.001 km.");
    let names = asked[0]["tools"].as_array().expect("tools").iter();
    let names: Vec<_> = names.map(|tool| &tool["function"]["name"]).collect();
    assert!(
        names.contains(&&json!("text_stats__statistics")),
        "{names:?}"
    );
    assert_eq!(last(&asked[0]), ("user", "Count and add."));
    let messages = asked[1]["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 4, "{messages:?}");
    assert_eq!(messages[1]["tool_calls"][0]["id"], "call_1_0");
    assert_eq!(messages[2]["tool_call_id"], "call_1_0");
    assert_eq!(messages[2]["content"], "3");
    assert_eq!(messages[3]["tool_call_id"], "call_1_1");
    assert!(last(&asked[1]).1.contains("1.001 km"), "{}", messages[3]);
}

fn pictures_go_by_name() {
    let home = user(&["thumbnail"]);
    home.write("photo.png", picture_file(64, 32));
    let script = json!([
        {"calls": [["thumbnail__shrink", {"picture": "media:photo", "longest_side": 16}]]},
        {"calls": [["thumbnail__describe", {"picture": "media:thumbnail__shrink_1"}]]},
        "It is 16 wide.",
    ]);
    let flags = ["--var", "photo=@photo.png", "--save", "pictures"];
    let (printed, asked) = run(&home, "Make it small.", &flags, script);
    assert_eq!(printed, "It is 16 wide.");
    let (_, task) = last(&asked[0]);
    assert!(
        task.contains("`media:photo` is a picture, image/png"),
        "{task}"
    );
    let (role, described) = last(&asked[2]);
    assert!(
        role == "tool" && described.contains("\"width\":16"),
        "{described}"
    );
    let files = std::fs::read_dir(home.work().join("pictures")).expect("the directory");
    assert_eq!(files.count(), 1);
}

fn failures_teach_the_model() {
    let home = user(&["text-stats"]);
    let script = json!([
        {"calls": [["text_stats__count_word", {"text": "a"}], ["text_stats__count_words", {"words": "a"}]]},
        "I give up.",
    ]);
    let (printed, asked) = run(&home, "Count.", &[], script);
    assert_eq!(printed, "I give up.");
    let messages = asked[1]["messages"].as_array().expect("messages");
    let [unknown, malformed] = [2, 3].map(|at| messages[at]["content"].as_str().expect("a text"));
    assert!(
        unknown.contains("did you mean `text_stats__count_words`?"),
        "{unknown}"
    );
    assert!(malformed.contains("`words`"), "{malformed}");
}

fn calls_are_read_in_text() {
    let home = user(&["text-stats"]);
    let call = r#"{"name": "text_stats__count_words", "arguments": {"text": "a b"}}"#;
    let script = json!([
        "<tool_call>\n{\"name\": \"text_stats__count_words\", ",
        format!("<think>Easy.</think>I count.\n<tool_call>\n{call}\n</tool_call>"),
        "Two.",
    ]);
    let (printed, asked) = run(&home, "Count.", &["--read-as", "hermes"], script);
    assert_eq!(printed, "Two.");
    let (role, told) = last(&asked[1]);
    assert!(
        role == "user" && told.starts_with("The answer ends within a call"),
        "{told}"
    );
    let messages = asked[2]["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 5, "{messages:?}");
    assert_eq!(messages[3]["content"], "I count.");
    assert_eq!(last(&asked[2]), ("tool", "2"));
}

fn a_grammar_stands_for_tools() {
    let home = user(&["text-stats"]);
    let script = json!([
        r#"{"name": "text_stats__count_words", "arguments": {"text": "a b"}}"#,
        r#"{"answer": "Two."}"#,
    ]);
    let (printed, asked) = run(&home, "Count.", &["--hold-by", "llama.cpp"], script);
    assert_eq!(printed, "Two.");
    assert_eq!(asked[0].get("tools"), None);
    assert!(asked[0].get("json_schema").is_some(), "{}", asked[0]);
    assert_eq!(
        last(&asked[1]),
        ("user", "Result of text_stats__count_words:\n2")
    );
}

fn a_person_may_refuse() {
    let home = user(&["text-stats"]);
    let call = json!(["text_stats__count_words", {"text": "one\u{1b}[2J two"}]);
    let model = start(json!([
        {"calls": [call, call, call]},
        "Two.",
    ]));
    let arguments = [&["run", "Count."], &endpoint(&model)[..]].concat();
    let mut terminal = Terminal::start(home.command(arguments));
    terminal.wait_for(r#"call text_stats__count_words {"text":"one\u001b[2J two"}"#);
    terminal.wait_for("why not: ");
    terminal.answer("the text is wrong");
    terminal.wait_for("why not: ");
    terminal.answer("always");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    let asked = model.asked();
    let messages = asked[1]["messages"].as_array().expect("messages");
    let refused = messages[2]["content"].as_str().expect("a text");
    assert!(
        refused.contains("declined this call") && refused.contains("the text is wrong"),
        "{refused}"
    );
    assert_eq!(
        [&messages[3]["content"], &messages[4]["content"]],
        ["3", "3"]
    );
}

fn code_and_what_it_calls_may_be_refused() {
    let home = user(&["text-stats", INTERPRETER]);
    let model = start(json!([
        "```py\nprint('first')\n```",
        "```py\ntext_stats__count_words(text='a b')\n```",
        "I see.",
    ]));
    let arguments = [&["run", "Count.", "--code"], &endpoint(&model)[..]].concat();
    let mut terminal = Terminal::start(home.command(arguments));
    terminal.wait_for("print('first')");
    terminal.wait_for("Run it? [y]es, or why not: ");
    terminal.answer("no");
    terminal.wait_for("Run it? [y]es, or why not: ");
    terminal.answer("y");
    terminal.wait_for("call text_stats__count_words");
    terminal.wait_for("why not: ");
    terminal.answer("guess instead");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    let asked = model.asked();
    assert_eq!(last(&asked[1]).1, "The person refused to run this code.");
    let (_, told) = last(&asked[2]);
    assert!(
        told.contains("the user declined this call") && told.contains("guess instead"),
        "{told}"
    );
}

fn what_is_wrong_is_said() {
    let home = user(&["text-stats"]);
    let silent = start(json!([]));
    let calls_forever = json!({"calls": [["text_stats__count_words", {"text": "a"}]]});
    let endless_model = start(json!([calls_forever, calls_forever]));
    let (silent, endless) = (silent.origin(), endless_model.origin());
    for (arguments, says) in [
        ("run x --yes --model m".to_owned(), "no endpoint is named"),
        (
            format!("run x --yes --openai {silent}"),
            "no model is named",
        ),
        (
            format!("run x --openai {silent} --model m"),
            "nobody can answer here",
        ),
        (
            format!("run x --yes --openai {silent} --model m"),
            "the endpoint answered with status 400 Bad Request: the script has no answer",
        ),
        (
            format!("run x --yes --openai {endless} --model m --rounds 2"),
            "no answer after 2 rounds",
        ),
        (
            format!("run x --yes --openai {silent} --model m --code --interpreter text_stats"),
            "`text-stats` is no interpreter",
        ),
        (
            format!("run x --yes --openai {silent} --model m --code"),
            "run_python",
        ),
        (
            format!("run x --yes --openai {silent} --model m --var 1=2"),
            "`1` is not a valid name of a variable",
        ),
    ] {
        let refused = home.tool(&arguments);
        assert_eq!(refused.code(), 1, "{arguments}: {}", refused.stderr());
        assert!(
            refused.stderr().contains(says),
            "{arguments}: {}",
            refused.stderr()
        );
    }
    let choices = endless_model.asked();
    let choices: Vec<_> = choices.iter().map(|asked| &asked["tool_choice"]).collect();
    assert_eq!(choices, [&Value::Null, &json!("none")]);
}

fn code_calls_functions() {
    let home = user(&["text-stats", INTERPRETER]);
    let code = "words = text_stats__count_words(text=text)\nprint(words)\nwords * 2";
    let script = json!([
        format!("I count and double.\n```py\n{code}\n```"),
        "It is 6.",
    ]);
    let flags = ["--code", "--var", "text=one two three"];
    let (printed, asked) = run(&home, "Count twice.", &flags, script);
    assert_eq!(printed, "It is 6.");
    assert_eq!(asked[0].get("tools"), None);
    let system = asked[0]["messages"][0]["content"].as_str().expect("a text");
    assert!(system.contains("def text_stats__count_words("), "{system}");
    assert!(!system.contains("run_python"), "{system}");
    assert_eq!(
        last(&asked[0]),
        (
            "user",
            "Count twice.\n\nThese variables are there:\n- `text`: \"one two three\""
        )
    );
    assert_eq!(
        last(&asked[1]),
        (
            "user",
            "The code printed:\n3\nThe value of its last line:\n6"
        )
    );
}

fn code_hands_pictures_on() {
    let home = user(&["thumbnail", INTERPRETER]);
    home.write("photo.png", picture_file(64, 32));
    let code = "small = thumbnail__shrink(photo, 16, format='png')\n\
                print(thumbnail__describe(small)['width'])\nsmall";
    let script = json!([format!("```py\n{code}\n```"), "There it is."]);
    let flags = [
        "--code",
        "--var",
        "photo=@photo.png",
        "--save",
        ".",
        "--json",
    ];
    let (printed, asked) = run(&home, "Make it small.", &flags, script);
    let printed: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(printed["text"], "There it is.");
    assert_eq!(printed["media"][0]["media_type"], "image/png");
    let (_, told) = last(&asked[1]);
    assert!(
        told.starts_with(
            "The code printed:\n16\nThe value of its last line is a picture, image/png"
        ),
        "{told}"
    );
    let file = std::fs::read(home.work().join("code_1.png")).expect("the picture");
    assert!(file.starts_with(b"\x89PNG"));
}

fn a_chat_keeps_variables() {
    let home = user(&["text-stats", INTERPRETER]);
    let model = start(json!([
        "```py\nwords = text_stats__count_words(text='a b')\ndef twice(n):\n    return 2 * n\n```",
        "Two words.",
        "```py\ntwice(words)\n```",
        "Four.",
    ]));
    let arguments = format!(
        "chat --yes --code --openai {} --model scripted",
        model.origin()
    );
    let ran = home.run_with_input(&arguments, "Count.\nAnd twice that?\n");
    assert_eq!(ran.ok(), "Two words.\nFour.\n");
    let asked = model.asked();
    assert_eq!(last(&asked[3]).1, "The value of its last line:\n4");
    assert_eq!(asked[3]["messages"].as_array().map(Vec::len), Some(8));
}

fn values_wait_for_code_that_takes_them() {
    let home = user(&[INTERPRETER]);
    let model = start(json!([
        null,
        "Just words.",
        "```py\nn + missing\n```",
        "I fail.",
        "```py\nn + 1\n```",
        "Three.",
    ]));
    let arguments = format!(
        "chat --yes --code --var n=2 --openai {} --model scripted",
        model.origin()
    );
    let ran = home.run_with_input(&arguments, "One.\nOne.\nTwo.\nThree.\n");
    assert_eq!(ran.stdout(), "Just words.\nI fail.\nThree.\n");
    let asked = model.asked();
    // The task that was never answered is not in the conversation, and is told whole once more.
    assert_eq!(asked[0]["messages"], asked[1]["messages"]);
    assert!(last(&asked[1]).1.contains("- `n`: 2"), "{}", asked[1]);
    assert_eq!(last(&asked[5]).1, "The value of its last line:\n3");
}

fn code_that_fails_is_told_why() {
    let home = user(&["text-stats", INTERPRETER]);
    let script = json!([
        "```py\nn = 1\ntext_stats__count_words(txt='a')\n```",
        "```py\nopen('/etc/passwd')\n```",
        "```py\nwhile True: pass\n```",
        "I cannot.",
    ]);
    let (printed, asked) = run(&home, "Count.", &["--code"], script);
    assert_eq!(printed, "I cannot.");
    let (_, told) = last(&asked[1]);
    assert!(
        told.starts_with("The code failed: ")
            && told.contains("in line 2")
            && told.contains("`txt`"),
        "{told}"
    );
    let (_, told) = last(&asked[2]);
    assert!(told.contains("FileNotFoundError"), "{told}");
    let (_, told) = last(&asked[3]);
    assert!(told.contains("cpu_ms"), "{told}");
}

fn code_can_be_only_printed() {
    let home = user(&[INTERPRETER]);
    let script = json!(["I add.\n```py\nprint(1 + 1)\n```"]);
    let (printed, asked) = run(&home, "Add.", &["--code", "--return-code"], script);
    assert_eq!((&*printed, asked.len()), ("print(1 + 1)", 1));
}

fn code_that_is_only_written_needs_nobody() {
    let home = user(&[INTERPRETER]);
    let model = start(json!(["```py\nprint(1)\n```"]));
    let flags = [
        &["run", "Count.", "--code", "--return-code"],
        &endpoint(&model)[..],
    ];
    assert_eq!(home.run(flags.concat()).ok(), "print(1)\n");
}

fn a_person_sees_words_and_can_see_all() {
    let home = user(&["text-stats", "thumbnail"]);
    home.write("photo.png", picture_file(64, 32));
    let long = format!("{} end of it", "word ".repeat(1_000));
    let model = start(json!([
        {"calls": [["thumbnail__describe", {"picture": "media:photo"}]]},
        {"calls": [["text_stats__count_words", {"text": long}]]},
        "Well.",
    ]));
    let flags = ["run", "Look.", "--var", "photo=@photo.png"];
    let arguments = [&flags, &endpoint(&model)[..]].concat();
    let mut terminal = Terminal::start(home.command(arguments));
    terminal.wait_for(r#"call thumbnail__describe {"picture":"[image/png, "#);
    terminal.wait_for("why not: ");
    terminal.answer("y");
    terminal.wait_for("(5010 bytes)");
    terminal.wait_for("[s]how all, or why not: ");
    terminal.answer("s");
    terminal.wait_for("end of it");
    terminal.wait_for("why not: ");
    terminal.answer("y");
    let ended = terminal.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.shown);
    assert!(!ended.shown.contains("iVBOR"), "{}", ended.shown);
}

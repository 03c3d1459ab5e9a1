//! Tests of `tool run` and `tool chat` with `--code=javascript`: the model writes JavaScript.
//! The model is scripted, and the tools really run.

use serde_json::{Value, json};

use crate::support::picture::picture_file;
use crate::support::scripted_agent::{last, run, start, user};
use crate::support::{Need, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let tests = [
        test(
            "javascript_agent::code_calls_functions",
            code_calls_functions,
        ),
        test(
            "javascript_agent::code_hands_pictures_on",
            code_hands_pictures_on,
        ),
        test(
            "javascript_agent::a_chat_keeps_variables_and_functions",
            a_chat_keeps_variables_and_functions,
        ),
        test(
            "javascript_agent::code_that_fails_is_told_why",
            code_that_fails_is_told_why,
        ),
        test(
            "javascript_agent::random_numbers_are_others_in_each_call",
            random_numbers_are_others_in_each_call,
        ),
        test(
            "javascript_agent::what_is_wrong_is_said",
            what_is_wrong_is_said,
        ),
    ];
    let needs = &[Need::RustGuests, Need::JavascriptGuest];
    tests.into_iter().map(|test| test.needs(needs)).collect()
}

const INTERPRETER: &str = "run-javascript";
const CODE: &str = "--code=javascript";

fn written(code: &str) -> Value {
    json!(format!("I try.\n```js\n{code}\n```"))
}

fn code_calls_functions() {
    let home = user(&["text-stats", "calculator", INTERPRETER]);
    let code = "const texts = ['one two', given];\n\
                const counts = await Promise.all(texts.map(async (text) => {\n\
                  return await text_stats__count_words({ text });\n\
                }));\n\
                console.log(counts);\n\
                const sum = calculator__evaluate(`${counts[0]} km + ${counts[1]} m`).text;";
    let script = json!([written(code), "It is 2.003 km."]);
    let flags = [CODE, "--var", "given=one two three"];
    let (printed, asked) = run(&home, "Count and add.", &flags, script);
    assert_eq!(printed, "It is 2.003 km.");
    let system = asked[0]["messages"][0]["content"].as_str().expect("a text");
    assert!(
        system.contains("declare function text_stats__count_words(args: {"),
        "{system}"
    );
    assert!(!system.contains("run_javascript"), "{system}");
    let (_, told) = last(&asked[1]);
    assert!(
        told.starts_with("The code printed:\n[2,3]\n") && told.contains("2.003"),
        "{told}"
    );
}

fn code_hands_pictures_on() {
    let home = user(&["thumbnail", INTERPRETER]);
    home.write("photo.png", picture_file(64, 32));
    let code = "const small = thumbnail__shrink({ picture: photo, longest_side: 16, format: 'png' });\n\
                console.log((await thumbnail__describe(small)).width);\n\
                small";
    let script = json!([written(code), "There it is."]);
    let flags = [CODE, "--var", "photo=@photo.png", "--save", "."];
    let (printed, asked) = run(&home, "Make it small.", &flags, script);
    assert_eq!(printed, "There it is.");
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

fn a_chat_keeps_variables_and_functions() {
    let home = user(&["text-stats", INTERPRETER]);
    let model = start(json!([
        written(
            "let words = await text_stats__count_words({ text: 'a b' });\n\
             const later = async (n) => (await text_stats__count_words({ text: 'a' })) + n;\n\
             function twice(n) { words += 1; return 2 * n; }\n\
             const odd = Symbol('odd');"
        ),
        "Two words.",
        written("[twice(words), words, await later(1)]"),
        "Four.",
    ]));
    let arguments = format!(
        "chat --yes {CODE} --openai {} --model scripted",
        model.origin()
    );
    let ran = home.run_with_input(&arguments, "Count.\nAnd twice that?\n");
    assert_eq!(ran.ok(), "Two words.\nFour.\n");
    let asked = model.asked();
    let (_, told) = last(&asked[1]);
    assert!(told.starts_with("These are not kept: odd\n"), "{told}");
    assert_eq!(last(&asked[3]).1, "The value of its last line:\n[4,3,2]");
}

fn code_that_fails_is_told_why() {
    let home = user(&["text-stats", INTERPRETER]);
    let script = json!([
        written("const n = 1;\ntext_stats__count_words({ txt: 'a' });"),
        written("await fetch('http://127.0.0.1/')"),
        written("const n = (1"),
        written("while (true);"),
        "I cannot.",
    ]);
    let (printed, asked) = run(&home, "Count.", &[CODE], script);
    assert_eq!(printed, "I cannot.");
    for (asked, says) in asked[1..].iter().zip([
        &["ToolError: ", "`txt`", "in line 2: text_stats__count_words"][..],
        &["ReferenceError: fetch is not defined", "in line 1"],
        &["SyntaxError: ", "in line 1: const n = (1"],
        &["cpu_ms"],
    ]) {
        let (_, told) = last(asked);
        assert!(told.starts_with("The code failed: "), "{told}");
        for part in says {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}

fn what_is_wrong_is_said() {
    let home = user(&["text-stats"]);
    let model = start(json!([]));
    home.write("run.txt", "<<all_tools>> <<prompt>>");
    for (flags, says) in [
        ("--code=javascript", "run_javascript"),
        ("--code=ruby", "[possible values: python, javascript]"),
        (
            "--code=javascript --template run.txt",
            "a prompt template asks for Python, not JavaScript",
        ),
    ] {
        let refused = home.tool(&format!(
            "run x --yes --openai {} --model m {flags}",
            model.origin()
        ));
        assert_eq!(refused.code(), 1, "{flags}: {}", refused.stderr());
        assert!(
            refused.stderr().contains(says),
            "{flags}: {}",
            refused.stderr()
        );
    }
}

fn random_numbers_are_others_in_each_call() {
    let home = user(&[INTERPRETER]);
    let call = || {
        let code = "code=[Math.random(), Math.random()]";
        home.run(["call", "run_javascript.run", code]).ok()
    };
    let (first, second) = (call(), call());
    assert!(first.starts_with("[0."), "{first}");
    assert_ne!(first, second);
}

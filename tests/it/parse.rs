//! Tests of `tool parse`, which reads the parts and calls of a model's answer.

use serde_json::json;

use crate::support::loading::load;
use crate::support::terminal::Terminal;
use crate::support::{Home, Need, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "parse::an_answer_falls_into_its_parts",
            an_answer_falls_into_its_parts,
        ),
        test(
            "parse::a_call_in_an_unknown_notation_is_no_text",
            a_call_in_an_unknown_notation_is_no_text,
        ),
        test(
            "parse::a_model_says_how_it_writes",
            a_model_says_how_it_writes,
        ),
        test(
            "parse::calls_are_held_against_the_toolbox",
            calls_are_held_against_the_toolbox,
        )
        .needs(&[Need::RustGuests]),
    ]
}

const ANSWER: &str = "<think>\nHow much\nis it?\n</think>\nLet me see.\n<tool_call>\n\
    {\"name\": \"calculator__evaluate\", \"arguments\": {\"expression\": \"6 * 7\"}}\n</tool_call>";

fn an_answer_falls_into_its_parts() {
    let home = Home::new();
    let ran = home.run_with_input("parse --format hermes", ANSWER);
    assert_eq!(
        ran.ok(),
        "> How much\n> is it?\nLet me see.\n\
         {\"name\":\"calculator__evaluate\",\"arguments\":{\"expression\":\"6 * 7\"}}\n"
    );
    home.write("answer.txt", ANSWER);
    let told = home.tool("--json parse answer.txt --format hermes").json();
    assert_eq!(
        told,
        json!({
            "format": "hermes",
            "text": "Let me see.",
            "reasoning": "How much\nis it?",
            "calls": [{"name": "calculator__evaluate", "arguments": {"expression": "6 * 7"}}],
            "notes": [],
            "problems": [],
        })
    );
    let cut = home.run_with_input("parse --format hermes", &ANSWER[..ANSWER.len() - 20]);
    assert_eq!(cut.code(), 1);
    let told = cut.stderr();
    assert!(
        told.contains("The answer ends within a call, which was not made"),
        "{told}"
    );
    // A program reads what the model wrote, a person what does them no harm.
    home.write("hidden.txt", "\u{1b}[2J");
    assert_eq!(home.tool("parse hidden.txt").ok(), "\u{1b}[2J\n");
    let shown = Terminal::start(home.command(["parse", "hidden.txt"]))
        .end()
        .shown;
    assert_eq!(shown.trim_end(), "\\u{1b}[2J");
    let unknown = home.run_with_input("parse --format hermse", "");
    assert_eq!(unknown.code(), 1);
    let told = unknown.stderr();
    assert!(
        told.contains("there is no format `hermse`: expected one of harmony, "),
        "{told}"
    );
}

fn a_call_in_an_unknown_notation_is_no_text() {
    let home = Home::new();
    for (answer, named) in [
        ("<|python_tag|>add(a=1)", "llama-3"),
        ("functools[{\"name\": \"add\", \"arguments\": {}}]", "phi-4"),
        ("<acme:tool_call>\nadd\n</acme:tool_call>", "harmony, "),
    ] {
        let ran = home.run_with_input("parse", answer);
        assert_eq!((ran.code(), ran.stdout()), (1, format!("{answer}\n")));
        let told = ran.stderr();
        assert!(told.contains("seems to begin a call"), "{told}");
        assert!(told.contains(named), "{told}");
        let told = home.run_with_input("--json parse", answer);
        assert!(told.stdout().contains("seems to begin a call"));
    }
    let read = home.run_with_input("parse --format llama-3", "<|python_tag|>add(a=1)");
    assert_eq!(read.ok(), "{\"name\":\"add\",\"arguments\":{\"a\":1}}\n");
    for plain in [
        "It is 42.",
        "{\"answer\": 42}",
        "Hermes writes `<tool_call>` before it.",
    ] {
        let ran = home.run_with_input("parse", plain);
        assert_eq!((ran.code(), ran.stderr()), (0, String::new()), "{plain}");
    }
}

fn a_model_says_how_it_writes() {
    let home = Home::new();
    home.write("chat.jinja", "{{ '[TOOL_CALLS]' + call.name + '[ARGS]' }}");
    let answer = "[TOOL_CALLS]now[ARGS]{}";
    let told = home
        .run_with_input("--json parse --as chat.jinja", answer)
        .json();
    assert_eq!(
        (&told["format"], &told["calls"][0]["name"]),
        (&json!("mistral"), &json!("now"))
    );
    // Read in any other format, the call would be lost silently.
    home.write("unknown.jinja", "{{ '@@call ' + call.name }}");
    let unknown = home.run_with_input("parse --as unknown.jinja", "@@call now");
    assert_eq!((unknown.code(), unknown.stdout()), (1, String::new()));
    let told = unknown.stderr();
    for part in [
        "the chat template of `unknown.jinja` belongs to no known model family",
        "--format: harmony, ",
    ] {
        assert!(told.contains(part), "{told}");
    }

    let call =
        json!({"type": "function", "function": {"name": "{name}", "arguments": "{content}"}});
    let mut configuration = json!({
        "chat_template": "<tool_call>",
        "response_template": {
            "start_anchor": "BOT:",
            "fields": {
                "thinking": {"open": "(", "close": ")"},
                "tool_calls": {
                    "open_pattern": "!(?P<name>\\w+)", "close": "\n", "repeats": true,
                    "content": "json", "transform": call,
                },
                "content": {},
            },
        },
    });
    home.write("model/tokenizer_config.json", configuration.to_string());
    home.write("prompt.txt", "USER: Hi\nBOT:(");
    let told = home
        .run_with_input(
            "--json parse --as model --prompt prompt.txt",
            "Hm.) So: !add {\"a\": 1}\n",
        )
        .json();
    assert_eq!(
        told,
        json!({
            "format": "response_template",
            "text": "So:",
            "reasoning": "Hm.",
            "calls": [{"name": "add", "arguments": {"a": 1}}],
            "notes": [],
            "problems": [],
        })
    );
    configuration["response_template"]["fields"]["tool_calls"]["open_pattern"] = json!("(?=.*x)!");
    home.write("model/tokenizer_config.json", configuration.to_string());
    let ran = home.run_with_input("parse --as model", "Hi");
    assert_eq!(ran.ok(), "Hi\n");
    let told = ran.stderr();
    assert!(told.contains("`open_pattern` looks ahead"), "{told}");
    assert!(told.contains("read as hermes instead"), "{told}");
}

fn calls_are_held_against_the_toolbox() {
    let home = Home::new();
    load(&home, &guests::built("calculator").to_string_lossy(), &[]);
    let ran = home.run_with_input("parse --format hermes --tools", ANSWER);
    assert!(ran.ok().contains("\"6 * 7\""), "{}", ran.stderr());
    let misspelled = ANSWER.replace("__evaluate", "__evalaute");
    let ran = home.run_with_input("parse --format hermes --tools=calculator", &misspelled);
    assert_eq!(ran.code(), 1);
    let told = ran.stderr();
    assert!(
        told.contains("call `calculator__evaluate`, if that is what you meant"),
        "{told}"
    );
    let wrong = ANSWER.replace("expression", "formula");
    let ran = home.run_with_input("parse --format hermes --tools", &wrong);
    assert_eq!(ran.code(), 1);
    assert!(
        ran.stderr().contains("`expression` is missing"),
        "{}",
        ran.stderr()
    );
}

//! Tests of `tool run` and `tool chat` with `--template`: the prompts are made from template files.
//! Transformers Agents asks with such templates.

use serde_json::{Value, json};

use crate::support::ran::says;
use crate::support::scripted_agent::{INTERPRETER, last, run, start, user};
use crate::support::{Home, Need, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    let tests = [
        test("prompted_agent::a_task_is_one_prompt", a_task_is_one_prompt),
        test(
            "prompted_agent::a_chat_remembers_words_and_variables",
            a_chat_remembers_words_and_variables,
        ),
        test(
            "prompted_agent::what_is_wrong_is_said",
            what_is_wrong_is_said,
        ),
    ];
    let needs = &[Need::RustGuests, Need::PythonGuest];
    tests.into_iter().map(|test| test.needs(needs)).collect()
}

const RUN: &str = "<<all_tools>>\n\nTask: \"<<prompt>>\"\n\nI will use the following";
const FLAGS: [&str; 3] = ["--code", "--template", "run.txt"];

fn with_templates() -> Home {
    let home = user(&["text-stats", INTERPRETER]);
    home.write("run.txt", RUN);
    home.write("chat.txt", "Tools:\n<<all_tools>>\n=====\n");
    home
}

/// What goes on after `I will use the following`.
fn solution(code: &str) -> Value {
    json!(format!("tool: `count`.\n\nAnswer:\n```py\n{code}\n```"))
}

fn a_task_is_one_prompt() {
    let home = with_templates();
    let task = "Count the words of `text`, twice.";
    let rendered = [
        "prompt",
        "render",
        "--task",
        task,
        "--template",
        "run.txt",
        "text_stats",
    ];
    let rendered = home.run(rendered).ok();
    assert!(
        rendered.starts_with("- text_stats__count_words: "),
        "{rendered}"
    );

    let code = "n = text_stats__count_words(text)\nprint('It is', n)\nn + n";
    // The endpoint does not stop where it was asked to.
    let mut script = solution(code);
    script = format!("{}\n\nTask: more", script.as_str().unwrap_or_default()).into();
    let flags = [&FLAGS[..], &["--var", "text=a b c"]].concat();
    let (printed, asked) = run(&home, task, &flags, json!([script]));
    assert_eq!(printed, "6");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0]["messages"].as_array().map(Vec::len), Some(1));
    assert_eq!(last(&asked[0]), ("user", &*rendered));
    assert_eq!(asked[0]["stop"], json!(["Task:"]));
    assert_eq!(asked[0].get("tools"), None);

    let (printed, _) = run(&home, task, &FLAGS, json!([solution("print('Hi')")]));
    assert_eq!(printed, "Hi");
    let flags = [&FLAGS[..], &["--return-code"]].concat();
    let (printed, _) = run(&home, task, &flags, json!([solution(code)]));
    assert_eq!(printed, code);
}

fn a_chat_remembers_words_and_variables() {
    let home = with_templates();
    let model = start(json!([
        "I count.\n```py\nn = text_stats__count_words(text='a b')\n```",
        "Twice that.\n```py\nn * 2\n```\nHuman: thanks",
        "You are welcome.",
    ]));
    let arguments = format!(
        "chat --yes --code --template chat.txt --openai {} --model scripted",
        model.origin()
    );
    let ran = home.run_with_input(&arguments, "Count.\nTwice?\nThanks.\n");
    assert_eq!(ran.ok(), "2\n4\nYou are welcome.\n");
    let asked = model.asked();
    let (_, prompt) = last(&asked[2]);
    let said = "\n=====\n\nHuman: Count.\n\nAssistant: I count.\n```py\n\
        n = text_stats__count_words(text='a b')\n```\n\nHuman: Twice?\n\nAssistant: Twice that.\n\
        ```py\nn * 2\n```\n\nHuman: Thanks.\n\nAssistant: ";
    assert!(prompt.ends_with(said), "{prompt}");
    assert_eq!(asked[2]["stop"], json!(["Human:", "====="]));
}

fn what_is_wrong_is_said() {
    let home = with_templates();
    home.write("none.txt", "Task: <<prompt>>");
    let model = start(json!(["Let me see.", solution("missing + 1")]));
    let endpoint = format!("--openai {} --model scripted --yes", model.origin());
    for (template, expect) in [
        ("none.txt", "no <<all_tools>>, where the list of tools goes"),
        (
            "absent.txt",
            "`absent.txt` is neither a file nor a data set",
        ),
        (
            "run.txt",
            "the model's answer cannot be read: the answer has no `Answer:`",
        ),
        (
            "run.txt",
            "the code failed: NameError: name 'missing' is not defined",
        ),
        ("run.txt", "the script has no answer"),
    ] {
        let ran = home.tool(&format!(
            "run Count --code --template {template} {endpoint}"
        ));
        says(&ran, 1, expect);
    }
    let ran = home.tool(&format!("run Count --template run.txt {endpoint}"));
    says(&ran, 1, "--code");
}

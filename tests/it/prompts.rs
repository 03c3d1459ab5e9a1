//! Tests of `tool prompt`, which fills in, fetches and publishes prompt templates.
//! They are for models that answer with code, and are kept in data sets.

use std::collections::BTreeSet;

use crate::public_clients::{python, said};
use crate::support::adder::package;
use crate::support::documents::{offered, options_of, reference, rows, words};
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::toolbox_files::edit_toolbox;
use crate::support::{Home, Need, RegistryProcess, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "prompts::the_toolbox_and_the_task_are_in_it",
            the_toolbox_and_the_task_are_in_it,
        ),
        test("prompts::what_is_wrong_is_said", what_is_wrong_is_said),
        test(
            "prompts::the_reference_names_every_option",
            the_reference_names_every_option,
        ),
        test(
            "prompts::templates_go_to_a_data_set_and_back",
            templates_go_to_a_data_set_and_back,
        ),
        test(
            "prompts::other_clients_read_what_was_pushed",
            other_clients_read_what_was_pushed,
        )
        .needs(&[Need::PythonPackages]),
    ]
}

fn the_reference_names_every_option() {
    let reference = reference();
    let (_, chapter) = reference
        .split_once("\n## `tool prompt`\n")
        .expect("a chapter");
    let chapter = chapter.split("\n## ").next().expect("its end");
    let (_, table) = chapter.split_once("\n| option |").expect("a table");
    let table = rows(&format!("\n#\n| option |{table}"), "#");
    let named: BTreeSet<String> = table.iter().flat_map(|(option, _)| words(option)).collect();
    let commands = offered("prompt --help", "");
    assert_eq!(commands.len(), 3);
    let options = commands
        .iter()
        .flat_map(|command| options_of(&format!("prompt {command} --help")));
    assert_eq!(named, options.collect());
    for command in commands {
        assert!(chapter.contains(&format!("`tool prompt {command} ")));
    }
}

const RUN: &str = "<<all_tools>>\nTask: \"<<prompt>>\"\n\u{1b}I will use the following";
const CHAT: &str = "Chat!\n<<all_tools>>\n=====\n";
const RUN_FILE: &str = "run_prompt_template.txt";
const CHAT_FILE: &str = "chat_prompt_template.txt";

/// A person with two tools, of which one is called otherwise and described otherwise.
fn with_tools() -> Home {
    let home = Home::new();
    toolbox(&home);
    home
}

fn toolbox(home: &Home) {
    for name in ["first", "second"] {
        package(home, name, |manifest| {
            for function in manifest.functions.values_mut() {
                function.description = "Adds.".to_owned();
            }
        });
    }
    load(home, "./first", &["--as", "summer"]);
    load(home, "./second", &[]);
    let text = "[tools.summer.functions.add]\ndescription = \"Adds\\n- x: two\"\n";
    edit_toolbox(home, text);
    load(home, "summer", &[]);
}

fn the_toolbox_and_the_task_are_in_it() {
    let home = with_tools();
    home.write("run.txt", RUN);
    let render = ["prompt", "render", "--task", "Add <<all_tools>>"];
    let file = ["--template", "run.txt"];
    let prompt = home.run(render.iter().chain(&file)).ok();
    let tools = "- summer__add: Adds - x: two\n- summer__sum_up: Adds.\n";
    let others = "- second__add: Adds.\n- second__sum_up: Adds.";
    let task = "\nTask: \"Add <<all_tools>>\"\n\u{1b}I will use the following";
    assert_eq!(prompt, format!("{tools}{others}{task}"));
    let narrow = home.run(render.iter().chain(&file).chain(&["second"])).ok();
    assert_eq!(narrow, format!("{others}{task}"));

    let own = home.run(render).ok();
    assert!(
        own.contains(&format!("\nTools:\n{tools}{others}\n\n")),
        "{own}"
    );
    let told = home
        .run(render.iter().chain(&["--chat", "--json", "summer"]))
        .json();
    let prompt = told["prompt"].as_str().expect("a prompt");
    assert!(
        prompt.ends_with("=====\n\nHuman: Add <<all_tools>>\n\nAssistant: "),
        "{prompt}"
    );
    assert!(!prompt.contains("second"), "{prompt}");
    assert_eq!(told["stop"], serde_json::json!(["Human:", "====="]));
}

fn what_is_wrong_is_said() {
    let home = with_tools();
    home.write("no_task.txt", "<<all_tools>> <<task>>");
    home.write("no_tools.txt", "<<prompt>>");
    home.write("long.txt", "ü".repeat(70_000));
    home.write("latin.txt", b"<<all_tools>> <<prompt>> \xff");
    home.write("broken/run_prompt_template.txt", "<<all_tools>>");
    home.write("empty/else.txt", "");
    for (line, expect) in [
        (
            "render --task x --template no_task.txt",
            "the prompt template has no <<prompt>>, where the task goes",
        ),
        (
            "render --task x --template no_tools.txt --chat",
            "the prompt template has no <<all_tools>>, where the list of tools goes",
        ),
        (
            "render --task x --template long.txt",
            "the prompt template has more than 131072 bytes",
        ),
        ("render --task x --template latin.txt", "it is not UTF-8"),
        (
            "render --task x --template nowhere",
            "`nowhere` is neither a file nor a data set",
        ),
        ("render --task x third", "third"),
        ("push ann/prompts -C broken", "has no <<prompt>>"),
        (
            "push ann/prompts -C empty",
            "there is neither run_prompt_template.txt nor chat_prompt_template.txt in empty",
        ),
    ] {
        // A limit refuses, everything else the user can mend.
        let code = if line.contains("long.txt") { 3 } else { 1 };
        says(&home.tool(&format!("prompt {line}")), code, expect);
    }
}

fn templates_go_to_a_data_set_and_back() {
    let registry = RegistryProcess::start();
    let author = registry.member("ann");
    author.write(&format!("ours/{RUN_FILE}"), RUN);
    let push = "prompt push ann/prompts -C ours --json";
    let first = author.tool(push).json();
    assert_eq!(first["files"], serde_json::json!([RUN_FILE]));
    let url = first["url"].as_str().expect("a URL");
    assert!(url.ends_with("/datasets/ann/prompts"), "{url}");
    author.write(&format!("ours/{CHAT_FILE}"), CHAT);
    let second = author.tool(push).json();
    assert_eq!(second["already_there"], false);
    let again = author.tool(push).json();
    assert_eq!(again["already_there"], true);
    assert_eq!(again["commit"], second["commit"]);
    says(
        &author.tool("prompt push ann/prompts -C ours"),
        0,
        "chat_prompt_template.txt are there already, unchanged",
    );
    says(
        &author.tool("prompt push ann/prompts -C ours --private"),
        3,
        "ann/prompts exists and is public",
    );

    let user = registry.visitor();
    toolbox(&user);
    says(
        &user.tool("prompt pull ann/prompts -C got"),
        0,
        "wrote run_",
    );
    for (name, text) in [(RUN_FILE, RUN), (CHAT_FILE, CHAT)] {
        let got = std::fs::read_to_string(user.work().join("got").join(name));
        assert_eq!(got.expect("a template"), text);
    }
    let taken = user.tool("prompt pull ann/prompts -C got");
    says(&taken, 1, "got/run_prompt_template.txt exists already");
    user.tool("prompt pull ann/prompts -C got --force").ok();

    let render = "prompt render --task Hi --template";
    let here = user.tool(&format!("{render} got --chat")).ok();
    assert!(here.starts_with("Chat!\n- summer__add: "), "{here}");
    let there = user.tool(&format!("{render} ann/prompts --chat")).ok();
    assert_eq!(here, there);
    let before = first["commit"].as_str().expect("a commit");
    says(
        &user.tool(&format!("{render} ann/prompts@{before} --chat")),
        1,
        "the data set ann/prompts has no chat_prompt_template.txt",
    );
    let other = user.tool(&format!("{render} ann/other"));
    says(&other, 1, "ann/other is not on ");
    let neither = user.tool(&format!("{render} got/x.txt"));
    says(
        &neither,
        1,
        "there is no file `got/x.txt`, and the data set of that name",
    );
    // A tool of the same name would be another repo.
    says(
        &user.tool("inspect ann/prompts"),
        1,
        "ann/prompts is not on ",
    );
    says(
        &user.tool("prompt push ann/prompts -C got"),
        1,
        "wants a token",
    );
}

/// As Transformers Agents gets them.
const DOWNLOAD: &str = r#"
import sys
from huggingface_hub import HfApi
api = HfApi(endpoint=sys.argv[1], token=False)
for name in ["run_prompt_template.txt", "chat_prompt_template.txt"]:
    path = api.hf_hub_download("ann/prompts", name, repo_type="dataset", cache_dir=sys.argv[2])
    print(repr(open(path, encoding="utf-8").read()))
"#;

fn other_clients_read_what_was_pushed() {
    let registry = RegistryProcess::start();
    let author = registry.member("ann");
    author.write(RUN_FILE, RUN);
    author.write(CHAT_FILE, CHAT);
    author.tool("prompt push ann/prompts").ok();
    let printed = said(
        python()
            .arg("-c")
            .arg(DOWNLOAD)
            .arg(registry.url())
            .arg(author.work().join("cache")),
    );
    let expect = "'<<all_tools>>\\nTask: \"<<prompt>>\"\\n\\x1bI will use the following'\n\
        'Chat!\\n<<all_tools>>\\n=====\\n'\n";
    assert_eq!(printed, expect);
}

//! Real models' chat templates, held against Transformers.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::civil::date;
use serde::Deserialize;
use serde_json::{Map, Value};
use tool_hub_agent::{Chat, ChatTemplate};

use crate::packages;

const PACKAGES: [&str; 2] = ["transformers==5.23.0", "jinja2==3.1.6"];
/// Whose source has the templates.
const LLAMA_CPP_PYTHON: &str = "0.3.36";
/// What is known to differ, and why.
const DIFFERS: [(&str, &str); 1] = [(
    "meetkai-functionary-medium-v3.1.jinja",
    "in Python a text that was marked as safe escapes what is added to it",
)];

#[derive(Deserialize)]
struct Case {
    template: String,
    source: String,
    about: String,
    chat: Conversation,
    tokens: Map<String, Value>,
    printed: Option<String>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Conversation {
    messages: Vec<Map<String, Value>>,
    tools: Option<Vec<Value>>,
    documents: Option<Vec<Value>>,
    add_generation_prompt: Option<bool>,
    continue_final_message: Option<String>,
}

#[test]
#[ignore = "installs transformers from PyPI"]
fn templates_print_what_transformers_prints() {
    let (mut same, mut refused) = (0, 0);
    let mut differ: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let cases = cases();
    for case in &cases {
        let chat = Chat {
            messages: case.chat.messages.clone(),
            tools: case.chat.tools.clone(),
            documents: case.chat.documents.clone(),
            variables: case.tokens.clone(),
            add_generation_prompt: case.chat.add_generation_prompt.unwrap_or(true),
            continue_final_message: case.chat.continue_final_message.clone(),
            now: Some(date(2026, 3, 7).at(14, 5, 9, 0)),
        };
        let printed = ChatTemplate::new(&case.source).and_then(|it| it.render(&chat));
        match (&printed, &case.printed) {
            (Ok(printed), Some(expected)) if printed == expected => same += 1,
            (Err(_), None) => refused += 1,
            _ => {
                let expected = case.printed.as_ref().or(case.error.as_ref());
                let difference = format!("{}\n{expected:?}\n{printed:?}", case.about);
                let template = case.template.clone();
                differ.entry(template).or_default().push(difference);
            }
        }
    }
    println!(
        "{} cases: {same} print the same, {refused} are refused by both",
        cases.len()
    );
    for (name, differences) in differ {
        let known = DIFFERS.iter().find(|(differs, _)| *differs == name);
        let Some((_, why)) = known else {
            panic!("{name}: {}", differences.join("\n"));
        };
        println!("{} of {name} differ: {why}", differences.len());
    }
    assert!(same > 450 && cases.len() > 500, "templates are missing");
}

fn cases() -> Vec<Case> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/chat_templates.py");
    let output = Command::new("python3")
        .env("PYTHONPATH", packages::python(&PACKAGES))
        .arg(script)
        .arg(LLAMA_CPP_PYTHON)
        .stderr(Stdio::inherit())
        .output()
        .expect("Python starts");
    assert!(output.status.success());
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).expect("a case"))
        .collect()
}

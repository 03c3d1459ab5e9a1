//! Tests that run and chat prompts, and how answers to them are split, match Transformers Agents.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use tool_hub_agent::prompt::{ChatHistory, ChatPrompt, PromptMode, RunPrompt};
use tool_hub_manifest::{Annotations, FunctionSpec};

use crate::cases::python;

const PACKAGES: [&str; 1] = ["transformers==4.36.2"];

/// A task, or a conversation of several.
#[derive(Deserialize)]
struct Case {
    mode: String,
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    template: String,
    tools: Vec<(String, String)>,
    task: String,
    answer: String,
    /// The reason why the prompt may be another one.
    differs: Option<String>,
    prompt: String,
    stop: Vec<String>,
    explanation: Option<String>,
    code: Option<String>,
    error: Option<String>,
}

#[test]
#[ignore = "installs transformers from PyPI"]
fn prompts_and_answers_are_those_of_transformers_agents() {
    let (mut prompts, mut same, mut split, mut refused) = (0, 0, 0, 0);
    let mut differ: BTreeMap<String, u32> = BTreeMap::new();
    for case in cases() {
        let mode = match case.mode.as_str() {
            "run" => PromptMode::Run,
            _ => PromptMode::Chat,
        };
        let mut history: Option<ChatHistory> = None;
        for turn in case.turns {
            let prompt = asked(mode, &turn, &mut history);
            prompts += 1;
            match &turn.differs {
                _ if prompt == turn.prompt => same += 1,
                Some(why) => *differ.entry(why.clone()).or_default() += 1,
                None => assert_eq!(prompt, turn.prompt),
            }
            assert_eq!(mode.stop_sequences(), turn.stop);
            match mode.read(mode.before_stop(&turn.answer)) {
                Ok(solution) => {
                    assert_eq!(turn.error, None, "{:?}", turn.answer);
                    assert_eq!(Some(solution.explanation), turn.explanation);
                    assert_eq!(solution.code, turn.code, "{:?}", turn.answer);
                    split += 1;
                }
                Err(error) => {
                    assert!(turn.error.is_some(), "{error}: {:?}", turn.answer);
                    refused += 1;
                }
            }
        }
    }
    println!("{prompts} prompts: {same} are the same");
    for (why, count) in differ {
        println!("{count} differ: {why}");
    }
    println!("{prompts} answers: {split} are split alike, {refused} are refused by both");
    assert!(same > 300 && refused > 5, "cases are missing");
}

/// The prompt for a turn. The answer is added to the history of a conversation.
fn asked(mode: PromptMode, turn: &Turn, history: &mut Option<ChatHistory>) -> String {
    let tools: Vec<FunctionSpec> = turn.tools.iter().map(tool).collect();
    if mode == PromptMode::Run {
        let template = RunPrompt::new(&*turn.template).expect("a template");
        return template.fill(&tools, &turn.task).expect("a prompt");
    }
    let history = history.get_or_insert_with(|| {
        let template = ChatPrompt::new(&*turn.template).expect("a template");
        template.begin(&tools).expect("a conversation")
    });
    let prompt = history.ask(&turn.task).expect("a prompt");
    let answer = mode.before_stop(&turn.answer);
    history
        .answered(prompt.clone(), answer)
        .expect("a short conversation");
    prompt
}

fn tool((name, description): &(String, String)) -> FunctionSpec {
    FunctionSpec {
        name: name.clone(),
        title: None,
        description: description.clone(),
        input_schema: json!({"type": "object"}),
        output_schema: None,
        annotations: Annotations::default(),
    }
}

fn cases() -> Vec<Case> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/src/prompt");
    python(&PACKAGES, "prompts.py", &[own])
}

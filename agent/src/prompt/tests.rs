//! Tests of run and chat prompts, and of splitting answers to them into explanation and code.

use serde_json::json;
use tool_hub_manifest::{Annotations, FunctionSpec};

use super::template::PROMPT_BYTES_MAX;
use super::*;

fn tools() -> Vec<FunctionSpec> {
    let tool = |(name, description): (&str, &str)| FunctionSpec {
        name: name.into(),
        title: None,
        description: description.into(),
        input_schema: json!({"type": "object"}),
        output_schema: None,
        annotations: Annotations::default(),
    };
    let tools = [
        ("modifier", "modifies an image"),
        ("read", "Reads <<prompt>>,\n<<all_tools>>."),
    ];
    tools.map(tool).to_vec()
}

#[track_caller]
fn check(mode: PromptMode, answer: &str, expect: Result<(&str, Option<&str>), SolutionError>) {
    let expect = expect.map(|(explanation, code)| Solution {
        explanation: explanation.to_owned(),
        code: code.map(str::to_owned),
    });
    assert_eq!(mode.read(answer), expect);
}

#[test]
fn a_run_prompt_has_the_tools_and_the_task_in_every_place() {
    let template = "<<all_tools>>|<<prompt>>|<<task>>|<<<prompt>>>|<<all_tools>>";
    let prompt = RunPrompt::new(template).unwrap();
    let lines = "- modifier: modifies an image\n- read: Reads <<prompt>>, <<all_tools>>.";
    assert_eq!(
        prompt.fill(&tools(), "a <<all_tools>>").unwrap(),
        format!("{lines}|a <<all_tools>>|<<task>>|<a <<all_tools>>>|{lines}")
    );
}

#[test]
fn a_chat_prompt_grows_from_turn_to_turn() {
    let template = ChatPrompt::new("<<prompt>> <<all_tools>>\n").unwrap();
    let mut history = template.begin(&tools()[..1]).unwrap();
    let first = history.ask("One <<all_tools>>").unwrap();
    let turn = "\nHuman: One <<all_tools>>\n\nAssistant: ";
    assert_eq!(
        first,
        format!("<<prompt>> - modifier: modifies an image\n{turn}")
    );
    assert_eq!(history.ask("One <<all_tools>>").unwrap(), first);
    history.answered(first.clone(), " Done.\u{1f}\n").unwrap();
    let second = history.ask("Two").unwrap();
    assert_eq!(second, format!("{first}Done.\n\nHuman: Two\n\nAssistant: "));
}

#[test]
fn a_missing_place_is_named() {
    #[track_caller]
    fn check(mode: PromptMode, text: &str, missing: &str) {
        let error = mode.template(text).unwrap_err().to_string();
        assert!(error.contains(missing), "{error}");
    }
    check(PromptMode::Run, "<<prompt>>", "<<all_tools>>");
    check(PromptMode::Run, "<<all_tools>> <<task>>", "<<prompt>>");
    check(PromptMode::Chat, "<<task>>", "<<all_tools>>");
    check(
        PromptMode::Chat,
        &" ".repeat(1 << 20),
        "more than 131072 bytes",
    );
}

#[test]
fn a_prompt_does_not_outgrow_its_limit() {
    let template = "<<all_tools>><<prompt>>".repeat(1000);
    let prompt = RunPrompt::new(template).unwrap();
    let long = "x".repeat(PROMPT_BYTES_MAX / 1000);
    assert!(prompt.fill(&[], &long).is_ok());
    let refused = prompt.fill(&tools(), &long);
    assert!(matches!(refused, Err(PromptError::LongPrompt)));
    let mut history = ChatPrompt::new("<<all_tools>>")
        .unwrap()
        .begin(&[])
        .unwrap();
    let prompt = history.ask("x").unwrap();
    let long = "x".repeat(PROMPT_BYTES_MAX);
    assert!(history.ask(&long).is_err());
    assert!(history.answered(prompt.clone(), &long).is_err());
    assert_eq!(history.ask("x").unwrap(), prompt);
}

#[test]
fn the_default_templates_are_templates_and_their_own_examples_can_be_read() {
    RunPrompt::new(RunPrompt::DEFAULT).unwrap();
    ChatPrompt::new(ChatPrompt::DEFAULT).unwrap();
    let beginning = "I will use the following";
    assert!(RunPrompt::DEFAULT.ends_with(&format!("Task: \"<<prompt>>\"\n\n{beginning}")));
    let mut examples = 0;
    for task in RunPrompt::DEFAULT.split("Task:").skip(1) {
        let Some((_, answer)) = task.split_once(beginning) else {
            panic!("{task}");
        };
        if !answer.is_empty() {
            let solution = PromptMode::Run.read(answer.trim_start()).unwrap();
            let said = "I will use the following tools: ";
            assert!(solution.explanation.starts_with(said), "{answer}");
            assert!(!solution.code.unwrap().contains("```"));
            examples += 1;
        }
    }
    assert!(ChatPrompt::DEFAULT.ends_with("\n=====\n"));
    for turn in ChatPrompt::DEFAULT.split("Assistant: ").skip(1) {
        let solution = PromptMode::Chat.read(PromptMode::Chat.before_stop(turn));
        assert_ne!(solution.unwrap().explanation, "");
        examples += 1;
    }
    assert_eq!(examples, 10);
}

#[test]
fn an_answer_ends_where_the_next_task_would_begin() {
    assert_eq!(PromptMode::Run.before_stop("a\nTask: b Task:"), "a\n");
    assert_eq!(PromptMode::Run.before_stop("Human: a"), "Human: a");
    assert_eq!(PromptMode::Chat.before_stop("a\n=====\nHuman:"), "a\n");
    assert_eq!(PromptMode::Chat.before_stop(""), "");
}

#[test]
fn an_answer_to_a_run_prompt_is_explanation_and_code() {
    let run = PromptMode::Run;
    let said = "I will use the following tool: `a` to b.";
    for code in [
        "```py\nx = a()\n```",
        "```\nx = a()\n```\n\n",
        "```python\nx = a()",
        "x = a()\n```",
        "x = a()",
    ] {
        let answer = format!("tool: `a` to b.\n\nAnswer:\n{code}");
        check(run, &answer, Ok((said, Some("x = a()"))));
    }
    check(
        run,
        "x\nAnswer:",
        Ok(("I will use the following x", Some(""))),
    );
    let strange = "Answer:```js\nf()\n```";
    check(
        run,
        strange,
        Ok(("I will use the following", Some("```js\nf()"))),
    );
    check(run, "tool `a`.", Err(SolutionError::NoAnswer));
    check(
        run,
        "Answer: a\nAnswer: b",
        Err(SolutionError::SeveralAnswers),
    );
    check(run, "Answer:\n```py", Err(SolutionError::NoEnd));
}

#[test]
fn an_answer_in_a_chat_may_have_no_code() {
    let chat = PromptMode::Chat;
    check(chat, " Hello.\n", Ok(("Hello.", None)));
    check(
        chat,
        "I do.\n\n  ```py\n\n  x = a()\ny\n```\nMore ``` text\n```",
        Ok(("I do.", Some("x = a()\ny"))),
    );
    check(chat, "```\n```", Ok(("", Some(""))));
    check(chat, "I do.\n```py\nx = a()", Err(SolutionError::NoEnd));
}

//! Runs `tool run` with a scripted model, for a user with given tools, and reads what it was asked.

use serde_json::Value;

use super::loading::load;
use super::{Home, ScriptedModel, guests};

pub(crate) const INTERPRETER: &str = "run-python";

/// A user who has `tools`.
pub(crate) fn user(tools: &[&str]) -> Home {
    let home = Home::new();
    for tool in tools {
        load(&home, &guests::built(tool).to_string_lossy(), &[]);
    }
    home
}

/// Runs `task` with a model that says `script`; what is printed, and what the model was asked.
#[track_caller]
pub(crate) fn run(home: &Home, task: &str, flags: &[&str], script: Value) -> (String, Vec<Value>) {
    let model = start(script);
    let ran = home.run([&["run", task, "--yes"], &endpoint(&model)[..], flags].concat());
    let printed = ran.ok();
    (printed.trim().to_owned(), model.asked())
}

pub(crate) fn start(script: Value) -> ScriptedModel {
    let Value::Array(script) = script else {
        panic!("a script is a list");
    };
    ScriptedModel::start(script)
}

pub(crate) fn endpoint(model: &ScriptedModel) -> [&str; 4] {
    ["--openai", model.origin(), "--model", "scripted"]
}

/// What the model read last in a request.
#[track_caller]
pub(crate) fn last(request: &Value) -> (&str, &str) {
    let messages = request["messages"].as_array().expect("messages");
    let message = messages.last().expect("a message");
    let text = message["content"].as_str();
    (
        message["role"].as_str().expect("a role"),
        text.unwrap_or_else(|| panic!("no text: {message}")),
    )
}

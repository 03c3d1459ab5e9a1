//! Runs Python scripts, and reads `Case`s: conversations as Transformers prints or refuses them.

use std::path::Path;
use std::process::{Command, Stdio};

use jiff::civil::date;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tool_hub_agent::conversation::chat_template::Chat;

use crate::packages;

pub(crate) const PACKAGES: [&str; 2] = ["transformers==5.23.0", "jinja2==3.1.6"];
/// The package whose source has the templates.
const LLAMA_CPP_PYTHON: &str = "0.3.36";

#[derive(Deserialize)]
#[allow(dead_code, reason = "the benchmark needs no names")]
pub(crate) struct Case {
    pub(crate) template: String,
    pub(crate) source: String,
    pub(crate) about: String,
    #[serde(rename = "chat")]
    pub(crate) conversation: Conversation,
    pub(crate) tokens: Map<String, Value>,
    pub(crate) printed: Option<String>,
    pub(crate) error: Option<String>,
}

#[derive(Deserialize, Serialize)]
pub(crate) struct Conversation {
    messages: Vec<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    add_generation_prompt: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continue_final_message: Option<String>,
}

impl Case {
    pub(crate) fn chat(&self) -> Chat {
        let chat = &self.conversation;
        Chat {
            messages: chat.messages.clone(),
            tools: chat.tools.clone(),
            documents: chat.documents.clone(),
            variables: self.tokens.clone(),
            add_generation_prompt: chat.add_generation_prompt.unwrap_or(true),
            continue_final_message: chat.continue_final_message.clone(),
            now: Some(date(2026, 3, 7).at(14, 5, 9, 0)),
            ..Chat::default()
        }
    }
}

pub(crate) fn cases() -> Vec<Case> {
    python(&PACKAGES, "chat_templates.py", &[LLAMA_CPP_PYTHON])
}

/// Runs a script beside this file, and reads its output: one JSON value on each line.
pub(crate) fn python<T: DeserializeOwned>(
    requirements: &[&str],
    script: &str,
    arguments: &[&str],
) -> Vec<T> {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles");
    let output = Command::new("python3")
        .env("PYTHONPATH", packages::python(requirements))
        .arg(scripts.join(script))
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .expect("Python starts");
    assert!(output.status.success());
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).expect("a value"))
        .collect()
}

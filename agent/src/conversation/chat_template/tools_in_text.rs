//! Describes tools in the user's message, as TGI does, for templates without support for tools.

use serde_json::{Map, Value, json};

use super::chat::Chat;

/// The instructions for calls.
const HOW: &str = "You can call these functions. Each is described by its name, what it does, and a JSON \
    schema of its parameters. To call one, answer with nothing but JSON of this form: {\"name\": \
    the function's name, \"parameters\": an object with a value for each parameter that is needed}. \
    Write values, no placeholders. If none of the functions helps, answer in words.";

/// `chat` with its tools in the last message of the user.
pub(super) fn with_tools_in_text(chat: &Chat) -> Chat {
    let mut chat = chat.clone();
    let Some(tools) = chat.tools.take().filter(|tools| !tools.is_empty()) else {
        return chat;
    };
    let functions = tools
        .into_iter()
        .map(|mut tool| match tool.get_mut("function") {
            Some(function) => function.take(),
            None => tool,
        });
    let functions = Value::Array(functions.collect());
    let text = format!("{HOW}\n{functions}");
    let mut messages = chat.messages.iter_mut().rev();
    match messages.find(|message| message.get("role") == Some(&json!("user"))) {
        Some(message) => add(message, text),
        None => chat.messages.push(Map::from_iter([
            ("role".to_owned(), json!("user")),
            ("content".to_owned(), json!(text)),
        ])),
    }
    chat
}

fn add(message: &mut Map<String, Value>, text: String) {
    match message.get_mut("content") {
        Some(Value::String(content)) => {
            content.push_str("\n\n");
            content.push_str(&text);
        }
        Some(Value::Array(parts)) => parts.push(json!({"type": "text", "text": text})),
        _ => drop(message.insert("content".to_owned(), json!(text))),
    }
}

//! Tells JavaScript the events of a call: progress, output, and requests that it has to answer.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tool_hub_embed::{Event as CallEvent, EventKind, Events, Listener, LogEntry, ToolboxFunction};

use crate::event::Event;
use crate::operations::Asked;
use crate::thread::Thread;

/// The kinds of events that JavaScript listens to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Heard {
    wanted: Vec<EventKind>,
    functions: Vec<HeardFunction>,
}

/// A function beside the tool, as JavaScript describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct HeardFunction {
    name: String,
    description: String,
    input_schema: Value,
}

/// The listener of a call that `thread` began as `operation`.
pub(crate) fn listener(thread: &Arc<Thread>, operation: u32, heard: Option<Heard>) -> Listener {
    let events = heard.map(|heard| {
        let thread = Arc::clone(thread);
        let functions = heard.functions.into_iter().map(|it| ToolboxFunction {
            name: it.name,
            description: it.description,
            input_schema: it.input_schema,
        });
        Events {
            send: Box::new(move |event| {
                if let Some(event) = told(&thread, operation, event) {
                    thread.mailbox.put(event);
                }
            }),
            wanted: heard.wanted,
            functions: functions.collect(),
        }
    });
    Listener::new(events)
}

fn told(thread: &Thread, operation: u32, event: CallEvent) -> Option<Event> {
    let (kind, text) = match event {
        CallEvent::Progress(progress) => (
            "progress",
            json!({
                "done": progress.done,
                "total": progress.total,
                "message": progress.message,
            }),
        ),
        CallEvent::Question(question, asked) => {
            let number = thread.operations.ask(operation, Asked::Person(asked));
            let text = json!({
                "number": number,
                "message": question.text,
                "schema": question.schema,
            });
            ("question", text)
        }
        CallEvent::Call {
            name,
            arguments,
            asked,
        } => {
            let number = thread.operations.ask(operation, Asked::Function(asked));
            let given = serde_json::from_str(&arguments).unwrap_or(Value::Null);
            let text = json!({ "number": number, "name": name, "given": given });
            ("function", text)
        }
        CallEvent::Output(output) => {
            let log: Vec<Value> = output.log.iter().map(log_entry).collect();
            let text = json!({
                "stdout": String::from_utf8_lossy(&output.stdout),
                "stderr": String::from_utf8_lossy(&output.stderr),
                "log": log,
                "droppedBytes": output.dropped_bytes,
            });
            ("output", text)
        }
        _ => return None,
    };
    Some(Event::new(operation, kind, text.to_string()))
}

fn log_entry(entry: &LogEntry) -> Value {
    json!({
        "level": format!("{:?}", entry.level).to_lowercase(),
        "context": entry.context,
        "message": entry.message,
    })
}

//! Tests that tracing events hold no secret, and tell what was given, used and refused.
//! It has a process of its own, because it listens to all threads and to every level.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "it/logging_component.rs"]
mod logging_component;
#[path = "it/storage_component.rs"]
mod storage_component;
#[allow(dead_code, reason = "the tests of the other target use the rest")]
#[path = "it/support.rs"]
mod support;

use std::sync::{Arc, Mutex};

use serde_json::json;
use tool_hub_host::Approved;
use tool_hub_manifest::Grants;

use logging_component::{SECRET, talk};
use storage_component::storage_component;
use support::{HOST, failure, reply};

/// Events of every level while a tool has a secret, and says it: the engine's own, WASI's
/// and ours. None holds the secret, none moves a cursor, and those of the audit tell what was
/// given, used and refused.
#[test]
fn events_tell_what_happened_and_nothing_else() {
    let written = LogBuffer::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_ansi(false)
        .with_writer({
            let written = written.clone();
            move || written.clone()
        })
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        failure(talk("leak", json!({})).await.0);
        let hostile = "\u{1b}[2J\u{9b}31m\rover\u{202e}\u{e0041}";
        let arguments = json!({ "level": 3, "message": hostile, "times": 1 });
        reply(talk("say", arguments).await.0);
        for (grants, bucket) in [(Grants::none().storage(), hostile), (Grants::none(), "a")] {
            let tool = HOST
                .load(Approved::from_lock_record(storage_component(), grants).unwrap())
                .await;
            let arguments = json!({ "bucket": bucket }).to_string();
            tool.unwrap().call("add", &arguments).await;
        }
        failure(talk(hostile, json!({})).await.0);
    });
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    assert!(
        text.contains("tool_hub_host::guest"),
        "nothing was seen: {text}"
    );
    assert!(!text.contains(SECRET), "{text}");
    let obeyed = |c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{e0000}'..)
    };
    assert!(!text.contains(obeyed), "{text:?}");
    let escaped = r"\u{1b}[2J\u{9b}31m\rover\u{202e}\u{e0041}";
    for (part, others) in [
        (" WARN ", &[escaped, "tool_hub_host::guest:"][..]),
        (
            "tool_hub_host::audit: given ",
            &["function=leak", r#"capability="variable API_KEY""#],
        ),
        (
            "tool_hub_host::audit: used ",
            &[r#"capability="storage""#, escaped],
        ),
        (
            "tool_hub_host::audit: refused ",
            &[r#"capability="storage""#, " WARN "],
        ),
        (
            "tool_hub_host::call: done ",
            &["function=leak", r#"outcome="failed""#, "guest_us="],
        ),
        (
            "tool_hub_host::call: done ",
            &[escaped, r#"outcome="unknown-function""#],
        ),
    ] {
        let found = |line: &str| [part].iter().chain(others).all(|part| line.contains(part));
        assert!(
            text.lines().any(found),
            "no {part} with {others:?} in {text}"
        );
    }
}

#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

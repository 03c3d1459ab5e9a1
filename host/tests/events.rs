//! What the host tells those who watch it. The one test has a process of its own, because it
//! listens to all threads and to every level.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[allow(dead_code, reason = "the tests of the other target use the rest")]
#[path = "it/support.rs"]
mod support;
#[path = "it/talker.rs"]
mod talker;

use std::sync::{Arc, Mutex};

use serde_json::json;

use support::{failure, reply};
use talker::{SECRET, talk};

/// Events of every level while a tool has a secret, and says it: the engine's own, WASI's
/// and ours.
#[test]
fn no_event_holds_a_secret_and_none_moves_a_cursor() {
    let written = Written::default();
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
    assert!(
        text.contains(r"\u{1b}[2J\u{9b}31m\rover\u{202e}\u{e0041}"),
        "{text}"
    );
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

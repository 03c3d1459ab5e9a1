//! Tests of the audit log: calls of each front end and outcome, and a log that cannot be written.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tool_hub_serve::{Audit, AuditedCall, AuditedRequest, FrontEnd, Subject, Toolset, serve};

use crate::http_server::{Served, call};
use crate::support::catalogue;
use crate::{check, text};

/// Caller, front end, function, outcome, and whether the usage of the call is known.
type Note = (String, FrontEnd, String, &'static str, bool);

#[derive(Default)]
struct Notes {
    taken: Mutex<Vec<Note>>,
    is_broken: AtomicBool,
}

impl Audit for Notes {
    fn ready(&self) -> io::Result<()> {
        match self.is_broken.load(Relaxed) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }

    fn note(&self, call: &AuditedCall<'_>) {
        assert_eq!(call.tool.as_str(), "guest");
        if let Some(usage) = &call.usage {
            assert!(usage.input_bytes >= 2 && usage.total <= call.elapsed);
        }
        self.taken.lock().unwrap().push((
            call.caller.to_string(),
            call.front_end,
            match call.subject {
                Subject::Function(name) => name.to_owned(),
                other => format!("{other:?}"),
            },
            call.outcome,
            call.usage.is_some(),
        ));
    }

    fn note_request(&self, request: &AuditedRequest<'_>) {
        panic!("there is no endpoint: {request:?}");
    }
}

impl Notes {
    async fn toolset(self: &Arc<Self>, caller: &str) -> Toolset {
        let toolset = Toolset::new(catalogue(2).await);
        toolset.audited(self.clone(), caller.parse().unwrap())
    }

    fn taken(&self) -> Vec<Note> {
        std::mem::take(&mut self.taken.lock().unwrap())
    }
}

fn note(front_end: FrontEnd, function: &str, outcome: &'static str) -> Note {
    let function = format!("guest__{function}");
    (
        "ann".to_owned(),
        front_end,
        function,
        outcome,
        outcome != "cancelled",
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_is_noted_whichever_way_it_came() {
    let notes = Arc::new(Notes::default());
    let served = Served::start_with(&[("ann", notes.toolset("ann").await)]).await;
    let rest = |function: &str, arguments: Value| {
        let url = served.rest(&format!("/tools/guest__{function}"));
        let request = served.client.post(url).bearer_auth(served.token.expose());
        request.json(&arguments).send()
    };
    served.answer(&call("add", &json!({"a": 1, "b": 2}))).await;
    assert_eq!(notes.taken(), [note(FrontEnd::Mcp, "add", "reply")]);
    rest("add", json!({"a": 1, "b": 2})).await.unwrap();
    rest("add", json!({"a": 1})).await.unwrap();
    rest("refuse", json!({"text": "no"})).await.unwrap();
    assert_eq!(
        notes.taken(),
        [
            note(FrontEnd::Rest, "add", "reply"),
            note(FrontEnd::Rest, "add", "invalid-argument"),
            note(FrontEnd::Rest, "refuse", "failed"),
        ]
    );
    let left = tokio::time::timeout(Duration::from_millis(200), rest("spin", json!({}))).await;
    assert!(left.is_err(), "it is endless");
    // It is noted when the server knows that the client has left.
    for _ in 0..100 {
        if !notes.taken.lock().unwrap().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(notes.taken(), [note(FrontEnd::Rest, "spin", "cancelled")]);
    served.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_on_a_stream_are_noted_too() {
    let notes = Arc::new(Notes::default());
    let initialize = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        },
    });
    let echo = call("echo", &json!({"text": "hi"}));
    let input = format!("{initialize}\n{echo}\n");
    let (output, _answers) = tokio::io::duplex(1 << 16);
    let toolset = notes.toolset("ann").await;
    let input = io::Cursor::new(input.into_bytes());
    serve(toolset, input, output, std::future::pending())
        .await
        .unwrap();
    assert_eq!(notes.taken(), [note(FrontEnd::Mcp, "echo", "reply")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_noted_is_not_called() {
    let notes = Arc::new(Notes::default());
    let served = Served::start_with(&[("ann", notes.toolset("ann").await)]).await;
    let add = call("add", &json!({"a": 20, "b": 22}));
    notes.is_broken.store(true, Relaxed);
    let refused = served.answer(&add).await;
    assert_eq!(refused["result"]["isError"], true);
    let said = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("the audit log cannot be written"), "{said}");
    let url = served.rest("/tools/guest__add");
    let request = served.client.post(url).bearer_auth(served.token.expose());
    let refused = request
        .json(&json!({"a": 20, "b": 22}))
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), 503);
    assert_eq!(notes.taken(), []);
    notes.is_broken.store(false, Relaxed);
    check(
        &served.answer(&add).await["result"],
        &json!({"content": text("42")}),
    );
    served.shut_down().await;
}

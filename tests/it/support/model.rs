//! An OpenAI-compatible endpoint whose model follows a script and remembers what it was asked.
//! It says one message after another.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::website::serve;

/// A running endpoint. It ends when it goes out of scope.
pub(crate) struct ScriptedModel {
    origin: String,
    talk: Arc<Talk>,
    _runtime: Runtime,
}

struct Talk {
    script: Vec<Value>,
    asked: Mutex<Vec<Value>>,
}

impl ScriptedModel {
    /// Starts an endpoint that answers with `script`: texts, and objects with `text` and `calls`,
    /// pairs of a name and arguments, with a whole `choice`, or with an `error`. It refuses at
    /// `null` and beyond the end.
    pub(crate) fn start(script: impl IntoIterator<Item = Value>) -> Self {
        let talk = Arc::new(Talk {
            script: script.into_iter().collect(),
            asked: Mutex::default(),
        });
        let pages = Router::new()
            .route("/v1/chat/completions", post(answer))
            .with_state(talk.clone());
        let (origin, runtime) = serve(pages);
        Self {
            origin,
            talk,
            _runtime: runtime,
        }
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// The bodies of its requests, in order.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.talk.asked().clone()
    }
}

impl Talk {
    fn asked(&self) -> std::sync::MutexGuard<'_, Vec<Value>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn answer(
    State(talk): State<Arc<Talk>>,
    Json(request): Json<Value>,
) -> (StatusCode, Json<Value>) {
    let round = {
        let mut asked = talk.asked();
        asked.push(request);
        asked.len()
    };
    let Some(reply) = talk.script.get(round - 1).filter(|reply| !reply.is_null()) else {
        let error = json!({"message": "the script has no answer"});
        return (StatusCode::BAD_REQUEST, Json(json!({ "error": error })));
    };
    if reply.get("error").is_some() {
        return (StatusCode::OK, Json(reply.clone()));
    }
    let text = reply.as_str().or(reply["text"].as_str());
    let mut message = json!({"role": "assistant", "content": text});
    let calls = reply["calls"].as_array().into_iter().flatten().enumerate();
    let calls = calls.map(|(number, call)| {
        json!({
            "id": format!("call_{round}_{number}"),
            "type": "function",
            "function": {"name": call[0], "arguments": call[1].to_string()},
        })
    });
    let calls: Vec<Value> = calls.collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let choice = match reply.get("choice") {
        Some(choice) => choice.clone(),
        None => json!({"index": 0, "message": message, "finish_reason": "stop"}),
    };
    let whole = json!({
        "id": "x", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [choice],
    });
    (StatusCode::OK, Json(whole))
}

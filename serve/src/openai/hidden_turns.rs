//! Stores what a client never saw of an answer, so that its next requests can go on from there.
//! That is rounds of tool calls, and the endpoint's own id of the answer.

use std::sync::Arc;

use serde_json::Value;

use crate::cache::CallerCache;

/// Turns, each under a name that only its client was told.
pub(super) struct HiddenTurns(CallerCache);

/// A turn that a client will go on with.
pub(super) struct Turn {
    /// The endpoint's id of it, if the client knows another.
    pub(super) id: Option<String>,
    /// Messages or items that belong before what the client brings.
    pub(super) hidden: Vec<Value>,
}

/// A turn as text, which takes less memory than values.
struct StoredTurn {
    id: Option<String>,
    hidden: String,
}

impl HiddenTurns {
    pub(super) fn on(cache: CallerCache) -> Self {
        Self(cache)
    }

    /// Keeps a turn, if there is room for it.
    pub(super) fn keep(&self, name: &str, turn: Turn) {
        let kept = StoredTurn {
            id: turn.id,
            hidden: Value::from(turn.hidden).to_string(),
        };
        let bytes = kept.hidden.len() + kept.id.as_ref().map_or(0, String::len);
        if !self.0.keep(name, Arc::new(kept), bytes) {
            tracing::warn!(
                bytes,
                "a turn is too long to be kept; its client goes on without it"
            );
        }
    }

    /// The turn of this name. It stays: a client may go on from it more than once.
    pub(super) fn turn(&self, name: &str) -> Option<Turn> {
        let kept = self.0.get::<StoredTurn>(name)?;
        Some(Turn {
            id: kept.id.clone(),
            hidden: serde_json::from_str(&kept.hidden).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cache::SharedCache;

    #[test]
    fn a_turn_comes_back_as_it_was() {
        let memory = HiddenTurns::on(SharedCache::default().for_caller());
        let hidden = vec![json!({"role": "tool", "content": "42"})];
        let id = Some("r".to_owned());
        let turn = Turn {
            id: id.clone(),
            hidden: hidden.clone(),
        };
        memory.keep("a", turn);
        for _ in 0..2 {
            let turn = memory.turn("a").unwrap();
            assert_eq!((turn.id, turn.hidden), (id.clone(), hidden.clone()));
        }
        assert!(memory.turn("b").is_none());
    }
}

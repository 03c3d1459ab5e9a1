//! Finds the limit that an engine error is about by its text, where the engine has no type for it.
//!
//! The words are those of wasmtime and wasmtime-wasi 48.0. The tests below provoke those of a load,
//! the target `hostile` those of a call, so an upgrade that rewords one fails a test.

use tool_hub_manifest::Limits;

/// Part of a message, and the limit that it is about.
struct Message {
    words: &'static str,
    limit: &'static str,
    value: fn(&Limits) -> u64,
}

/// Messages about a component that needs more than any call may have.
const LOAD: [Message; 7] = [
    Message {
        words: "core module instances, which exceeds",
        limit: "instances",
        value: |limits| limits.instances.into(),
    },
    Message {
        words: "linear memories, which exceeds",
        limit: "memories",
        value: |limits| limits.memories.into(),
    },
    Message {
        words: "defined memories count",
        limit: "memories",
        value: |limits| limits.memories.into(),
    },
    Message {
        words: "tables, which exceeds",
        limit: "tables",
        value: |limits| limits.tables.into(),
    },
    Message {
        words: "defined tables count",
        limit: "tables",
        value: |limits| limits.tables.into(),
    },
    Message {
        words: "minimum element size",
        limit: "table_elements",
        value: |limits| limits.table_elements.into(),
    },
    Message {
        words: "minimum byte size",
        limit: "memory_bytes",
        value: |limits| limits.memory_bytes,
    },
];

/// Messages about a guest that asks for too much in a call, and what that was.
const CALL: [(Message, &str); 3] = [
    (
        Message {
            words: "fuel allocated for hostcalls has been exhausted",
            limit: "transfer_bytes",
            value: |limits| limits.transfer_bytes,
        },
        "it hands too much to the host at once",
    ),
    (
        Message {
            words: "handle limit exceeded",
            limit: "handles",
            value: |limits| limits.handles.into(),
        },
        "it holds too many handles",
    ),
    (
        Message {
            words: "requested len",
            limit: "random_bytes",
            value: |limits| limits.random_bytes,
        },
        "it asks for too many random bytes at once",
    ),
];

/// The limit that `text`, the reason not to load a component, is about, and its value.
pub(crate) fn limit_of_load(text: &str, limits: &Limits) -> Option<(&'static str, u64)> {
    let message = LOAD.iter().find(|message| text.contains(message.words))?;
    Some((message.limit, (message.value)(limits)))
}

/// The limit that `text`, the reason why a call ended, is about, its value, and what the guest did.
pub(crate) fn limit_of_call(
    text: &str,
    limits: &Limits,
) -> Option<(&'static str, u64, &'static str)> {
    let mut messages = CALL.iter();
    let (message, why) = messages.find(|(message, _)| text.contains(message.words))?;
    Some((message.limit, (message.value)(limits), why))
}

#[cfg(test)]
mod tests {
    use wasmtime::component::Component;

    use super::*;
    use crate::compilation::engine::engine;
    use crate::component::engine_kind::EngineKind;

    /// Loads a component with this content into an engine that offers one of everything.
    #[track_caller]
    fn check(words: &str, content: &str, limit: &str, value: u64) {
        let mut limits = Limits::standard();
        (limits.instances, limits.memories, limits.tables) = (2, 1, 1);
        (limits.memory_bytes, limits.table_elements) = (1 << 20, 10);
        let engine = engine(EngineKind::SingleTask, &limits, 1).unwrap();
        let component = wat::parse_str(format!("(component {content})")).unwrap();
        let error = Component::new(&engine, component).err().unwrap();
        let text = format!("{error:#}");
        assert!(text.contains(words), "{text}");
        assert_eq!(
            limit_of_load(&text, &limits),
            Some((limit, value)),
            "{text}"
        );
    }

    #[test]
    fn the_engine_says_what_a_component_needs_in_these_words() {
        let twice = |content: &str| {
            format!(
                "(core module $m {content})
                 (core instance (instantiate $m)) (core instance (instantiate $m))"
            )
        };
        let once =
            |content: &str| format!("(core module $m {content}) (core instance (instantiate $m))");
        let thrice = twice("") + "(core instance (instantiate $m))";
        check("module instances, which exceeds", &thrice, "instances", 2);
        let memories = "linear memories, which exceeds";
        check(memories, &twice("(memory 1)"), "memories", 1);
        let memories = once("(memory 1) (memory 1)");
        check("defined memories count", &memories, "memories", 1);
        let tables = twice("(table 1 funcref)");
        check("tables, which exceeds", &tables, "tables", 1);
        let tables = once("(table 1 funcref) (table 1 funcref)");
        check("defined tables count", &tables, "tables", 1);
        let elements = once("(table 11 funcref)");
        check("minimum element size", &elements, "table_elements", 10);
        let memory = once("(memory 17)");
        check("minimum byte size", &memory, "memory_bytes", 1 << 20);
    }
}

//! Fuzzes the repair of a call's nearly right arguments: it gives an object and a one-line note.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tool_hub_agent::conversation::repair::{Repair, repair};

fuzz_target!(|texts: (&str, &str)| {
    let (schema, arguments) = texts;
    let Ok(schema) = serde_json::from_str::<Value>(schema) else {
        return;
    };
    let Some(Repair {
        arguments: read,
        note,
    }) = repair(&schema, arguments)
    else {
        return;
    };
    let value: Value = serde_json::from_str(&read).expect("JSON");
    assert!(value.is_object(), "{read}");
    assert!(!note.is_empty() && !note.contains('\n'), "{note:?}");
    // A second repair of the repaired arguments changes something, or there is none.
    if let Some(Repair { arguments, .. }) = repair(&schema, &read) {
        assert_ne!(arguments, read, "a repair that changes nothing");
    }
});

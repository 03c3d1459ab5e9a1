//! Arguments that are nearly right: no schema and no text make the reader panic, what it reads
//! is an object, and it says what it read differently.

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
    // What was read is what the schema wants, as far as anybody could see.
    if let Some(Repair { arguments, .. }) = repair(&schema, &read) {
        assert_ne!(arguments, read, "a repair that changes nothing");
    }
});

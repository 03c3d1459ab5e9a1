//! Fuzzes the reading of JSON arguments for functions with random types.

#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use tool_hub_host::fuzzing::json_by_random_type;

fuzz_target!(|bytes: &[u8]| {
    // An input that is too short for a type is skipped.
    let _ = json_by_random_type(&mut Unstructured::new(bytes));
});

//! Fuzzes the cache of compiled code with forged entries.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_hub_host::fuzzing::cache_entry;

fuzz_target!(|bytes: &[u8]| cache_entry(bytes));

//! Fuzzes the parser of `toolbox.lock`, and checks that what it read is written and read back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_hub_manifest::Lock;

fuzz_target!(|text: &str| {
    if let Ok(lock) = text.parse::<Lock>() {
        let again: Lock = lock
            .to_toml()
            .parse()
            .expect("what was written can be read");
        assert_eq!(again, lock);
    }
});

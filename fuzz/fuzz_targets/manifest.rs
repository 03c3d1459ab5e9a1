//! Fuzzes the parsers of `tool.toml` and `toolbox.toml`; the first is also written and read back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_hub_manifest::{Manifest, Toolbox};

fuzz_target!(|text: &str| {
    if let Ok(manifest) = text.parse::<Manifest>() {
        let again: Manifest = manifest
            .to_toml()
            .parse()
            .expect("what was written can be read");
        assert_eq!(again, manifest);
    }
    let _ = text.parse::<Toolbox>();
});

//! Fuzzes the derivation of manifests from components, and the inspection of both.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_hub_host::{authoring, inspect};
use tool_hub_manifest::{Package, Verified};

fuzz_target!(init: {
    // The host catches some panics on purpose; the fuzzer's own hook would end the process there.
    drop(std::panic::take_hook());
}, |component: &[u8]| {
    let name = "fuzzed".parse().expect("a name");
    let Ok(manifest) = authoring::derive_manifest(component, name) else {
        return;
    };
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component: component.to_vec(),
        interpreter: None,
        sbom: None,
    };
    let verified = Verified::check(package).expect("an honest package");
    let inspection = inspect(&verified).expect("what was read once can be read again");
    assert_eq!(inspection.functions.len(), manifest.functions.len());
});

//! Fuzzes the host with random, mostly valid components: inspects, compiles and calls them.

#![no_main]

mod smith {
    pub mod lift;
}

use std::sync::LazyLock;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use tokio::runtime::Runtime;
use tool_hub_host::{Approved, CallableFunction, Host, HostConfig, HostError, authoring, inspect};
use tool_hub_manifest::{Grants, Package, Verified};
use wasm_smith::{Component, Config, Module};

static HOST: LazyLock<Host> = LazyLock::new(|| {
    let mut config = HostConfig::new();
    (config.limits.cpu_ms, config.limits.call_ms) = (30, 1_000);
    Host::new(config).expect("a host")
});
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

fuzz_target!(init: {
    // The host catches some panics on purpose; the fuzzer's own hook would end the process there.
    drop(std::panic::take_hook());
}, |bytes: &[u8]| {
    if let Some(component) = made(bytes) {
        RUNTIME.block_on(through(component));
    }
});

/// Half of the inputs make components, most of which import what no host has. The others make
/// core modules, of which functions over plain numbers are exported.
fn made(bytes: &[u8]) -> Option<Vec<u8>> {
    let (kind, bytes) = bytes.split_first()?;
    let mut input = Unstructured::new(bytes);
    if kind % 2 == 0 {
        Some(Component::new(config(), &mut input).ok()?.to_bytes())
    } else {
        let complete = Config {
            max_imports: 0,
            min_funcs: 1,
            export_everything: true,
            ..config()
        };
        let module = Module::new(complete, &mut input).ok()?.to_bytes();
        Some(smith::lift::component(&module))
    }
}

/// The configuration of components that a host takes and that are small enough to be quick.
fn config() -> Config {
    Config {
        max_memory32_bytes: 16 << 20,
        max_table_elements: 10_000,
        custom_page_sizes_enabled: false,
        exceptions_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        reference_types_enabled: false,
        relaxed_simd_enabled: false,
        tail_call_enabled: false,
        threads_enabled: false,
        ..Config::default()
    }
}

async fn through(component: Vec<u8>) {
    let name = "random".parse().expect("a name");
    let Ok(manifest) = authoring::derive_manifest(&component, name) else {
        return;
    };
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    let verified = Verified::check(package).expect("an honest package");
    if !inspect(&verified)
        .expect("it was read before")
        .refusals
        .is_empty()
    {
        return;
    }
    let approved =
        Approved::from_lock_record(verified, Grants::none()).expect("it asks for nothing");
    let tool = match HOST.load(approved).await {
        Ok(tool) => tool,
        // A panic of the loading thread comes as this.
        Err(error @ HostError::Engine { .. }) => panic!("{error}"),
        Err(_) => return,
    };
    for function in tool.functions() {
        let _outcome = tool.call(function.name.as_str(), &zeros(function)).await;
    }
}

/// Arguments of nothing but zeros.
fn zeros(function: &CallableFunction) -> String {
    let inputs = function.inputs.iter();
    let zeros = inputs.map(|input| format!(r#""{}":0"#, input.name));
    format!("{{{}}}", zeros.collect::<Vec<_>>().join(","))
}

//! Fuzzes the import of others' tool definitions, and the exports, code and WIT made of them.

#![no_main]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tool_hub_agent::definition::Dialect;
use tool_hub_agent::definition::declare::{Language, declare};
use tool_hub_agent::definition::export::export;
use tool_hub_agent::definition::import::{IMPORT_FUNCTIONS_MAX, Import, import};
use tool_hub_agent::definition::interface::interface;
use tool_hub_manifest::FunctionSpec;
use wit_parser::Resolve;

/// The contract, whose pictures and sounds a world may use.
static CONTRACT: LazyLock<Resolve> = LazyLock::new(|| {
    let mut contract = Resolve::default();
    contract
        .push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit"))
        .expect("the contract");
    contract
});

fuzz_target!(|text: &str| {
    let Ok(Import { specs, .. }) = import(text) else {
        return;
    };
    assert!(!specs.is_empty() && specs.len() <= IMPORT_FUNCTIONS_MAX);
    let names: BTreeSet<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names.len(), specs.len(), "two functions of a name");

    for &dialect in Dialect::ALL {
        let tools = export(&specs, dialect).tools;
        assert_eq!(tools.as_array().map(Vec::len), Some(specs.len()));
    }
    for &language in Language::ALL {
        declare(&specs, language);
    }
    is_read_as_it_is_written(&specs);
    has_a_world_that_parses(&specs);
});

/// The first reading takes the wrapping off a result, so the second is the one that changes
/// nothing.
fn is_read_as_it_is_written(specs: &[FunctionSpec]) {
    let written_and_read = |specs: &[FunctionSpec]| {
        let text = export(specs, Dialect::Mcp).tools.to_string();
        import(&text).expect("what was written can be read").specs
    };
    let once = written_and_read(specs);
    assert_eq!(written_and_read(&once), once);
}

fn has_a_world_that_parses(specs: &[FunctionSpec]) {
    let interface = interface(specs);
    assert_eq!(interface.operations.len(), specs.len());
    let world = interface.to_wit("fuzzed:tool");
    if let Err(error) = CONTRACT.clone().push_str("world.wit", &world) {
        panic!("{error:?}\n{world}");
    }
}

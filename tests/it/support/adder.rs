//! A component that adds two numbers: its bytes, a package of it, and loading it for a user.

use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::Manifest;

use super::Home;
use super::loading::load;

/// Adds two numbers, at top level and in an interface of a package of its own.
const ADDER: &str = r#"
(component
    (core module $m
        (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1))))
    (core instance $i (instantiate $m))
    (func $add (param "a" u32) (param "b" u32) (result u32) (canon lift (core func $i "add")))
    (export "add" (func $add))
    (instance $math (export "sum-up" (func $add)))
    (export "someone:else/math@1.2.0" (instance $math)))
"#;

/// The component that adds.
pub(crate) fn adder() -> Vec<u8> {
    wat::parse_str(ADDER).expect("a component")
}

/// The same component with `more` inside, as from a different build.
pub(crate) fn adder_with(more: &str) -> Vec<u8> {
    let text = ADDER.replacen("(component", &format!("(component {more}"), 1);
    wat::parse_str(text).expect("a component")
}

/// Loads the tool that adds under `name`.
pub(crate) fn load_adder(home: &Home, name: &str) {
    home.write("adder.wasm", adder());
    load(home, "adder.wasm", &["--as", name]);
}

/// A user who has the tool that adds.
pub(crate) fn with_adder() -> Home {
    let home = Home::new();
    home.write("adder.wasm", adder());
    load(&home, "./adder.wasm", &[]);
    home
}

/// Writes a package of the tool that adds, its manifest as `edit` leaves it.
pub(crate) fn package(home: &Home, name: &str, edit: impl FnOnce(&mut Manifest)) {
    let name = name.parse().expect("a name");
    let mut manifest = derive_manifest(&adder(), name).expect("a component");
    edit(&mut manifest);
    home.write(&format!("{}/tool.toml", manifest.name), manifest.to_toml());
    home.write(&format!("{}/tool.wasm", manifest.name), adder());
    let card = format!("---\ntags: [tool]\n---\n# {}\n", manifest.name);
    home.write(&format!("{}/README.md", manifest.name), card);
}

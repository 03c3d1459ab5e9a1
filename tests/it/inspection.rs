//! Tests of the report that `tool inspect` prints: short, plain, and nothing odd left out.
//! A person decides on it.

use tool_hub_manifest::Methods;

use crate::support::adder::{adder, package};
use crate::support::loading::load;
use crate::support::{Home, Need, RegistryProcess, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "inspection::a_few_lines_to_decide_on",
            a_few_lines_to_decide_on,
        ),
        test("inspection::types_are_readable", types_are_readable),
        test(
            "inspection::what_disagrees_is_shown",
            what_disagrees_is_shown,
        ),
        test(
            "inspection::whoever_calls_others_says_so",
            whoever_calls_others_says_so,
        )
        .needs(&[Need::PythonGuest]),
    ]
}

/// The longest inspection of a tool with two functions that asks for something.
const LINES_MAX: usize = 16;

fn a_few_lines_to_decide_on() {
    let registry = RegistryProcess::start();
    let author = registry.member("author");
    package(&author, "one", |manifest| {
        manifest.description = "Adds.\n\nAnd says\nmore.".to_owned();
        for function in manifest.functions.values_mut() {
            function.description = "Adds two numbers.".to_owned();
        }
        let origin = "https://a.example".parse().expect("an origin");
        manifest.capabilities.network.insert(origin, Methods::Any);
    });
    author.run(["push", "author/one", "-C", "one"]).ok();
    let user = registry.visitor();

    let ran = user.tool("inspect author/one");
    let shown = ran.ok();
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.len() <= LINES_MAX, "{shown}");
    assert_eq!(lines[0], "one 0.0.0, not signed");
    assert_eq!(lines[1], "  Adds. (2 lines more: see --verbose)");
    for part in [
        "  publisher  author, 20",
        "  add(a: integer, b: integer) -> integer\n",
        "  sends requests to https://a.example; nothing in the component could use it\n",
        "  grant with --allow-network https://a.example\n",
        "\nwarning: ",
    ] {
        assert!(shown.contains(part), "{part:?} is not in:\n{shown}");
    }
    assert!(!shown.contains("wasi:"), "{shown}");

    let report = user.tool("inspect author/one --json").json();
    assert_eq!(report["origin"]["publisher"], "author");
    let digest = report["digest"].as_str().expect("a digest");
    assert_eq!(report["inspection"]["approval_digest"], digest);
    assert!(
        shown.contains(&format!("  digest     {digest}\n")),
        "{shown}"
    );

    let whole = user.tool("inspect author/one --verbose").ok();
    let component = report["inspection"]["component_digest"].as_str();
    for part in [
        "  And says\n  more.\n",
        "Imports\n",
        component.expect("a digest"),
    ] {
        assert!(whole.contains(part), "{part:?} is not in:\n{whole}");
    }
}

/// Takes one of two colours and a place, and gives back whether it is red.
const PAINT: &str = r#"
(component
    (core module $m
        (memory (export "memory") 1)
        (func (export "f") (param i32 i32 i32) (result i32) (local.get 0)))
    (core instance $i (instantiate $m))
    (type $colour' (enum "red" "green"))
    (import "colour" (type $colour (eq $colour')))
    (type $place' (record (field "x" u32) (field "y" u32)))
    (import "place" (type $place (eq $place')))
    (func (export "paint") (param "colour" $colour) (param "at" $place) (result bool)
        (canon lift (core func $i "f"))))"#;

fn types_are_readable() {
    let home = Home::new();
    home.write("paint.wasm", wat::parse_str(PAINT).expect("a component"));
    let shown = home.tool("inspect paint.wasm").ok();
    let signature = r#"  paint(colour: "red" | "green", at: {x: integer, y: integer}) -> boolean"#;
    assert!(shown.contains(signature), "{shown}");
}

/// Imports `wasi:config`, which the derived manifest does not ask for.
const READER: &str = r#"
(component
    (import "wasi:config/store@0.2.0-rc.1" (instance (export "get-all" (func (result string)))))
    (core module $m (func (export "f") (result i32) (i32.const 1)))
    (core instance $i (instantiate $m))
    (func (export "read") (result u32) (canon lift (core func $i "f"))))"#;

fn what_disagrees_is_shown() {
    let home = Home::new();
    home.write("reader.wasm", wat::parse_str(READER).expect("a component"));
    let shown = home.tool("inspect reader.wasm").ok();
    let odd = "  variables: imported but not asked for, so every use is refused\n";
    assert!(shown.contains(odd), "{shown}");
    assert!(
        shown.contains("\nwarning: it can make use of variables"),
        "{shown}"
    );
    assert!(!shown.contains("it only computes"), "{shown}");

    home.write("adder.wasm", adder());
    let shown = home.tool("inspect adder.wasm").ok();
    assert!(shown.contains("  nothing: it only computes\n"), "{shown}");
}

fn whoever_calls_others_says_so() {
    let home = Home::new();
    let project = guests::built("run-python");
    let project = project.to_string_lossy();
    let shown = home.run(["inspect", &project]).ok();
    assert!(
        shown.contains("  calls other functions of the toolbox"),
        "{shown}"
    );
    assert!(!shown.contains("it only computes"), "{shown}");
    load(&home, &project, &[]);
    let listed = home.tool("list").ok();
    assert!(
        listed.contains("call other functions of the toolbox"),
        "{listed}"
    );
    assert_eq!(
        home.tool("list --json").json()["tools"][0]["calls_functions"],
        true
    );
}

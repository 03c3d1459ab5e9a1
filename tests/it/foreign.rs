//! Components that somebody else built: any world with plain exported functions, and no
//! manifest.

use serde_json::json;

use crate::journey::{digest, load};
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "foreign::inspected_and_called_as_a_file",
            inspected_and_called_as_a_file,
        ),
        test("foreign::loaded_under_a_name", loaded_under_a_name),
        test(
            "foreign::types_of_another_package",
            types_of_another_package,
        ),
        test(
            "foreign::a_bomb_is_refused_by_the_command",
            a_bomb_is_refused_by_the_command,
        ),
    ]
}

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

/// Loads the tool that adds under `name`.
pub(crate) fn load_adder(home: &Home, name: &str) {
    home.write("adder.wasm", adder());
    load(home, "adder.wasm", &["--as", name]);
}

fn with_adder() -> Home {
    let home = Home::new();
    home.write("adder.wasm", adder());
    home
}

fn inspected_and_called_as_a_file() {
    let home = with_adder();
    let report = home.tool("inspect adder.wasm --json").json();
    let names: Vec<_> = report["inspection"]["functions"]
        .as_array()
        .expect("functions")
        .iter()
        .map(|f| &f["name"])
        .collect();
    assert_eq!(names, [&json!("add"), &json!("sum_up")]);
    assert_eq!(
        home.tool("call adder.wasm add a=20 b=22").code(),
        3,
        "it is not approved"
    );
    let digest = digest(&home, "adder.wasm");
    let answer = home
        .run([
            "call",
            "./adder.wasm",
            "sum_up",
            "a=20",
            "b=22",
            "--approve",
            &digest,
        ])
        .ok();
    assert_eq!(answer.trim(), "42");
    assert!(
        !home.tool_home().join("toolbox.toml").exists(),
        "calling a file records nothing"
    );
}

fn loaded_under_a_name() {
    let home = with_adder();
    let digest = digest(&home, "adder.wasm");
    home.run(["load", "adder.wasm", "--as", "plus", "--approve", &digest])
        .ok();
    std::fs::remove_file(home.work().join("adder.wasm")).expect("the file");
    let answer = home.tool("call plus.add a=1 b=2 --json").json();
    assert_eq!(answer["structured"], json!(3), "what was approved stays");
}

/// An import that only names types, as `use other:package/types.{colour}` makes it.
fn types_of_another_package() {
    let home = Home::new();
    let component = wat::parse_str(
        r#"(component
            (type $types (instance (type $c (enum "red" "green")) (export "colour" (type (eq $c)))))
            (import "other:package/types" (instance $types (type $types)))
            (alias export $types "colour" (type $colour))
            (core module $m (func (export "next") (param i32) (result i32)
                (i32.sub (i32.const 1) (local.get 0))))
            (core instance $i (instantiate $m))
            (func $next (param "colour" $colour) (result $colour) (canon lift (core func $i "next")))
            (instance $paint (export "next" (func $next)))
            (export "someone:else/paint" (instance $paint)))"#,
    )
    .expect("a component");
    home.write("paint.wasm", component);
    let digest = digest(&home, "paint.wasm");
    let answer = home
        .run(["call", "paint.wasm", "colour=red", "--approve", &digest])
        .ok();
    assert_eq!(answer.trim(), "\"green\"");
}

/// Small, and passes every cheap look: each of the jumps takes all variables along. The
/// compiler gets as far as its memory does, which takes half a minute.
fn bomb() -> Vec<u8> {
    let variables = 8_200;
    let change: String = (0..variables)
        .map(|variable| {
            let next = (variable + 1) % variables;
            format!("(local.set {variable} (i32.add (local.get {next}) (i32.const 1)))")
        })
        .collect();
    let jumps = "(br_if 0 (local.get 0))".repeat(100_000);
    let variables = "i32 ".repeat(variables);
    wat::parse_str(format!(
        r#"(component
            (core module $m
                (func (export "go") (local {variables}) (loop {change} {jumps})))
            (core instance $i (instantiate $m))
            (func (export "go") (canon lift (core func $i "go"))))"#
    ))
    .expect("a component")
}

fn a_bomb_is_refused_by_the_command() {
    let home = Home::new();
    home.write("bomb.wasm", bomb());
    let digest = digest(&home, "bomb.wasm");
    let refused = home.run(["call", "bomb.wasm", "--approve", &digest]);
    assert_eq!(refused.code(), 3);
    let told = refused.stderr();
    // Which of them it is first depends on the machine.
    let limits = ["memory_bytes = 2147483648", "cpu_seconds = 120"];
    let limit = limits.into_iter().find(|limit| told.contains(limit));
    let limit = limit.unwrap_or_else(|| panic!("{told}"));
    assert_eq!(
        told,
        format!(
            "error: tool `bomb` takes more to compile than the compiler's limit {limit}\n\
             hint: nothing was run; a component that takes so much is broken or hostile\n"
        )
    );
    let compiled = home.tool_home().join("cache/compiled");
    let left: Vec<_> = std::fs::read_dir(compiled)
        .expect("the cache")
        .map(|entry| entry.expect("an entry").file_name())
        .filter(|name| name != "key")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

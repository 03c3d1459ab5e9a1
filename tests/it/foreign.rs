//! Tests of components that somebody else built, with plain exported functions and no manifest.
//! They may be of any world.

use serde_json::json;

use crate::secrets::ENVIRONMENT;
use crate::support::adder::{adder, load_adder};
use crate::support::loading::digest;
use crate::support::{Home, Need, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test(
            "foreign::inspected_and_called_as_a_file",
            inspected_and_called_as_a_file,
        ),
        test("foreign::loaded_under_a_name", loaded_under_a_name),
        test(
            "foreign::streams_are_lists_and_values",
            streams_are_lists_and_values,
        ),
        test(
            "foreign::types_of_another_package",
            types_of_another_package,
        ),
        test("foreign::granted_a_directory", granted_a_directory).needs(&[Need::RustGuests]),
        test("foreign::granted_a_variable", granted_a_variable),
        test(
            "foreign::nothing_to_call_is_not_compiled",
            nothing_to_call_is_not_compiled,
        ),
        test(
            "foreign::a_bomb_is_refused_by_the_command",
            a_bomb_is_refused_by_the_command,
        ),
    ]
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

/// An async function that answers the stream and the future that it is given.
fn streams_are_lists_and_values() {
    let home = Home::new();
    let component = wat::parse_str(
        r#"(component
            (type $bytes (stream u8))
            (type $number (future u32))
            (core module $m
                (memory (export "memory") 1)
                (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
                (func (export "same") (param i32 i32) (result i32)
                    (i32.store (i32.const 16) (local.get 0))
                    (i32.store (i32.const 20) (local.get 1))
                    (i32.const 16)))
            (core instance $i (instantiate $m))
            (alias core export $i "memory" (core memory $memory))
            (alias core export $i "realloc" (core func $realloc))
            (func (export "same") async (param "bytes" $bytes) (param "number" $number)
                (result (tuple $bytes $number))
                (canon lift (core func $i "same") (memory $memory) (realloc $realloc))))"#,
    );
    home.write("same.wasm", component.expect("a component"));
    home.write("photo.bin", b"\x00\x01\xff");
    let digest = digest(&home, "same.wasm");
    let shown = home.tool("inspect same.wasm").ok();
    assert!(
        shown.contains("same(bytes: bytes, number: integer)"),
        "{shown}"
    );
    home.run(["load", "same.wasm", "--approve", &digest]).ok();
    let answer = home
        .tool("call same bytes=@photo.bin number=7 --json")
        .json();
    assert_eq!(answer["structured"], json!(["AAH/", 7]));
    let wrong = home.tool("call same bytes=@photo.bin number=x");
    assert_eq!(wrong.code(), 1);
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

/// The digest that an inspection with `flags` prints. The manifest has to be derived.
fn derived(home: &Home, file: &str, flags: &[&str]) -> String {
    let words = ["inspect", file, "--json"];
    let shown = home.run(words.iter().chain(flags));
    assert!(
        shown.stderr().contains("derived from its types"),
        "{}",
        shown.stderr()
    );
    let digest = &shown.json()["inspection"]["approval_digest"];
    digest.as_str().expect("a digest").to_owned()
}

fn granted_a_directory() {
    let home = Home::new();
    let component = guests::built("notes").join("dist/tool.wasm");
    home.write("jot.wasm", std::fs::read(component).expect("the component"));
    home.write("mine/hello.md", "from a file");
    home.write("other/hello.md", "from another");
    let mine = home.work().join("mine");
    let directory = format!("notes={}", mine.display());
    let flags = ["--allow-dir", &directory];
    let load = |digest: &str, flags: &[&str]| {
        let words = ["load", "jot.wasm", "--approve", digest];
        home.run(words.iter().chain(flags))
    };
    // The manifest derived without the directory is a different one.
    let without = derived(&home, "jot.wasm", &[]);
    assert_eq!(load(&without, &flags).code(), 3);
    load(&without, &[]).ok();
    let refused = home.tool("call jot.read_note name=hello");
    assert_ne!(refused.code(), 0, "what is not named is not granted");

    let digest = derived(&home, "jot.wasm", &flags);
    assert_ne!(digest, without);
    load(&digest, &flags).ok();
    let read = home.tool("call jot.read_note name=hello").ok();
    assert!(read.contains("from a file"), "{read}");
    let written = home.tool("call jot.write_note name=more text=x");
    assert_ne!(written.code(), 0, "the directory may only be read");
    assert!(!mine.join("more.md").exists());

    let writable = format!("notes:read-write={}", mine.display());
    let flags = ["--allow-dir", &writable];
    load(&derived(&home, "jot.wasm", &flags), &flags).ok();
    home.tool("call jot.write_note name=more text=x").ok();
    assert!(mine.join("more.md").exists());
    // Agents do what a file of this name says, wherever they find it.
    let refused = home.tool("call jot.write_note name=agents text=x");
    assert_ne!(refused.code(), 0);
    assert!(!mine.join("agents.md").exists());
    let lock = std::fs::read_to_string(home.tool_home().join("toolbox.lock")).expect("a lock");
    assert!(lock.contains("read-write"), "{lock}");
}

fn granted_a_variable() {
    const VALUE: &str = "canary-5b6c7d8e";
    let home = Home::new()
        .with("API_KEY", VALUE)
        .with("OTHER", "not-named");
    home.write(
        "teller.wasm",
        wat::parse_str(ENVIRONMENT).expect("a component"),
    );
    let flags = ["--allow-var", "API_KEY"];
    let digest = derived(&home, "teller.wasm", &flags);
    let words = ["load", "teller.wasm", "--approve", &digest];
    home.run(words.iter().chain(&flags)).ok();
    let length = home.tool("call teller.length --json").json();
    assert_eq!(length["structured"], VALUE.len());
    let told = home.tool("call teller.variables --json").json();
    assert_eq!(told["structured"], json!([["API_KEY", "***"]]));
    let packaged = home.run(["inspect", "a/b", "--allow-var", "API_KEY"]);
    assert_eq!(packaged.code(), 1);
    assert!(
        packaged.stderr().contains("grants nothing"),
        "{}",
        packaged.stderr()
    );
}

/// Small, and passes every cheap look: each of the jumps takes all variables along. The
/// compiler gets as far as its memory does, which takes some seconds.
fn bomb() -> Vec<u8> {
    let variables = 8_200;
    let change: String = (0..variables)
        .map(|variable| {
            let next = (variable + 1) % variables;
            format!("(local.set {variable} (i32.add (local.get {next}) (i32.const 1)))")
        })
        .collect();
    let to_the_loop = "1 ".repeat(49_900);
    let jumps = format!("(if (local.get 0) (then (br_table {to_the_loop} (local.get 1))))");
    let jumps = jumps.repeat(2);
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
    let home = Home::new().compiling_alone();
    home.write("bomb.wasm", bomb());
    let digest = digest(&home, "bomb.wasm");
    let refused = home.run(["call", "bomb.wasm", "--approve", &digest]);
    assert_eq!(refused.code(), 3);
    let told = refused.stderr();
    let (note, told) = told.split_once('\n').expect("a note about the manifest");
    assert!(note.contains("derived"), "{note}");
    assert_eq!(
        told,
        "error: tool `bomb` takes more to compile than the compiler's limit memory_bytes = 2147483648\n\
         hint: nothing was run; a component that takes so much is broken or hostile\n"
    );
    let left = compiled(&home);
    assert!(left.is_empty(), "{left:?}");
}

/// The entries of the cache of compiled code.
fn compiled(home: &Home) -> Vec<std::ffi::OsString> {
    let cache = std::fs::read_dir(home.tool_home().join("cache/compiled"));
    let entries = cache.into_iter().flatten();
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    names.filter(|name| name != "key").collect()
}

fn nothing_to_call_is_not_compiled() {
    let home = Home::new().compiling_alone();
    let empty = wat::parse_str("(component)").expect("a component");
    home.write("empty.wasm", empty);
    let digest = digest(&home, "empty.wasm");
    let loaded = home.run(["load", "./empty.wasm", "--approve", &digest]);
    assert_eq!(loaded.code(), 3, "{}", loaded.stderr());
    let said = loaded.stderr();
    let nothing = "has no functions that can be called, no prompts and no resources";
    assert!(said.contains(nothing), "{said}");
    assert!(
        said.contains("hint: a tool has to export at least one function"),
        "{said}"
    );
    let left = compiled(&home);
    assert!(left.is_empty(), "{left:?}");
    // What is compiled leaves its code there.
    load_adder(&home, "plus");
    assert_eq!(compiled(&home).len(), 1);
}

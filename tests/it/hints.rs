//! Tests of errors and hints for whoever gets a command, a call, a flag, a path or a name wrong.

use crate::support::adder::{load_adder, package};
use crate::support::loading::{digest, load};
use crate::support::ran::says;
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("hints::commands_of_others", commands_of_others),
        test("hints::hints_at_calling", hints_at_calling),
        test(
            "hints::flags_have_the_same_names",
            flags_have_the_same_names,
        ),
        test("hints::what_is_not_there", what_is_not_there),
        test(
            "hints::what_is_named_wrongly_is_the_user_s_to_mend",
            what_is_named_wrongly_is_the_user_s_to_mend,
        ),
    ]
}

/// What other package managers call a command leads to ours.
fn commands_of_others() {
    let home = Home::new();
    for (theirs, ours) in [
        ("publish", "push"),
        ("install", "load"),
        ("add", "load"),
        ("validate", "check"),
    ] {
        let refused = home.tool(&format!("{theirs} author/one"));
        says(&refused, 1, &format!("'{ours}'"));
    }
}

/// The hint after `load` names the arguments, and does not suggest a destructive function; the one
/// after a bare value says how to name it.
fn hints_at_calling() {
    let home = Home::new();
    package(&home, "one", |manifest| {
        manifest.functions[0].destructive = Some(true);
    });
    let digest = digest(&home, "./one");
    let loaded = home.run(["load", "./one", "--approve", &digest]);
    says(
        &loaded,
        0,
        "hint: call it with: tool call one.sum_up a=… b=…",
    );
    home.write(
        "climber.wasm",
        wat::parse_str(CLIMBER).expect("a component"),
    );
    load(&home, "climber.wasm", &[]);
    let refused = home.tool("call climber Ada");
    says(
        &refused,
        1,
        "hint: where it is an argument, write height=Ada",
    );
}

/// A tool with one function of one argument.
const CLIMBER: &str = r#"(component
    (core module $m (func (export "f") (param i32) (result i32) (local.get 0)))
    (core instance $i (instantiate $m))
    (func (export "climb") (param "height" u32) (result u32) (canon lift (core func $i "f"))))"#;

/// `grant` and `revoke` each take the other's names of flags.
fn flags_have_the_same_names() {
    let home = Home::new();
    load_adder(&home, "plus");
    for flag in ["--dir", "--allow-dir"] {
        let refused = home.tool(&format!("revoke plus {flag} notes"));
        says(&refused, 1, "`plus` was never granted directory notes");
    }
    for flag in ["--var", "--allow-var"] {
        let refused = home.tool(&format!("grant plus {flag} API_KEY"));
        assert_eq!(refused.code(), 3, "{flag}: {}", refused.stderr());
    }
}

fn what_is_named_wrongly_is_the_user_s_to_mend() {
    let home = Home::new();
    load_adder(&home, "plus");
    let twice = home.tool("serve plus plus");
    assert_eq!(twice.code(), 1);
    let told = twice.stderr();
    assert!(told.contains("the tool `plus` is named twice"), "{told}");
    let bad = home.run(["remove", "Bad Name"]);
    assert_eq!(bad.code(), 1);
    let told = bad.stderr();
    assert!(
        told.contains("there is no tool called `Bad Name`"),
        "{told}"
    );
    assert!(told.contains("the toolbox has: plus"), "{told}");
}

fn what_is_not_there() {
    let home = Home::new();
    for (line, told) in [
        ("inspect ./no-such-file.wasm", "hint: look at the path"),
        ("inspect ./no-such-directory", "hint: look at the path"),
        ("load ./no-such-file.wasm", "hint: look at the path"),
        (
            "inspect https://example.org/x/adder.wasm",
            "hint: tools are not fetched from URLs",
        ),
        (
            "inspect https://hub.example.org/ada/adder",
            "write ada/adder --endpoint https://hub.example.org",
        ),
    ] {
        let ran = home.tool(line);
        assert_eq!(ran.code(), 1, "{line}: {}", ran.stderr());
        assert!(ran.stderr().contains(told), "{line}: {}", ran.stderr());
        assert!(!ran.stderr().contains("https:/e"), "no path is made of it");
    }
    let home = home.with("HF_ENDPOINT", "http://127.0.0.1:9");
    home.write("some/dist/tool.toml", "");
    let told = "for the file or directory, write ./some/dist";
    assert!(home.tool("inspect some/dist").stderr().contains(told));
}

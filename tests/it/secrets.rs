//! Tests of variables granted to a tool: where values come from, and where no secret is seen.

use serde_json::json;
use tool_hub_host::authoring::derive_manifest;
use tool_hub_manifest::VariableRequest;

use crate::support::loading::load;
use crate::support::{Home, Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("secrets::from_a_file", from_a_file),
        test("secrets::printed_nowhere", printed_nowhere),
        test(
            "secrets::what_is_plain_the_user_says",
            what_is_plain_the_user_says,
        ),
    ]
}

/// Answers its environment.
pub(crate) const ENVIRONMENT: &str = r#"
(component
    (import "wasi:cli/environment@0.2.0" (instance $env
        (export "get-environment" (func (result (list (tuple string string)))))))
    (core module $libc
        (memory (export "memory") 1)
        (global $next (mut i32) (i32.const 1024))
        (func (export "realloc") (param i32 i32 i32 i32) (result i32)
            (global.set $next (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
            (global.get $next)
            (global.set $next (i32.add (global.get $next) (local.get 3)))))
    (core instance $c (instantiate $libc))
    (alias core export $c "memory" (core memory $memory))
    (alias core export $c "realloc" (core func $realloc))
    (core func $env (canon lower (func $env "get-environment") (memory $memory) (realloc $realloc)))
    (core module $m
        (import "h" "env" (func $env (param i32)))
        (import "c" "memory" (memory 1))
        (func (export "variables") (result i32) (call $env (i32.const 16)) (i32.const 16))
        (func (export "length") (result i32)
            (call $env (i32.const 16))
            (i32.load offset=12 (i32.load (i32.const 16))))
        (func (export "fail") (call $env (i32.const 16)) unreachable))
    (core instance $i (instantiate $m
        (with "c" (instance $c)) (with "h" (instance (export "env" (func $env))))))
    (func (export "length") (result u32) (canon lift (core func $i "length")))
    (func (export "variables") (result (list (tuple string string)))
        (canon lift (core func $i "variables") (memory $memory)))
    (func (export "fail") (canon lift (core func $i "fail"))))
"#;

/// A person with a tool that answers its environment and asks for a secret.
fn with_environment(home: Home) -> Home {
    write_teller(&home, true);
    load(&home, "./teller", &["--allow-var", "API_KEY"]);
    home
}

/// Writes a tool that returns its environment. Its author declares the variable as `secret`, or
/// not.
fn write_teller(home: &Home, secret: bool) {
    let component = wat::parse_str(ENVIRONMENT).expect("a component");
    let name = "teller".parse().expect("a name");
    let mut manifest = derive_manifest(&component, name).expect("a tool");
    manifest.capabilities.variables.push(VariableRequest {
        name: "API_KEY".parse().expect("a name"),
        secret,
        why: String::new(),
    });
    home.write("teller/tool.toml", manifest.to_toml());
    home.write("teller/tool.wasm", component);
}

/// How long the variable is that the tool has; its value is passed on to nobody.
fn length(home: &Home) -> serde_json::Value {
    home.tool("call teller.length --json").json()["structured"].clone()
}

fn from_a_file() {
    let home = Home::new().with("API_KEY_FILE", "~/api-key");
    let file = home.path().join("api-key");
    std::fs::write(&file, "from-a-file\n").expect("a file");
    let home = with_environment(home);
    assert_eq!(length(&home), "from-a-file".len());
    std::fs::write(&file, "changed").expect("a file");
    assert_eq!(length(&home), "changed".len(), "read at every call");
    std::fs::remove_file(&file).expect("a file");
    let missing = home.tool("call teller.variables");
    assert_eq!(missing.code(), 1, "{}", missing.stderr());
    let said = missing.stderr();
    assert!(said.contains("API_KEY_FILE cannot be read"), "{said}");
    let home = home.with("API_KEY", "set");
    assert_eq!(length(&home), "set".len(), "the variable goes first");
}

fn printed_nowhere() {
    const SECRET: &str = "canary-9f8e7d6c";
    let home = Home::new()
        .with("API_KEY", SECRET)
        .with("TOOL_HUB_LOG", "trace");
    let home = with_environment(home);
    assert_eq!(length(&home), SECRET.len(), "the tool has it");
    let told = home.tool("call teller.variables --json").json()["structured"].clone();
    assert_eq!(told, json!([["API_KEY", "***"]]), "and nobody else");
    for command in [
        "list",
        "list --json",
        "inspect ./teller --json",
        "verify --json",
        "export --json",
        "load teller",
        "load teller --json",
        "grant teller --allow-var API_KEY --json",
        "call teller.fail",
        "call teller.fail --json",
        "call teller.variables wrong=1 --json",
        "doctor --json",
        "revoke teller --var API_KEY --json",
        "call teller.variables --json",
    ] {
        let ran = home.tool(command);
        let all = format!("{}{}", ran.stdout(), ran.stderr());
        assert!(!all.contains(SECRET), "{command}:\n{all}");
    }
    for file in home.files() {
        let contents = std::fs::read(&file).unwrap_or_default();
        let found = contents
            .windows(SECRET.len())
            .any(|part| part == SECRET.as_bytes());
        assert!(!found, "{}", file.display());
    }
}

fn what_is_plain_the_user_says() {
    const VALUE: &str = "canary-9f8e7d6c";
    let home = Home::new().with("API_KEY", VALUE);
    let told = |home: &Home| home.tool("call teller.variables --json").json()["structured"].clone();
    let (masked, shown) = (json!([["API_KEY", "***"]]), json!([["API_KEY", VALUE]]));
    // The author's marking alone makes no difference.
    write_teller(&home, false);
    load(&home, "./teller", &["--allow-var", "API_KEY"]);
    assert_eq!(told(&home), masked);
    home.tool("remove teller");
    write_teller(&home, true);
    load(&home, "./teller", &["--allow-plain-var", "API_KEY"]);
    assert_eq!(told(&home), shown);
    load(&home, "./teller", &["--allow-var", "API_KEY"]);
    assert_eq!(told(&home), masked);
    let home = home.with("API_KEY", "en");
    let digest = crate::support::loading::digest(&home, "./teller");
    let loaded = home.run([
        "load",
        "./teller",
        "--allow-var",
        "API_KEY",
        "--approve",
        &digest,
    ]);
    let said = loaded.stderr();
    assert!(
        said.contains("the value of API_KEY is too short to be masked"),
        "{said}"
    );
}

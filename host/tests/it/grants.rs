//! Tests of grants: a tool finds what was granted, and nothing else.

use std::path::Path;

use serde_json::{Value, json};
use tool_hub_host::{Approved, HostError, Tool, inspect};
use tool_hub_manifest::{Access, Grants, Verified};

use crate::support::{HOST, MEMORY, advised, failure, package, reply};

/// Answers its whole environment, twice: as variables and as settings.
fn environment(capabilities: &str) -> Verified {
    let text = format!(
        r#"(component
        (import "wasi:cli/environment@0.2.0" (instance $env
            (export "get-environment" (func (result (list (tuple string string)))))))
        (import "wasi:config/store@0.2.0-rc.1" (instance $config
            (type $error' (variant (case "upstream" string) (case "io" string)))
            (export "error" (type $error (eq $error')))
            (export "get-all" (func (result (result (list (tuple string string)) (error $error)))))))
        (core module $libc {MEMORY})
        (core instance $c (instantiate $libc))
        (alias core export $c "memory" (core memory $memory))
        (alias core export $c "realloc" (core func $realloc))
        (core func $env (canon lower (func $env "get-environment")
            (memory $memory) (realloc $realloc)))
        (core func $all (canon lower (func $config "get-all")
            (memory $memory) (realloc $realloc)))
        (core module $m
            (import "h" "env" (func $env (param i32)))
            (import "h" "all" (func $all (param i32)))
            (func (export "variables") (result i32) (call $env (i32.const 16)) (i32.const 16))
            ;; The list stands behind the tag of the result.
            (func (export "settings") (result i32) (call $all (i32.const 32)) (i32.const 36)))
        (core instance $i (instantiate $m (with "h" (instance
            (export "env" (func $env))
            (export "all" (func $all))))))
        (func (export "variables") (result (list (tuple string string)))
            (canon lift (core func $i "variables") (memory $memory)))
        (func (export "settings") (result (list (tuple string string)))
            (canon lift (core func $i "settings") (memory $memory))))"#
    );
    package(wat::parse_str(text).unwrap(), |manifest| {
        manifest.capabilities = toml_capabilities(capabilities);
    })
}

fn toml_capabilities(text: &str) -> tool_hub_manifest::Capabilities {
    let manifest = format!("schema = 1\nname = \"x\"\nversion = \"0.1.0\"\n[capabilities]\n{text}");
    let manifest: tool_hub_manifest::Manifest = manifest.parse().unwrap();
    manifest.capabilities
}

async fn load(approved: Approved) -> Tool {
    HOST.load(approved).await.unwrap()
}

async fn structured(tool: &Tool, function: &str) -> Value {
    let reply = reply(tool.call(function, "").await);
    serde_json::from_str(&reply.structured.unwrap()).unwrap()
}

#[tokio::test]
async fn only_granted_variables_are_there() {
    let verified = environment(r#"variables = [{ name = "A" }, { name = "B" }]"#);
    let grants = Grants::none().plain_variable("B".parse().unwrap());
    let approved = inspect(&verified).unwrap().approve(grants).unwrap();
    let tool = load(approved.clone()).await;
    assert_eq!(structured(&tool, "variables").await, json!([]));
    let bound = approved
        .with_variable("B".parse().unwrap(), "hunter2")
        .unwrap();
    let tool = load(bound).await;
    assert_eq!(
        structured(&tool, "variables").await,
        json!([["B", "hunter2"]])
    );
    assert_eq!(
        structured(&tool, "settings").await,
        json!([["B", "hunter2"]])
    );
}

#[tokio::test]
async fn values_are_masked_whatever_the_author_says() {
    let asked = r#"variables = [{ name = "A" }, { name = "B", secret = true }, { name = "C" }]"#;
    let names = ["A", "B", "C"].map(|name| name.parse().unwrap());
    let [a, b, c] = names;
    let grants = Grants::none().variable(a).plain_variable(b).variable(c);
    let mut approved = inspect(&environment(asked))
        .unwrap()
        .approve(grants)
        .unwrap();
    for (name, value) in [("A", "hunter2"), ("B", "metric"), ("C", "12")] {
        approved = approved
            .with_variable(name.parse().unwrap(), value)
            .unwrap();
    }
    let tool = load(approved).await;
    let expect = json!([["A", "***"], ["B", "metric"], ["C", "12"]]);
    assert_eq!(structured(&tool, "variables").await, expect);
    let unmasked: Vec<&str> = tool
        .unmasked_variables()
        .iter()
        .map(|name| name.as_str())
        .collect();
    assert_eq!(unmasked, ["C"]);
}

/// Makes a directory in the first granted directory. Answers the number of directories and
/// fails with the error's number.
fn maker(access: Access) -> Verified {
    let codes = "access would-block already bad-descriptor busy deadlock quota exist \
        file-too-large illegal-byte-sequence in-progress interrupted invalid io is-directory \
        loop too-many-links message-size name-too-long no-device no-entry no-lock \
        insufficient-memory insufficient-space not-directory not-empty not-recoverable \
        unsupported no-tty no-such-device overflow not-permitted pipe read-only invalid-seek \
        text-file-busy cross-device";
    let codes: Vec<String> = codes
        .split_whitespace()
        .map(|code| format!("{code:?}"))
        .collect();
    let codes = codes.join(" ");
    let text = format!(
        r#"(component
        (import "wasi:filesystem/types@0.2.0" (instance $types
            (export "descriptor" (type $descriptor (sub resource)))
            (type $code' (enum {codes}))
            (export "error-code" (type $code (eq $code')))
            (export "[method]descriptor.create-directory-at"
                (func (param "self" (borrow $descriptor)) (param "path" string)
                    (result (result (error $code)))))))
        (alias export $types "descriptor" (type $descriptor))
        (import "wasi:filesystem/preopens@0.2.0" (instance $preopens
            (alias outer 1 $descriptor (type $outer))
            (export "descriptor" (type $d (eq $outer)))
            (export "get-directories" (func (result (list (tuple (own $d) string)))))))
        (core module $libc {MEMORY} (data (i32.const 8) "made"))
        (core instance $c (instantiate $libc))
        (alias core export $c "memory" (core memory $memory))
        (alias core export $c "realloc" (core func $realloc))
        (core func $get (canon lower (func $preopens "get-directories")
            (memory $memory) (realloc $realloc)))
        (core func $make (canon lower (func $types "[method]descriptor.create-directory-at")
            (memory $memory) (realloc $realloc)))
        (core module $m
            (import "h" "memory" (memory 1))
            (import "h" "get" (func $get (param i32)))
            (import "h" "make" (func $make (param i32 i32 i32 i32)))
            (func (export "run") (result i32)
                (call $get (i32.const 16))
                (i32.store8 (i32.const 40) (i32.const 0))
                (i32.store (i32.const 44) (i32.load (i32.const 20)))
                (if (i32.eqz (i32.load (i32.const 20))) (then (return (i32.const 40))))
                (call $make (i32.load (i32.load (i32.const 16))) (i32.const 8) (i32.const 4) (i32.const 32))
                (i32.store8 (i32.const 40) (i32.load8_u (i32.const 32)))
                (if (i32.load8_u (i32.const 32))
                    (then (i32.store (i32.const 44) (i32.load8_u (i32.const 33)))))
                (i32.const 40)))
        (core instance $i (instantiate $m (with "h" (instance
            (export "memory" (memory $memory))
            (export "get" (func $get))
            (export "make" (func $make))))))
        (func (export "run") (result (result u32 (error u32)))
            (canon lift (core func $i "run") (memory $memory))))"#
    );
    package(wat::parse_str(text).unwrap(), |manifest| {
        manifest.capabilities = toml_capabilities(&format!(
            r#"directories = [{{ name = "notes", access = "{access}" }}]"#
        ));
    })
}

fn notes(path: &Path, access: Access) -> Grants {
    Grants::none().directory("notes".parse().unwrap(), path, access)
}

#[tokio::test]
async fn a_granted_directory_is_there_and_may_be_written_when_it_was_granted_so() {
    let directory = tempfile::tempdir().unwrap();
    let grants = notes(directory.path(), Access::ReadWrite);
    let tool = load(Approved::from_lock_record(maker(Access::ReadWrite), grants).unwrap()).await;
    assert_eq!(structured(&tool, "run").await, json!(1));
    assert!(directory.path().join("made").is_dir());
}

#[tokio::test]
async fn a_directory_granted_for_reading_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let grants = notes(directory.path(), Access::Read);
    let tool = load(Approved::from_lock_record(maker(Access::ReadWrite), grants).unwrap()).await;
    failure(tool.call("run", "").await);
    assert!(!directory.path().join("made").exists());
}

#[tokio::test]
async fn a_directory_that_was_not_granted_is_not_there() {
    let tool = load(Approved::from_lock_record(maker(Access::Read), Grants::none()).unwrap()).await;
    assert_eq!(structured(&tool, "run").await, json!(0));
}

#[tokio::test]
async fn a_failure_reminds_of_what_was_not_granted() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("made")).unwrap();
    let capabilities = r#"variables = [{ name = "A" }]"#;
    let verified = package(maker(Access::ReadWrite).component().to_vec(), |manifest| {
        manifest.capabilities = toml_capabilities(&format!(
            "{capabilities}\ndirectories = [{{ name = \"notes\", access = \"read-write\" }}]"
        ));
    });
    let grants = notes(directory.path(), Access::ReadWrite);
    let approved = Approved::from_lock_record(verified, grants).unwrap();
    let tool = load(advised(approved)).await;
    let failed = failure(tool.call("run", "").await);
    assert_eq!(
        failed.fix.as_deref(),
        Some(
            r#"the tool asks for what is not granted (variable A); a person can grant it: [{"variable":"A"}]"#
        )
    );
}

#[tokio::test]
async fn the_root_directory_is_never_granted() {
    let approved =
        Approved::from_lock_record(maker(Access::Read), notes(Path::new("/"), Access::Read))
            .unwrap();
    match HOST.load(approved).await {
        Err(HostError::Directory { reason, .. }) => {
            assert_eq!(reason, "the root directory is never given to a tool");
        }
        other => panic!("{other:?}"),
    }
}

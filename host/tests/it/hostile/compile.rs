//! Tests that components too big, too deep or invalid are found out before any compilation.
//! They are small to send, and most are found out by counting. Those that pass the scan are in the
//! target `processes`.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use tool_hub_host::{Approved, HostError, Inspection, authoring, inspect};
use tool_hub_manifest::{Grants, Package, Verified};

use crate::support::{HOST, component};

/// No refusal takes longer, however slow the machine; all are meant to take milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// `component` with a manifest that was not derived from it, which hostile bytes may have.
fn verified(component: Vec<u8>) -> Verified {
    let name = "demo".parse().unwrap();
    let mut manifest = authoring::derive_manifest(&wat::parse_str("(component)").unwrap(), name)
        .expect("an empty component is one");
    manifest.component = Some(tool_hub_manifest::ComponentClaim::of(&component));
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    Verified::check(package).unwrap()
}

/// Neither inspected nor loaded, and both for the same reason.
async fn refused(component: Vec<u8>) -> HostError {
    let begun = Instant::now();
    let verified = verified(component);
    let inspected = inspect(&verified).map(drop).unwrap_err();
    let approved = Approved::from_lock_record(verified, Grants::none()).unwrap();
    let loaded = HOST.load(approved).await.map(drop).unwrap_err();
    assert_eq!(inspected.to_string(), loaded.to_string());
    assert!(
        begun.elapsed() < PATIENCE,
        "{:?}: {loaded}",
        begun.elapsed()
    );
    loaded
}

async fn check_too_big(component: Vec<u8>, what: &str, actual: u64, max: u64) {
    match refused(component).await {
        HostError::TooBig {
            what: w,
            actual: a,
            max: m,
        } => {
            assert_eq!((w, a, m), (what, actual, max));
        }
        other => panic!("{what}: {other}"),
    }
}

async fn check_invalid(component: Vec<u8>, expect: &str) {
    match refused(component).await {
        HostError::Malformed { reason } => assert!(reason.contains(expect), "{reason}"),
        other => panic!("{expect}: {other}"),
    }
}

fn module(fields: &str) -> Vec<u8> {
    wat::parse_str(format!("(component (core module {fields}))")).unwrap()
}

/// A function whose parameter has the last of the types `$t0`, `$t1`, …
fn over_types(types: &str, last: usize) -> Vec<u8> {
    over(types, last, "i32 i32")
}

/// The same where the parameter is so wide that it is passed by its address.
fn over_types_of_one_pointer(types: &str, last: usize) -> Vec<u8> {
    over(types, last, "i32")
}

fn over(types: &str, last: usize, passed_as: &str) -> Vec<u8> {
    component(
        &format!(r#"(func (export "f") (param {passed_as}))"#),
        &format!(
            r#"{types}
            (func (export "f") (param "a" $t{last})
                (canon lift (core func $i "f") (memory $memory) (realloc $realloc)))"#
        ),
    )
}

/// Components without a callable function, and the reasons.
fn not_callable(component: Vec<u8>) -> String {
    let begun = Instant::now();
    let verified = crate::support::package(component, |_| {});
    let inspection: Inspection = inspect(&verified).unwrap();
    assert!(begun.elapsed() < PATIENCE);
    assert!(inspection.functions.is_empty());
    inspection.not_callable[0].reason.clone()
}

/// `$t0` and as many lists around it as `levels`.
fn lists(levels: usize) -> String {
    let mut types = String::from("(type $t0 (list u16))");
    for level in 1..levels {
        write!(types, "(type $t{level} (list $t{}))", level - 1).unwrap();
    }
    types
}

/// Each type has the one before it twice.
fn doubled(levels: usize) -> String {
    let mut types = String::from("(type $t0 (tuple u8 u8))");
    for level in 1..levels {
        write!(types, "(type $t{level} (tuple $t{0} $t{0}))", level - 1).unwrap();
    }
    types
}

#[tokio::test]
async fn types_that_nest_too_deep() {
    check_invalid(over_types(&lists(101), 100), "type nesting is too deep").await;
}

#[tokio::test]
async fn types_that_double() {
    check_invalid(over_types(&doubled(20), 19), "effective type size").await;
    let fifteen = not_callable(over_types_of_one_pointer(&doubled(15), 14));
    assert_eq!(fifteen, "its types have more than 10000 parts");
}

/// Takes seconds to validate where the cost of instances is not counted.
#[tokio::test]
async fn instances_of_components_with_big_types() {
    let types = doubled(16);
    let wide = format!(r#"(instance {types} (export "t" (type (eq $t15))))"#);
    let instances = r#"(instance (instantiate $c (with "i" (instance $x))))"#.repeat(900);
    let text = format!(
        r#"(component
            (type $given {wide}) (import "i" (instance $x (type $given)))
            (component $c (type $wanted {wide}) (import "i" (instance (type $wanted))))
            {instances})"#
    );
    let what = "parts in the types of its instances";
    match refused(wat::parse_str(text).unwrap()).await {
        HostError::TooBig { what: w, max, .. } => assert_eq!((w, max), (what, 1_000_000)),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn instances_of_modules_with_many_imports() {
    let names = 0..20_000;
    let imports: String = names
        .clone()
        .map(|n| format!(r#"(import "" "{n}" (func))"#))
        .collect();
    let exports: String = names
        .map(|n| format!(r#"(export "{n}" (func $f))"#))
        .collect();
    let instances = r#"(core instance (instantiate $m (with "" (instance $i))))"#.repeat(900);
    let text = format!(
        r#"(component
            (core module $e (func $f) {exports}) (core module $m {imports})
            (core instance $i (instantiate $e)) {instances})"#
    );
    let parts = wat::parse_str(text).unwrap();
    let what = "parts in the types of its instances";
    check_too_big(parts, what, 1_020_000, 1_000_000).await;
}

#[tokio::test]
async fn thousands_of_nested_components() {
    let many = format!("(component {})", "(component)".repeat(20_000));
    let many = wat::parse_str(many).unwrap();
    check_too_big(many, "nested modules and components", 101, 100).await;
    // As bytes: no text reader goes so deep.
    let mut deep = Vec::new();
    for _ in 0..20_000 {
        deep = nested_in_component(&deep);
        if deep.len() > 60_000 {
            break;
        }
    }
    check_too_big(deep, "levels of nesting", 21, 20).await;
}

/// A component that holds `inner`, or nothing.
fn nested_in_component(inner: &[u8]) -> Vec<u8> {
    let mut component = b"\0asm\x0d\0\x01\0".to_vec();
    if !inner.is_empty() {
        component.push(4);
        let mut length = inner.len();
        while length >= 0x80 {
            component.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            length >>= 7;
        }
        component.push(u8::try_from(length).unwrap());
        component.extend_from_slice(inner);
    }
    component
}

#[tokio::test]
async fn hundreds_of_thousands_of_functions() {
    let functions = module(&"(func)".repeat(200_000));
    check_too_big(functions, "functions", 200_000, 50_000).await;
}

#[tokio::test]
async fn functions_that_are_too_big() {
    let blocks = module(&format!("(func {})", "(block)".repeat(50_000)));
    check_too_big(blocks, "blocks in one function", 20_001, 20_000).await;
    let locals = module(&format!("(func (local {}))", "i32 ".repeat(40_000)));
    check_too_big(locals, "variables in one function", 40_000, 10_000).await;
    let table = format!("(br_table {} (i32.const 0))", "0 ".repeat(60_000));
    let jumps = module(&format!("(func {})", table.repeat(2)));
    check_too_big(
        jumps,
        "jumps in the tables of one function",
        119_998,
        100_000,
    )
    .await;
    let long = module(&format!(
        "(func {})",
        "(drop (i32.const 1))".repeat(1 << 20)
    ));
    check_too_big(long, "bytes in one function", 3 * (1 << 20) + 2, 2 << 20).await;
}

/// Valid, and nothing that WIT could say: the decoder of WIT panics.
#[test]
fn types_that_no_wit_can_say() {
    let text = r#"(component (import "a:b/c" (instance
        (type $f (func)) (export "t" (type (eq $f))))))"#;
    let error = inspect(&verified(wat::parse_str(text).unwrap())).unwrap_err();
    assert!(
        error.to_string().contains("cannot be written as WIT"),
        "{error}"
    );
}

#[tokio::test]
async fn what_is_no_component() {
    let modules = wat::parse_str("(module)").unwrap();
    let error = refused(modules).await;
    assert!(matches!(
        error,
        HostError::NotAComponent {
            found: "a core WebAssembly module"
        }
    ));
    // What `wasmtime compile` writes: an ELF file for an operating system of its own.
    let compiled = [b"\x7fELF\x02\x01\x01\xc8".as_slice(), &[0; 4096]].concat();
    let error = refused(compiled).await;
    assert!(matches!(
        error,
        HostError::NotAComponent {
            found: "precompiled native code"
        }
    ));
}

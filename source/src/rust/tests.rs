//! Tests of the definitions that are read from functions in Rust.

use serde_json::{Value, json};

use crate::{Definition, Language, Signature, read};

const DECLARED: &str = r#"//! A file.
#![allow(dead_code)]
use std::collections::HashMap;
/// Where.
pub struct Spot {
    /// How high.
    pub height: f64,
    pub name: Option<String>,
}
pub enum Kind { Peak, ValleyFloor }
pub type Names = Vec<String>;
pub enum Rich { A(u8) }
struct Hidden { a: u8 }
pub struct Tree { pub children: Vec<Tree> }
const LIMIT: usize = { 1 < 2; 3 };
"#;

#[track_caller]
fn only(text: &str) -> Result<Definition, String> {
    let text = format!("{DECLARED}{text}");
    let functions = read(&text, Language::Rust).map_err(|error| error.to_string())?;
    let [function] = &functions[..] else {
        panic!("one function: {functions:?}");
    };
    function
        .definition
        .clone()
        .map_err(|fault| fault.kind.to_string())
}

#[test]
fn types_have_schemas() {
    let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
    for (of, expected) in [
        ("String", json!({"type": "string"})),
        ("&str", json!({"type": "string"})),
        ("&'static str", json!({"type": "string"})),
        ("bool", json!({"type": "boolean"})),
        ("f32", json!({"type": "number"})),
        ("u8", byte.clone()),
        (
            "i64",
            json!({"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX}),
        ),
        (
            "u64",
            json!({"type": "integer", "minimum": 0, "maximum": u64::MAX}),
        ),
        ("&[u8]", json!({"type": "array", "items": byte})),
        (
            "Vec<Vec<bool>>",
            json!({"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}}),
        ),
        (
            "&Vec<String>",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        (
            "Option<String>",
            json!({"type": "string", "nullable": true}),
        ),
        (
            "(bool, String)",
            json!({"type": "array", "prefixItems": [{"type": "boolean"}, {"type": "string"}]}),
        ),
        (
            "HashMap<String, bool>",
            json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
        ),
        (
            "std::collections::BTreeMap<String, f64>",
            json!({"type": "object", "additionalProperties": {"type": "number"}}),
        ),
        ("serde_json::Value", json!({})),
        (
            "Kind",
            json!({"type": "string", "enum": ["peak", "valley_floor"]}),
        ),
        (
            "Names",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        (
            "&Spot",
            json!({"type": "object", "properties": {
            "height": {"type": "number", "description": "How high."},
            "name": {"type": "string", "nullable": true},
        }, "required": ["height"]}),
        ),
    ] {
        let text = format!("/// F.\n///\n/// # Arguments\n/// * `a` - A.\npub fn f(a: {of}) {{}}");
        let mut found = only(&text).expect(of);
        let schema = found.parameters["properties"]["a"]
            .as_object_mut()
            .expect("a schema");
        assert_eq!(schema.remove("description"), Some(json!("A.")), "{of}");
        assert_eq!(Value::Object(schema.clone()), expected, "{of}");
    }
}

#[test]
fn comments_have_sections() {
    let found = only(
        r#"
/// Adds two numbers,
/// carefully.
///
/// It never fails.
///
/// # Arguments
///
/// * `a` - The first,
///   which is small.
/// - `b`: The second.
/// * c — The third.
///
/// # Returns
///
/// The sum.
///
/// # Errors
/// Never.
#[must_use]
pub fn add(a: i32, b: Option<i32>, c: bool) -> Result<Vec<i32>, String> {
    loop { if 1 < 2 { break } }
}
fn private() {}
impl Spot { pub fn method(&self) {} }
"#,
    )
    .expect("a definition");
    assert_eq!(found.description, "Adds two numbers, carefully.");
    let about = |name: &str| found.parameters["properties"][name]["description"].clone();
    assert_eq!(about("a"), "The first, which is small.");
    assert_eq!(about("b"), "The second.");
    assert_eq!(about("c"), "The third.");
    assert_eq!(found.required(), ["a", "c"]);
    let output = found.output.as_ref().expect("an output");
    assert_eq!(output["type"], "array");
    assert_eq!(output["description"], "The sum.");
    let Signature::Rust(signature) = &found.signature else {
        panic!("{:?}", found.signature);
    };
    assert!(signature.is_fallible);
}

#[test]
fn what_is_missing_is_told() {
    for (text, expected) in [
        ("pub fn f() {}", "has no description"),
        (
            "/// F.\npub fn f(a: u8) {}",
            "does not describe its parameter `a`",
        ),
        (
            "/// F.\npub fn f(a: Missing) {}",
            "names `Missing` in a type, which the file does not define",
        ),
        (
            "/// F.\npub fn f(a: Rich) {}",
            "uses the type `Rich`, which has variants that hold values, or is not `pub`",
        ),
        (
            "/// F.\npub fn f(a: Hidden) {}",
            "uses the type `Hidden`, which is not `pub` with all its fields",
        ),
        (
            "/// F.\npub fn f(a: Tree) {}",
            "which is nested too deep or holds itself",
        ),
        (
            "/// F.\npub fn f(a: &mut String) {}",
            "uses the type `&String`, which is changed by the function; take a value",
        ),
        (
            "/// F.\npub fn f<T>(a: T) {}",
            "uses the type `T`, which stands for many types; write the one that is meant",
        ),
        (
            "/// F.\npub async fn f() {}",
            "uses the type `async`, which no tool can wait for",
        ),
        (
            "/// F.\npub fn f(self) {}",
            "uses the type `self`, which is no argument of an agent's",
        ),
        ("pub fn f( {}", "1"),
        ("pub fn f(a) {}", "this is no Rust that can be read"),
    ] {
        let error = only(text).expect_err(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn hostile_files_end() {
    let many = 20_000;
    let doubling: String = (0..30)
        .map(|it| {
            format!(
                "pub struct A{it} {{ pub a: A{}, pub b: A{} }}\n",
                it + 1,
                it + 1
            )
        })
        .collect();
    for text in [
        format!("{doubling}/// F.\npub fn f(a: A0) {{}}"),
        format!(
            "pub fn f(a: {}u8{}) {{}}",
            "Vec<".repeat(many),
            ">".repeat(many)
        ),
        format!("pub fn f(a: {}u8) {{}}", "&".repeat(many)),
        format!("pub fn f(a: {}u8) {{}}", "&'a ".repeat(many)),
        format!("pub fn f(a: {}u8) {{}}", "*const ".repeat(many)),
        format!(
            "pub fn f(a: {}u8{}) {{}}",
            "(".repeat(many),
            ")".repeat(many)
        ),
        format!("pub fn f() -> {} {{}}", "impl Fn() -> ".repeat(many)),
        format!("pub fn f() {{ {} }}", "!".repeat(many)),
        format!("pub enum E {{ A = {}1 }}", "!".repeat(many)),
        format!("pub enum E {{ A = {}1 }}", "return ".repeat(many)),
        format!("pub enum E {{ A = {}1 }}", "a = ".repeat(many)),
        format!("pub fn f() {}", "else {} ".repeat(many)),
        "{".repeat(many),
        format!("{}{}", "{".repeat(many), "}".repeat(many)),
    ] {
        let _ = read(&text, Language::Rust);
    }
}

#[test]
fn comments_on_fields_and_variants_are_told() {
    let found = only(
        r#"
/// How to go.
pub enum Way {
    /// On two wheels,
    /// one's own.
    Bike,
    OnFoot,
    /// By train.
    Rail,
}
/// A stop.
pub struct Stop {
    /// Where.
    pub city: String,
    /// How to get there.
    pub by: Option<Way>,
}
/// Plans a trip.
///
/// # Arguments
/// * `by` - How to travel.
/// * `stops` - Where to go.
pub fn plan(by: Way, stops: Vec<Stop>) {}
"#,
    )
    .expect("a definition");
    let about = |pointer: &str| found.parameters.pointer(pointer).cloned();
    assert_eq!(
        about("/properties/by/description"),
        Some(json!(
            "How to travel.\n- `bike`: On two wheels, one's own.\n- `rail`: By train."
        ))
    );
    let members = "/properties/stops/items/properties";
    assert_eq!(
        about(&format!("{members}/city/description")),
        Some(json!("Where."))
    );
    assert_eq!(
        about(&format!("{members}/by/description")),
        Some(json!(
            "How to get there.\n- `bike`: On two wheels, one's own.\n- `rail`: By train."
        ))
    );
}

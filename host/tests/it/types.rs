//! Tests of values: each WIT type that the host takes passes through a real component unchanged.

use serde_json::{Value, json};

use crate::support::{LIFT, component, failure, load, reply};

/// A component whose function returns its argument. Sixteen more parts make the argument so
/// wide that it travels through memory, and the way back is the same memory.
fn identity(types: &str, ty: &str) -> Vec<u8> {
    let wide = format!("(tuple {ty} {})", "u8 ".repeat(16));
    component(
        r#"(func (export "same") (param i32) (result i32) (local.get 0))"#,
        &format!(
            r#"{types}
            (func (export "same") (param "x" {wide}) (result {wide})
                (canon lift (core func $i "same") {LIFT}))"#
        ),
    )
}

/// Sends each of `values` through, and holds what comes back against it and the schema.
async fn check(types: &str, ty: &str, values: &[Value]) {
    let tool = load(identity(types, ty)).await;
    let schema = tool.functions()[0].spec.output_schema.clone().unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for value in values {
        let mut items = vec![value.clone()];
        items.extend((0..16).map(Value::from));
        let arguments = json!({"x": items});
        let reply = reply(tool.call("same", &arguments.to_string()).await);
        let back: Value = serde_json::from_str(&reply.structured.unwrap()).unwrap();
        assert_eq!(back, arguments["x"], "{ty}");
        assert!(validator.is_valid(&back), "{back} against {schema}");
    }
}

#[tokio::test]
async fn plain_types() {
    check("", "bool", &[json!(true), json!(false)]).await;
    check("", "s8", &[json!(-128), json!(127)]).await;
    check("", "u16", &[json!(0), json!(65535)]).await;
    check("", "s32", &[json!(i32::MIN), json!(i32::MAX)]).await;
    check("", "u64", &[json!(0), json!("18446744073709551615")]).await;
    check("", "s64", &[json!(-1), json!("-9223372036854775808")]).await;
    check("", "f32", &[json!(0.5), json!(-2.0), json!("NaN")]).await;
    check("", "f64", &[json!(0.1), json!(1e300), json!("-Infinity")]).await;
    check("", "char", &[json!("x"), json!("🦀")]).await;
    check("", "string", &[json!(""), json!("zwölf\u{0}\u{1f}\"\\")]).await;
}

#[tokio::test]
async fn composed_types() {
    check("", "(list u8)", &[json!(""), json!("AAECAw==")]).await;
    check("", "(list string)", &[json!([]), json!(["a", "b"])]).await;
    check("", "(list (list s16))", &[json!([[1], [], [2, 3]])]).await;
    check("", "(tuple s8 string)", &[json!([1, "a"])]).await;
    check("", "(option u32)", &[json!(null), json!(7)]).await;
    check(
        "",
        "(option (option u32))",
        &[json!(null), json!({"some": null}), json!({"some": 7})],
    )
    .await;
    check(
        "",
        "(result u8 (error string))",
        &[json!({"ok": 1}), json!({"err": "no"})],
    )
    .await;
    check("", "(result)", &[json!({"ok": null}), json!({"err": null})]).await;
}

#[tokio::test]
async fn named_types() {
    let record = r#"(type $r' (record (field "first-name" string) (field "age" (option u8))))
        (import "person" (type $r (eq $r')))"#;
    check(
        record,
        "$r",
        &[
            json!({"first_name": "Ada"}),
            json!({"first_name": "Ada", "age": 36}),
        ],
    )
    .await;
    let color = r#"(type $e' (enum "dark-red" "blue")) (import "color" (type $e (eq $e')))"#;
    check(color, "$e", &[json!("dark_red"), json!("blue")]).await;
    let flags = r#"(type $f' (flags "read" "write-all")) (import "rights" (type $f (eq $f')))"#;
    check(flags, "$f", &[json!([]), json!(["read", "write_all"])]).await;
    let variant = r#"(type $v' (variant (case "circle" f64) (case "empty")))
        (import "form" (type $v (eq $v')))"#;
    check(
        variant,
        "$v",
        &[
            json!({"tag": "circle", "val": 1.5}),
            json!({"tag": "empty"}),
        ],
    )
    .await;
    check(
        variant,
        "(list $v)",
        &[json!([{"tag": "empty"}, {"tag": "circle", "val": 2.0}])],
    )
    .await;
}

#[tokio::test]
async fn maps_and_lists_of_fixed_length() {
    check(
        "",
        "(map string u32)",
        &[json!({}), json!({"a": 1, "b": 2})],
    )
    .await;
    check("", "(map u8 string)", &[json!([[1, "a"], [2, "b"]])]).await;
    check("", "(list u16 3)", &[json!([1, 2, 3])]).await;
}

#[tokio::test]
async fn what_does_not_fit_the_type_never_reaches_the_guest() {
    let tool = load(identity("", "u8")).await;
    let wrong = failure(tool.call("same", r#"{"x": [256]}"#).await);
    assert_eq!(wrong.argument.as_deref(), Some("x[0]"));
}

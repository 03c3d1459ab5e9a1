//! Tests of repairs: wrong arguments are mended, valid ones stay, and made-up examples are valid.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::definition::example::example;

/// `value` for the argument `a` of `schema` is read as `expect`.
#[track_caller]
fn check(schema: Value, value: Value, expect: Value) {
    let schema = json!({
        "type": "object", "properties": {"a": schema}, "required": ["a"],
        "additionalProperties": false,
    });
    let written = json!({ "a": value }).to_string();
    let read = repair(&schema, &written).map(|repair| repair.arguments);
    let expect = match expect == value {
        true => None,
        false => Some(json!({ "a": expect }).to_string()),
    };
    assert_eq!(read, expect, "{schema} {written}");
}

#[test]
fn numbers_and_booleans_come_out_of_strings() {
    let integer = json!({"type": "integer"});
    for (written, expect) in [
        (json!("3"), json!(3)),
        (json!(" -3 "), json!(-3)),
        (json!("3.0"), json!(3.0)),
        (
            json!("18446744073709551615"),
            json!(18446744073709551615_u64),
        ),
        // None of these is surely a whole number, or can be held.
        (json!("3.5"), json!("3.5")),
        (json!("0x10"), json!("0x10")),
        (json!("007"), json!("007")),
        (json!("three"), json!("three")),
        (json!(""), json!("")),
        (
            json!("184467440737095516160"),
            json!("184467440737095516160"),
        ),
        (json!(3.5), json!(3.5)),
        (json!(true), json!(true)),
    ] {
        check(integer.clone(), written, expect);
    }
    check(json!({"type": "number"}), json!("3.5"), json!(3.5));
    check(json!({"type": "number"}), json!("12,5"), json!("12,5"));
    for (written, expect) in [
        (json!("true"), json!(true)),
        (json!("False"), json!(false)),
        (json!("yes"), json!("yes")),
        (json!(1), json!(1)),
    ] {
        check(json!({"type": "boolean"}), written, expect);
    }
}

#[test]
fn a_number_becomes_a_string_where_its_digits_are_kept() {
    check(json!({"type": "string"}), json!(42), json!("42"));
    // It may have been written as 1.50.
    check(json!({"type": "string"}), json!(1.5), json!(1.5));
    let bytes = json!({"type": "string", "contentEncoding": "base64"});
    check(bytes, json!(1234), json!(1234));
}

#[test]
fn one_value_becomes_a_list_of_one() {
    let list = |item: Value| json!({"type": "array", "items": item});
    let integers = list(json!({"type": "integer"}));
    check(integers.clone(), json!(3), json!([3]));
    check(integers.clone(), json!("3"), json!([3]));
    check(integers.clone(), json!("[3, \"4\"]"), json!([3, 4]));
    check(integers.clone(), json!(["3", 4]), json!([3, 4]));
    check(integers.clone(), json!("x"), json!("x"));
    check(integers, json!(null), json!(null));
    check(
        list(json!({"type": "string"})),
        json!("a, b"),
        json!(["a, b"]),
    );
    check(
        list(json!({"enum": ["bold"]})),
        json!("Bold"),
        json!(["bold"]),
    );
}

#[test]
fn objects_come_out_of_strings() {
    let point = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
    check(point.clone(), json!("{\"x\": \"1\"}"), json!({"x": 1}));
    check(point.clone(), json!("[1]"), json!("[1]"));
    check(
        point.clone(),
        json!("{\"x\": 1, \"x\": 2}"),
        json!("{\"x\": 1, \"x\": 2}"),
    );
    check(point, json!("x"), json!("x"));
}

#[test]
fn literals_are_known_by_another_spelling() {
    let sizes = json!({"type": "string", "enum": ["very_large", "small", "SMALL"]});
    check(sizes.clone(), json!("Very-Large"), json!("very_large"));
    check(sizes.clone(), json!("Small"), json!("Small"));
    check(sizes, json!("tiny"), json!("tiny"));
    check(json!({"enum": [1, 2]}), json!("2"), json!(2));
    check(json!({"enum": ["1", "2"]}), json!(2), json!("2"));
    // A hyphen may be a sign, and mean something at the beginning.
    let order = json!({"enum": ["-date", "name", "-"]});
    check(order.clone(), json!("date"), json!("date"));
    check(order, json!(""), json!(""));
    let zones = json!({"enum": ["UTC-5", "UTC+5"]});
    check(zones, json!("UTC5"), json!("UTC5"));
}

#[test]
fn very_many_names_come_to_an_end() {
    let schema = json!({
        "type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
    });
    let names = (0..200_000).map(|number| format!("\"{number}_A\":0"));
    let arguments = format!("{{{}}}", names.collect::<Vec<_>>().join(","));
    assert_eq!(repair(&schema, &arguments), None);
}

#[test]
fn a_choice_is_made_where_there_is_one() {
    let maybe = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
    check(maybe.clone(), json!("3"), json!(3));
    check(maybe, json!("x"), json!("x"));
    let either = json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]});
    check(either, json!("true"), json!(true));
    // It could be the number or the list of it.
    let one_or_many = json!({"anyOf": [
        {"type": "integer"}, {"type": "array", "items": {"type": "integer"}},
    ]});
    check(one_or_many, json!("3"), json!("3"));
    let shape = |tag: &str, val: Value| {
        json!({
            "type": "object", "properties": {"tag": {"const": tag}, "val": val},
            "required": ["tag", "val"], "additionalProperties": false,
        })
    };
    let shapes = json!({"oneOf": [
        shape("circle", json!({"type": "number"})),
        shape("name", json!({"type": "string"})),
    ]});
    let written = json!({"tag": "Circle", "val": "2.5"});
    check(
        shapes.clone(),
        written,
        json!({"tag": "circle", "val": 2.5}),
    );
    check(
        shapes,
        json!({"tag": "NAME", "val": 3}),
        json!({"tag": "name", "val": "3"}),
    );
    // Wide numbers may be strings, so a string is nothing to mend.
    check(
        json!({"type": ["integer", "string"]}),
        json!("3"),
        json!("3"),
    );
}

#[track_caller]
fn check_arguments(schema: &Value, written: &str, expect: Option<(&str, &str)>) {
    let read = repair(schema, written);
    let read = read
        .as_ref()
        .map(|r| (r.arguments.as_str(), r.note.as_str()));
    let noted = expect.map(|(arguments, note)| {
        let note =
            format!("Some arguments were read differently from how they were written: {note}.");
        (arguments, note)
    });
    let expect = noted
        .as_ref()
        .map(|(arguments, note)| (*arguments, note.as_str()));
    assert_eq!(read, expect, "{written}");
}

#[test]
fn names_and_whole_arguments_are_read_as_they_were_meant() {
    let schema = json!({
        "type": "object",
        "properties": {
            "max_items": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}},
            "point": {"$ref": "#/$defs/point"},
        },
        "required": ["max_items"], "additionalProperties": false,
        "$defs": {"point": {
            "type": "object", "properties": {"x": {"type": "integer"}, "X_": {"type": "integer"}},
            "additionalProperties": false,
        }},
    });
    for (written, expect) in [
        (r#"{"max_items":1}"#, None),
        (r#"{"max_items":1,"max_items":2}"#, None),
        (r#"{"max_items":12345678901234567890123}"#, None),
        (r#"{"nope":1}"#, None),
        ("[1]", None),
        ("", None),
        ("{", None),
        (
            r#"{"maxItems":"1"}"#,
            Some((
                r#"{"max_items":1}"#,
                "`maxItems` as `max_items`; `max_items` as a number",
            )),
        ),
        // Which of the two was meant cannot be told.
        (r#"{"maxItems":1,"MaxItems":2}"#, None),
        (r#"{"max_items":1,"point":{"x-":1}}"#, None),
        (
            r#"{"max_items":1,"tags":null}"#,
            Some((r#"{"max_items":1}"#, "`tags` as left out, not null")),
        ),
        (
            r#"{"max_items":1,"point":{"x":"2"}}"#,
            Some((
                r#"{"max_items":1,"point":{"x":2}}"#,
                "`point.x` as a number",
            )),
        ),
        (
            r#"{"max_items":1,"tags":["a",7]}"#,
            Some((
                r#"{"max_items":1,"tags":["a","7"]}"#,
                "`tags[1]` as a string",
            )),
        ),
        (
            r#""{\"max_items\": 1}""#,
            Some((
                r#"{"max_items":1}"#,
                "the arguments as the object that their text holds",
            )),
        ),
        (
            "```json\n{\"max_items\": 1}\n```",
            Some((
                r#"{"max_items":1}"#,
                "the arguments as the object that their text holds",
            )),
        ),
    ] {
        check_arguments(&schema, written, expect);
    }
}

#[test]
fn a_note_is_one_short_line() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let name = "x\n".repeat(100);
    let written: Value = (0..9).map(|n| (format!("{n}{name}"), json!("1"))).collect();
    let note = repair(&schema, &written.to_string()).unwrap().note;
    assert!(note.ends_with("; and 4 more."), "{note}");
    assert!(!note.contains('\n') && note.len() < 800, "{note}");
}

#[test]
fn work_is_bounded() {
    // Every level doubles what could be tried.
    let mut schema = json!({"type": "integer"});
    let mut value = json!("x");
    for _ in 0..40 {
        schema = json!({"anyOf": [
            {"type": "array", "items": schema}, {"type": "array", "items": schema},
        ]});
        if schema.to_string().len() > 100_000 {
            schema = json!({"$ref": "#/$defs/a", "$defs": {"a": schema}});
            break;
        }
        value = json!([value]);
    }
    assert_eq!(repair(&schema, &json!({ "a": value }).to_string()), None);
    let circle = json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [
        {"$ref": "#/$defs/a"}, {"type": "array", "items": {"$ref": "#/$defs/a"}},
    ]}}});
    let mut nested = "3".to_owned();
    for _ in 0..12 {
        nested = json!([nested]).to_string();
    }
    let written = format!(r#"{{"a":{nested}}}"#);
    assert_eq!(repair(&circle, &written), None);
}

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({})),
        Just(json!({"type": "string"})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({"$ref": "#/$defs/d"})),
        (-3i64..3, -3i64..9)
            .prop_map(|(a, b)| json!({"type": "integer", "minimum": a, "maximum": b})),
        (-3i64..3, 1i64..4)
            .prop_map(|(a, b)| json!({"exclusiveMinimum": a, "type": "number", "multipleOf": b})),
        (0u8..3, 1u8..7)
            .prop_map(|(a, b)| json!({"type": "string", "minLength": a, "maxLength": b})),
        Just(json!({"type": ["integer", "string"], "minimum": 2, "pattern": "^[0-9]$"})),
        Just(json!({"enum": ["a_b", 1, "A-B", null]})),
        Just(json!({"type": "integer", "enum": ["x", 2]})),
        Just(json!({"const": "c-d"})),
        Just(json!({"type": "string", "format": "date"})),
        Just(json!({"type": "string", "pattern": "^z"})),
        Just(json!({"not": {"type": "string"}})),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let names = prop::sample::subsequence(vec!["a", "b", "x_y", "X-Y"], 0..4);
        prop_oneof![
            (
                inner.clone(),
                0u8..3,
                prop::option::of(0u8..3),
                any::<bool>()
            )
                .prop_map(|(item, least, most, set)| {
                    let mut list = json!({"type": "array", "items": item, "minItems": least});
                    if let Some(most) = most {
                        list["maxItems"] = most.into();
                    }
                    list["uniqueItems"] = set.into();
                    list
                }),
            prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|items| json!({"type": "array", "prefixItems": items, "items": false})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|nodes| json!({"anyOf": nodes})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|nodes| json!({"oneOf": nodes})),
            (
                names.clone(),
                names,
                inner.clone(),
                inner,
                0u8..5,
                any::<bool>()
            )
                .prop_map(|(properties, required, one, other, rest, typed)| {
                    let mut object = json!({"required": required, "properties": {}});
                    for (place, name) in properties.into_iter().enumerate() {
                        let node = if place % 2 == 0 { &one } else { &other };
                        object["properties"][name] = node.clone();
                    }
                    match rest {
                        0 | 1 => object["additionalProperties"] = json!(false),
                        2 => object["additionalProperties"] = other,
                        3 => object["patternProperties"] = json!({"^x": true}),
                        _ => {}
                    }
                    if typed {
                        object["type"] = json!("object");
                    }
                    object
                }),
        ]
    })
    .prop_map(|mut schema| {
        if let Some(keywords) = schema.as_object_mut() {
            let definition = json!({"type": "array", "items": {"type": "integer"}});
            keywords.insert("$defs".into(), json!({ "d": definition }));
        }
        schema
    })
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..9).prop_map(Value::from),
        Just(json!(1.0)),
        Just(json!(2.5)),
        prop::sample::select(vec![
            "",
            "3",
            "true",
            "A_B",
            "c-D",
            "[1]",
            "{\"a\":\"1\"}",
            "z"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let names = prop::sample::select(vec!["a", "A", "b", "x_y", "xY", "q"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((names.prop_map(str::to_owned), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_is_valid_stays(schema in schemas(), value in values()) {
        let definitions = schema.get("$defs").cloned().unwrap_or_else(|| json!({}));
        let root = json!({"type": "object", "properties": {"v": schema}, "$defs": definitions});
        let arguments = json!({ "v": value });
        let validator = jsonschema::validator_for(&root).unwrap();
        let read = repair(&root, &arguments.to_string());
        if validator.is_valid(&arguments) {
            prop_assert_eq!(read, None);
        } else if let Some(read) = read {
            prop_assert!(serde_json::from_str::<Value>(&read.arguments).unwrap().is_object());
        }
    }

    #[test]
    fn any_text_is_survived(schema in schemas(), text in "[\\[\\]{}:,\"a0-9`\\\\ ntjso.e-]{0,40}") {
        let _ = repair(&schema, &text);
    }

    #[test]
    fn examples_are_valid(schema in schemas()) {
        let validator = jsonschema::validator_for(&schema).unwrap();
        if let Some(example) = example(&schema) {
            prop_assert!(validator.is_valid(&example), "{} {}", schema, example);
            if example.is_object() {
                prop_assert_eq!(repair(&schema, &example.to_string()), None);
            }
        }
    }
}

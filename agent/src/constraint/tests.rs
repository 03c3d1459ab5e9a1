//! Tests of compiled constraints: the texts they accept in every format, losses and errors.

mod emulation;
mod gbnf;
mod matchers;
mod properties;
mod random_schemas;
mod requests_and_answers;

use serde_json::{Value, json};
use tool_hub_manifest::FunctionSpec;

use super::*;
use matchers::Matchers;

fn weather() -> FunctionSpec {
    spec(
        "get_weather",
        json!({
            "type": "object",
            "properties": {
                "location": {"type": "string"},
                "format": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                "days": {"type": "integer", "minimum": 1, "maximum": 14},
            },
            "required": ["location", "format"],
            "additionalProperties": false,
        }),
    )
}

fn spec(name: &str, input_schema: Value) -> FunctionSpec {
    FunctionSpec {
        name: name.to_owned(),
        title: None,
        description: "Does it.".to_owned(),
        input_schema,
        output_schema: None,
        annotations: tool_hub_manifest::Annotations::default(),
    }
}

/// Texts that a schema takes and refuses, in every format that can say it.
#[track_caller]
fn check(schema: Value, accepted: &[&str], refused: &[&str]) {
    let matchers = Matchers::of(&Constraint::json_schema(schema));
    for text in accepted {
        matchers.agree(text, true);
    }
    for text in refused {
        matchers.agree(text, false);
    }
}

#[test]
fn a_grammar_reads_as_one_would_write_it() {
    let schema = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "maxLength": 3},
            "unit": {"enum": ["c", "f"]},
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
        },
        "required": ["unit"],
    });
    let constraint = Constraint::json_schema(schema);
    let compiled = |format| constraint.compile(format).unwrap().text;
    let lark = compiled(Format::Lark);
    let lines: Vec<&str> = lark
        .lines()
        .filter(|line| !line.starts_with("STRING"))
        .collect();
    assert_eq!(
        lines,
        [
            "start: value",
            "COLON: /: ?/",
            "UNIT: /\"c\"|\"f\"/",
            "INTEGER: /[1-9]|1[0-4]/",
            "COMMA: /, ?/",
            "value: \"{\" (\"\\\"city\\\"\" COLON STRING COMMA)? \"\\\"unit\\\"\" COLON UNIT \
             (COMMA \"\\\"days\\\"\" COLON INTEGER)? \"}\"",
        ]
    );
    let gbnf = compiled(Format::Gbnf);
    assert!(gbnf.starts_with("root ::= value\n"), "{gbnf}");
    assert!(gbnf.contains("integer ::= [1-9] | \"1\" [0-4]\n"), "{gbnf}");
    let regex = compiled(Format::Regex);
    assert!(
        regex.ends_with(r#""unit": ?(?:"c"|"f")(?:, ?"days": ?(?:[1-9]|1[0-4]))?\}"#),
        "{regex}"
    );
}

#[test]
fn what_no_value_is_valid_for_is_left_out_where_it_may_be() {
    let sloppy = json!({"type": "boolean", "enum": ["True", "False"]});
    let object = |required: Value| {
        json!({
            "type": "object",
            "properties": {"city": {"type": "string"}, "is_metric": sloppy, "by": {"$ref": "#/$defs/by"}},
            "required": required,
            "$defs": {"by": {"type": "object", "properties": {"x": sloppy}, "required": ["x"]}},
        })
    };
    let either = json!({"anyOf": [sloppy, {"type": "null"}]});
    for format in [Format::Lark, Format::Gbnf, Format::Regex] {
        let compile = |schema: Value| Constraint::json_schema(schema).compile(format);
        let compiled = compile(object(json!(["city"]))).unwrap();
        let text = &compiled.text;
        assert!(
            text.contains("city") && !text.contains("is_metric") && !text.contains("COLON by"),
            "{text}"
        );
        let reported: Vec<String> = compiled.losses.iter().map(ToString::to_string).collect();
        assert_eq!(reported.len(), 2);
        assert!(
            reported[0]
                .ends_with("no value is valid at `/properties/is_metric`, so it is left out"),
            "{reported:?}"
        );
        assert_eq!(compile(either.clone()).unwrap().losses.len(), 1);
        let needed = compile(object(json!(["is_metric"]))).unwrap_err();
        assert!(
            matches!(needed, ConstraintError::Nothing { .. }),
            "{needed}"
        );
    }
}

#[test]
fn members_come_in_order_and_some_may_be_left_out() {
    let optional = json!({"type": "object", "properties": {
        "a": {"type": "boolean"}, "b": {"type": "null"}, "c": {"type": "boolean"},
    }});
    check(
        optional,
        &[
            "{}",
            r#"{"a":true}"#,
            r#"{"b":null, "c": false}"#,
            r#"{"a":true,"b":null,"c":true}"#,
        ],
        &[
            r#"{"c":true,"a":true}"#,
            r#"{,"a":true}"#,
            r#"{"a":true,}"#,
            r#"{"d":1}"#,
            r#"{"a" :true}"#,
            " {}",
        ],
    );
    let between = json!({"type": "object", "required": ["b"], "properties": {
        "a": {"type": "boolean"}, "b": {"type": "null"}, "c": {"type": "boolean"},
    }});
    check(
        between,
        &[
            r#"{"b":null}"#,
            r#"{"a":true, "b":null}"#,
            r#"{"b":null,"c":true}"#,
        ],
        &[
            "{}",
            r#"{"a":true}"#,
            r#"{"a":true,"c":true}"#,
            r#"{"b":null,}"#,
        ],
    );
}

#[test]
fn strings_are_counted_in_characters_however_they_are_escaped() {
    check(
        json!({"type": "string", "minLength": 2, "maxLength": 3}),
        &[
            r#""ab""#,
            r#""äöü""#,
            r#""😀\ud83d\ude00""#,
            r#""\n\"\u00e9""#,
            "\"/\u{7f}\"",
        ],
        &[
            r#""a""#,
            r#""abcd""#,
            r#""\ud83d\ud83d""#,
            r#""\ude00a""#,
            "\"a\nb\"",
            r#""\x""#,
            "ab",
        ],
    );
    check(
        json!({"type": "string", "pattern": "^[a-z\"]{2}\\d?$"}),
        &[r#""ab""#, r#""a\"7""#],
        &[r#""a""#, r#""ab77""#, r#""a"b""#, r#""AB""#],
    );
    check(
        json!({"type": "string", "pattern": "a/b|^\\$"}),
        &[r#""xa/by""#, r#""$""#, r#""$1""#],
        &[r#""ab""#, r#""1$""#, r#""""#],
    );
    check(
        json!({"type": "string", "contentEncoding": "base64"}),
        &[r#""""#, r#""aGk=""#, r#""AAAA+/==""#],
        &[r#""a""#, r#""aGk""#, r#""a-k=""#, r#""====""#],
    );
}

#[test]
fn bounds_of_numbers_are_held() {
    check(
        json!({"type": "integer", "minimum": -2.5, "exclusiveMaximum": 3}),
        &["-2", "0", "2"],
        &["-3", "3", "-0", "1.0", "1e0"],
    );
    check(
        json!({"type": "integer", "exclusiveMinimum": 99, "maximum": 1000.0}),
        &["100", "1000"],
        &["99", "1001", "0100"],
    );
    check(
        json!({"type": "number", "minimum": 0}),
        &["0", "0.5", "1e-7"],
        &["-1", "-0.0"],
    );
}

#[test]
fn lists_sets_and_tuples_are_counted() {
    check(
        json!({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3}),
        &["[1]", "[1, 2,3]"],
        &["[]", "[1,2,3,4]", "[1,]", "[true]", "[1.0]", "[01]"],
    );
    check(
        json!({"type": "array", "items": {"enum": ["r", "w", "x"]}, "uniqueItems": true}),
        &["[]", r#"["r","x"]"#, r#"["w"]"#, r#"["r", "w", "x"]"#],
        &[r#"["r","r"]"#, r#"["x","r"]"#, r#"["y"]"#, "["],
    );
    let pair = json!({"type": "array", "prefixItems": [{"type": "boolean"}, {"type": "null"}],
        "items": false, "minItems": 2, "maxItems": 2});
    check(
        pair,
        &["[true,null]"],
        &["[true]", "[null,true]", "[true,null,null]"],
    );
    check(json!({"type": "array", "maxItems": 0}), &["[]"], &["[0]"]);
    check(
        json!({"type": "object", "additionalProperties": {"type": "null"}}),
        &["{}", r#"{"a":null, "\"": null}"#],
        &[r#"{"a":1}"#, r#"{a:null}"#],
    );
}

#[test]
fn values_of_any_depth_are_for_grammars_only() {
    let tree = json!({
        "$ref": "#/$defs/tree",
        "$defs": {"tree": {"type": "object", "required": ["of"], "properties": {
            "of": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
        }}},
    });
    check(
        tree.clone(),
        &[r#"{"of":[]}"#, r#"{"of":[{"of":[]}, {"of":[{"of":[]}]}]}"#],
        &["{}", r#"{"of":[1]}"#, r#"{"of":[{"of":[]}"#],
    );
    let regex = Constraint::json_schema(tree).compile(Format::Regex);
    assert_eq!(
        regex,
        Err(ConstraintError::Recursive {
            rule: "tree".to_owned()
        })
    );
    check(
        json!({}),
        &["null", "[1, {\"a\": [true]}]", "-0.5e7", "\"x\""],
        &["nul", "[1,]", "{1:2}", "01"],
    );
}

#[test]
fn what_cannot_be_held_is_told_and_what_cannot_be_said_is_refused() {
    let compile = |schema| Constraint::json_schema(schema).compile(Format::Gbnf);
    let losses = |schema| -> Vec<String> {
        let losses = compile(schema).unwrap().losses;
        losses.iter().map(ToString::to_string).collect()
    };
    let schema = json!({"type": "object", "properties": {
        "n": {"type": "number", "minimum": 2.5},
        "m": {"type": "integer", "multipleOf": 5, "minLength": 3},
        "s": {"type": "string", "maxLength": 1000, "format": "date"},
        "l": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
    }, "additionalProperties": {"type": "null"}});
    assert_eq!(
        losses(schema),
        [
            "the value: less may be written than `additionalProperties` allows",
            "the value: `minimum` at `/properties/n` is weakened",
            "the value: `multipleOf` at `/properties/m` is weakened",
            "the value: `format` at `/properties/s` is weakened",
            "the value: `maxLength` at `/properties/s` is weakened",
            "the value: `uniqueItems` at `/properties/l` is weakened",
        ]
    );
    for (schema, message) in [
        (
            json!({"properties": {"a": {"allOf": [{"type": "null"}]}}}),
            "no grammar can enforce `allOf` at `/properties/a`: leave it out or express it otherwise",
        ),
        (
            json!({"$ref": "https://example.com/s"}),
            "no grammar can enforce `$ref`: leave it out or express it otherwise",
        ),
        (
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}),
            "no grammar can enforce `$ref`: leave it out or express it otherwise",
        ),
        (
            json!({"type": "integer", "minimum": 3, "maximum": 2}),
            "no value is valid",
        ),
        (json!({"type": "string", "enum": [1]}), "no value is valid"),
    ] {
        assert_eq!(compile(schema).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_schema_too_large_is_refused_in_time() {
    let deep = (0..200).fold(
        json!({"type": "null"}),
        |inner, _| json!({"type": "array", "items": inner}),
    );
    let wide: serde_json::Map<String, Value> = (0..20_000)
        .map(|n| (format!("m{n}"), json!({"type": "null"})))
        .collect();
    for schema in [deep, json!({"type": "object", "properties": wide})] {
        for format in [Format::Regex, Format::Gbnf, Format::Lark] {
            let compiled = Constraint::json_schema(schema.clone()).compile(format);
            assert!(
                matches!(compiled, Err(ConstraintError::TooLarge { .. })),
                "{format}"
            );
        }
    }
    // A regular expression repeats what the members of an object without required ones share.
    let nested = (0..4).fold(json!({"type": "null"}), |inner, _| {
        let members: serde_json::Map<String, Value> =
            (0..6).map(|n| (format!("m{n}"), inner.clone())).collect();
        json!({"type": "object", "properties": members})
    });
    let nested = Constraint::json_schema(nested);
    assert!(nested.compile(Format::Gbnf).is_ok());
    let regex = nested.compile(Format::Regex).unwrap_err();
    assert_eq!(
        regex.to_string(),
        "there are more than 262144 bytes of regular expression"
    );
}

#[test]
fn texts_and_regular_expressions_have_grammars_too() {
    let unseen = Constraint::choice(["\u{1b}[2J\u{202e}\u{e0041}\u{9b}", "\u{feff}"]);
    for format in [Format::Regex, Format::Gbnf, Format::Lark] {
        let text = unseen.compile(format).unwrap().text;
        assert!(
            text.trim_end()
                .chars()
                .all(|c| (' '..='~').contains(&c) || c == '\n'),
            "{text}"
        );
    }
    let unseen = Matchers::of(&unseen);
    unseen.agree("\u{1b}[2J\u{202e}\u{e0041}\u{9b}", true);
    unseen.agree("\u{feff}", true);
    unseen.agree("[2J", false);
    let choice = Matchers::of(&Constraint::choice(["a", "ab", "\"q\"\n/\\", "*"]));
    for (text, is_accepted) in [
        ("a", true),
        ("ab", true),
        ("\"q\"\n/\\", true),
        ("*", true),
        ("abc", false),
        ("b", false),
    ] {
        choice.agree(text, is_accepted);
    }
    let section = "(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)";
    let regex = format!("HELLO\\.{section}\\.WORLD\\.{section}");
    let regex = Matchers::of(&Constraint::regex(regex));
    regex.agree("HELLO.255.WORLD.0", true);
    regex.agree("HELLO.256.WORLD.0", false);
    regex.agree("HELLO.255.WORLD.0 ", false);
    let looking = Constraint::regex("(?=a)b")
        .compile(Format::Gbnf)
        .unwrap_err();
    assert_eq!(
        looking.to_string(),
        "the regular expression cannot be written in gbnf: it is invalid or uses look-around"
    );
    let own = Constraint::lark("start: \"a\"")
        .compile(Format::Gbnf)
        .unwrap_err();
    assert_eq!(
        own.to_string(),
        "a grammar in lark cannot be written in gbnf"
    );
}

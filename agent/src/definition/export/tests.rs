//! Tests of exported definitions in every dialect, and of the losses that are reported.

use serde_json::{Value, json};
use tool_hub_manifest::{Annotations, FunctionSpec};

use super::*;

fn full() -> FunctionSpec {
    FunctionSpec {
        name: "text_stats__count_words".into(),
        title: Some("Count words".into()),
        description: "Counts the words of `text`.".into(),
        input_schema: json!({
            "type": "object",
            "properties": {"text": {"type": "string", "description": "UTF-8."}},
            "required": ["text"],
        }),
        output_schema: Some(json!({"type": "integer", "minimum": 0, "description": "Words."})),
        annotations: Annotations {
            read_only: Some(true),
            destructive: None,
            idempotent: Some(true),
            open_world: Some(false),
        },
    }
}

const OPENAIS: [Dialect; 4] = [
    Dialect::OpenAi,
    Dialect::OpenAiStrict,
    Dialect::Responses,
    Dialect::ResponsesStrict,
];

fn bare() -> FunctionSpec {
    FunctionSpec {
        name: "now".into(),
        title: None,
        description: "Tells the time.".into(),
        input_schema: json!({"type": "object", "properties": {}}),
        output_schema: None,
        annotations: Annotations::default(),
    }
}

#[track_caller]
fn check(spec: FunctionSpec, dialect: Dialect, definition: Value, losses: &[&str]) {
    let export = export(std::slice::from_ref(&spec), dialect);
    // Texts, not values: the order of members is part of what people read.
    assert_eq!(export.tools.to_string(), json!([definition]).to_string());
    let reported: Vec<String> = export
        .losses
        .iter()
        .map(|loss| loss.kind.to_string())
        .collect();
    assert_eq!(reported, losses);
    assert!(export.losses.iter().all(|loss| loss.function == spec.name));
}

#[test]
fn openai() {
    check(
        full(),
        Dialect::OpenAi,
        json!({
            "type": "function",
            "function": {
                "name": "text_stats__count_words",
                "description": "Counts the words of `text`.",
                "parameters": {
                    "type": "object",
                    "properties": {"text": {"type": "string", "description": "UTF-8."}},
                    "required": ["text"],
                },
            },
        }),
        &[
            "the title is left out",
            "the behaviour hints are left out",
            "the output schema is left out",
        ],
    );
}

#[test]
fn responses() {
    let losses = [
        "the title is left out",
        "the behaviour hints are left out",
        "the output schema is left out",
    ];
    let with = |name: &str, value: Value| {
        let mut parameters = full().input_schema;
        parameters[name] = value;
        parameters
    };
    for (dialect, parameters, strict) in [
        (Dialect::Responses, full().input_schema, false),
        (
            Dialect::ResponsesStrict,
            with("additionalProperties", json!(false)),
            true,
        ),
    ] {
        let definition = json!({
            "type": "function",
            "name": "text_stats__count_words",
            "description": "Counts the words of `text`.",
            "parameters": parameters,
            "strict": strict,
        });
        check(full(), dialect, definition, &losses);
    }
}

#[test]
fn anthropic() {
    check(
        full(),
        Dialect::Anthropic,
        json!({
            "name": "text_stats__count_words",
            "description": "Counts the words of `text`.",
            "input_schema": {
                "type": "object",
                "properties": {"text": {"type": "string", "description": "UTF-8."}},
                "required": ["text"],
            },
        }),
        &[
            "the title is left out",
            "the behaviour hints are left out",
            "the output schema is left out",
        ],
    );
}

#[test]
fn mcp() {
    check(
        full(),
        Dialect::Mcp,
        json!({
            "name": "text_stats__count_words",
            "title": "Count words",
            "description": "Counts the words of `text`.",
            "inputSchema": {
                "type": "object",
                "properties": {"text": {"type": "string", "description": "UTF-8."}},
                "required": ["text"],
            },
            "outputSchema": {
                "type": "object",
                "properties": {"result": {"type": "integer", "minimum": 0, "description": "Words."}},
                "required": ["result"],
            },
            "annotations": {"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false},
        }),
        &[],
    );
}

#[test]
fn hf() {
    check(
        full(),
        Dialect::HuggingFace,
        json!({
            "type": "function",
            "function": {
                "name": "text_stats__count_words",
                "description": "Counts the words of `text`.",
                "parameters": {
                    "type": "object",
                    "properties": {"text": {"type": "string", "description": "UTF-8."}},
                    "required": ["text"],
                },
                "return": {"type": "integer", "minimum": 0, "description": "Words."},
            },
        }),
        &["the title is left out", "the behaviour hints are left out"],
    );
}

#[test]
fn a_bare_function_loses_nothing() {
    let parameters = json!({"type": "object", "properties": {}});
    let nested = json!({
        "type": "function",
        "function": {"name": "now", "description": "Tells the time.", "parameters": parameters},
    });
    check(bare(), Dialect::OpenAi, nested.clone(), &[]);
    check(bare(), Dialect::HuggingFace, nested, &[]);
    check(
        bare(),
        Dialect::Anthropic,
        json!({"name": "now", "description": "Tells the time.", "input_schema": parameters}),
        &[],
    );
    check(
        bare(),
        Dialect::Mcp,
        json!({"name": "now", "description": "Tells the time.", "inputSchema": parameters}),
        &[],
    );
}

#[test]
fn a_name_that_a_consumer_refuses_is_reported_and_kept() {
    for (name, dialects) in [
        ("a".repeat(65), &OPENAIS[..]),
        (
            "a.b".into(),
            &[&OPENAIS[..], &[Dialect::Anthropic]].concat(),
        ),
        (
            "a b".into(),
            &[&OPENAIS[..], &[Dialect::Anthropic, Dialect::Mcp]].concat(),
        ),
    ] {
        for &dialect in Dialect::ALL {
            let spec = FunctionSpec {
                name: name.clone(),
                ..bare()
            };
            let export = export(&[spec], dialect);
            let refused = export.losses.iter().any(|loss| loss.kind.is_refusal());
            assert_eq!(refused, dialects.contains(&dialect), "{name} {dialect}");
            assert!(export.tools.to_string().contains(&name));
        }
    }
}

#[test]
fn openai_cuts_a_long_description_at_a_word() {
    for (description, expect) in [
        ("é".repeat(1024), "é".repeat(1024)),
        ("é".repeat(1025), format!("{}…", "é".repeat(1023))),
        (
            format!("{} word", "x".repeat(1020)),
            format!("{}…", "x".repeat(1020)),
        ),
    ] {
        let cut = expect != description;
        let spec = FunctionSpec {
            description,
            ..bare()
        };
        let export = export(&[spec], Dialect::OpenAi);
        assert_eq!(export.tools[0]["function"]["description"], expect);
        assert!(expect.chars().count() <= 1024);
        assert_eq!(export.losses.len(), usize::from(cut));
    }
}

#[test]
fn openai_gets_tuples_as_arrays_with_items() {
    let pair = json!({
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "string"}],
        "items": false, "minItems": 2, "maxItems": 2,
    });
    let same = json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]});
    // A property may be called like a keyword, and a sample value may look like a schema.
    let data = json!({"type": "object", "examples": [{"prefixItems": []}]});
    let spec = FunctionSpec {
        input_schema: json!({"type": "object", "properties": {"a/b": pair, "c": {"items": same}, "prefixItems": data}}),
        ..bare()
    };
    let export = export(&[spec], Dialect::OpenAi);
    assert_eq!(
        export.tools[0]["function"]["parameters"]["properties"],
        json!({
            "a/b": {
                "type": "array",
                "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "minItems": 2, "maxItems": 2,
            },
            "c": {"items": {"type": "array", "items": {"type": "integer"}}},
            "prefixItems": {"type": "object", "examples": [{"prefixItems": []}]},
        })
    );
    let reported: Vec<String> = export.losses.iter().map(Loss::to_string).collect();
    assert_eq!(
        reported,
        [
            "now: `prefixItems` at `/properties/a~1b` is weakened",
            "now: `prefixItems` at `/properties/c/items` is weakened",
        ]
    );
}

#[test]
fn a_root_that_is_a_choice_is_reported() {
    let spec = FunctionSpec {
        input_schema: json!({"type": "object", "oneOf": []}),
        ..bare()
    };
    for (dialect, refused) in [
        (Dialect::OpenAi, true),
        (Dialect::Anthropic, true),
        (Dialect::Mcp, false),
        (Dialect::HuggingFace, false),
    ] {
        let export = export(std::slice::from_ref(&spec), dialect);
        assert_eq!(!export.losses.is_empty(), refused, "{dialect}");
    }
}

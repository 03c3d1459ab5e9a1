//! Tests of the text of TypeScript and Python declarations, and of converting names to identifiers.
//! End-to-end tests elsewhere run the compilers.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_hub_manifest::{Annotations, FunctionSpec};

use super::*;

fn spec(name: &str, description: &str, input: Value, output: Value) -> FunctionSpec {
    FunctionSpec {
        name: name.into(),
        title: None,
        description: description.into(),
        input_schema: input,
        output_schema: Some(output),
        annotations: Annotations::default(),
    }
}

fn forecast() -> FunctionSpec {
    spec(
        "forecast",
        "Tells the weather.\nOf tomorrow.",
        json!({"type": "object", "properties": {
            "place": {"type": "object", "description": "Where.", "properties": {
                "lat-lon": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}],
                    "items": false},
                "unit": {"enum": ["c", "f"]},
            }, "required": ["lat-lon"], "additionalProperties": false},
            "days": {"type": ["integer", "string"], "minimum": 0, "maximum": u64::MAX,
                "pattern": "^[0-9]{1,20}$", "description": "How many."},
            "class": {"type": "string", "minLength": 1},
        }, "required": ["place"], "additionalProperties": false}),
        json!({"type": "object", "additionalProperties": {"anyOf": [{"type": "number"}, {"type": "null"}]}}),
    )
}

fn reported(declarations: &Declarations) -> Vec<String> {
    declarations.losses.iter().map(Loss::to_string).collect()
}

#[test]
fn typescript() {
    let declared = declare(&[forecast()], Language::TypeScript);
    assert_eq!(
        declared.text,
        r#"// The functions of a toolbox. Each takes its arguments as one object.

/**
 * Tells the weather.
 * Of tomorrow.
 */
export declare function forecast(args: {
  /** Where. */
  place: {
    "lat-lon": [number, number];
    unit?: "c" | "f";
  };
  /** How many. */
  days?: number | string;
  /** `minLength`: 1. */
  class?: string;
}): Promise<{ [key: string]: number | null }>;

export {};
"#
    );
    assert_eq!(reported(&declared), [""; 0]);
}

#[test]
fn python() {
    let declared = declare(&[forecast()], Language::Python);
    assert_eq!(
        declared.text,
        r#"#: The functions of a toolbox. Arguments are given by name.

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

ForecastPlace = TypedDict(
    "ForecastPlace",
    {
        "lat-lon": tuple[float, float],
        "unit": NotRequired[Literal["c"] | Literal["f"]],
    },
)

def forecast(*, place: ForecastPlace, days: int | str = ..., class_: str = ...) -> dict[str, float | None]:
    """
    Tells the weather.
    Of tomorrow.

    place: Where.
    days: How many.
    class_: `minLength`: 1.
    """
    ...
"#
    );
    assert_eq!(
        reported(&declared),
        ["forecast: the name at `/properties/class` becomes `class_`"]
    );
}

#[test]
fn no_text_ends_its_comment() {
    let hostile = "*/ evil() /*\r\n@ts-ignore\u{2028}\"\"\"\nevil()\n\"\"\"\" \\\u{202e}\u{0}";
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "description": hostile},
        "b": {"type": "object", "properties": {"c": {"description": "type: ignore\nevil()"}}}}});
    let specs = [spec(
        "f",
        hostile,
        schema,
        json!({"enum": ["\"\u{2028}\u{1f600}"]}),
    )];
    let text = declare(&specs, Language::TypeScript).text;
    assert_eq!(
        text.matches("*/").count(),
        text.matches("/**").count(),
        "{text}"
    );
    assert!(text.contains("\\@ts-ignore"), "{text}");
    assert!(text.contains(r#""\"\u2028\u{1f600}""#), "{text}");
    let text = declare(&specs, Language::Python).text;
    assert_eq!(text.matches("\"\"\"").count(), 2, "{text}");
    assert!(text.contains(r#""\"\u2028\U0001f600""#), "{text}");
    assert!(
        text.contains("        #: type: ignore\n        #: evil()\n"),
        "{text}"
    );
    assert!(
        !text.contains(['\u{202e}', '\u{0}', '\u{2028}', '\r']),
        "{text:?}"
    );
}

#[test]
fn what_no_type_says_is_reported() {
    let schema = json!({"type": "object", "properties": {
        "a": {"allOf": [{}, {}]},
        "b": {"type": "object", "properties": {"x": {}}, "additionalProperties": {"type": "null"}},
    }});
    for &language in Language::ALL {
        let specs = [spec("f", "F.", schema.clone(), json!({}))];
        let declared = declare(&specs, language);
        assert_eq!(
            declared.losses.len(),
            2,
            "{language}: {:?}",
            declared.losses
        );
    }
}

#[test]
fn every_name_reads_back() {
    for &language in Language::ALL {
        assert_eq!(language.as_str().parse(), Ok(language));
    }
    assert!("perl".parse::<Language>().is_err());
    for (name, identifier) in [
        ("count_words", "count_words"),
        ("offset_x", "offset_x"),
        ("class", "class_"),
        ("class_", "class__"),
        ("7zip", "_x37_zip"),
        ("a-b", "a_x2d_b"),
        ("a_x2d_b", "a_x5f_x2d_b"),
        ("", "_x_"),
    ] {
        for &language in Language::ALL {
            assert_eq!(language.identifier(name), identifier);
            assert_eq!(language.name(identifier), name);
        }
    }
}

#[test]
fn arguments_are_called_as_they_are_declared() {
    for (language, class, declared) in [
        (Language::TypeScript, "class", "class?: string"),
        (Language::Python, "class_", "class_: str"),
    ] {
        let text = declare(&[forecast()], language).text;
        assert!(text.contains(declared), "{text}");
        assert_eq!(language.argument("class"), class);
        for name in ["class", "class_", "a-b"] {
            assert_eq!(language.argument_name(&language.argument(name)), name);
        }
    }
}

proptest! {
    #[test]
    fn no_two_names_share_an_identifier(name in "(_|x|2d|5f|-|class|é|[a-z0-9_.]){0,6}") {
        for &language in Language::ALL {
            let identifier = language.identifier(&name);
            prop_assert!(identifier.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
            prop_assert!(!identifier.starts_with(|c: char| c.is_ascii_digit()));
            prop_assert_eq!(language.name(&identifier), name.clone(), "{}", identifier);
        }
    }
}

//! Tests with random schemas that compiled constraints accept exactly the valid texts.
//! The crate `jsonschema` judges.

use fastrand::Rng;
use proptest::prelude::*;

use super::random_schemas::{changed, schemas};
use super::*;
use crate::definition::random_arguments::random_value;

/// Compact, and as Python writes it by default.
fn spellings(value: &Value) -> [String; 2] {
    [value.to_string(), spaced(value)]
}

fn spaced(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(spaced).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| format!("{}: {}", escaped(name), spaced(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => escaped(text),
        other => other.to_string(),
    }
}

/// A string in nothing but ASCII.
fn escaped(text: &str) -> String {
    let json = Value::from(text).to_string();
    json.chars()
        .map(|c| match c.is_ascii() {
            true => c.to_string(),
            false => {
                let mut units = [0; 2];
                c.encode_utf16(&mut units)
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}"))
                    .collect()
            }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn exactly_the_valid_values_are_accepted(schema in schemas(), seed in any::<u64>()) {
        let constraint = Constraint::json_schema(schema.clone());
        let matchers = Matchers::of(&constraint);
        let losses = constraint.compile(Format::Lark).unwrap().losses;
        let is_exact = losses.is_empty();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let mut random = Rng::with_seed(seed);
        for _ in 0..6 {
            let value = random_value(&schema, &mut random);
            prop_assert!(validator.is_valid(&value), "{} {}", schema, value);
            for text in spellings(&value) {
                prop_assert!(matchers.accept(&text), "{} {}", schema, text);
                prop_assert_eq!(constraint.check(&text), Ok(value.clone()));
            }
            let other = changed(&value, &mut random);
            let [text, _] = spellings(&other);
            if matchers.accept(&text) && is_exact {
                prop_assert!(validator.is_valid(&other), "{} {}", schema, text);
            }
            // A text with a letter too few.
            let text = value.to_string();
            let at = random.usize(..text.chars().count());
            let cut: String = text.chars().enumerate().filter(|(index, _)| *index != at).map(|(_, c)| c).collect();
            if matchers.accept(&cut) && is_exact {
                let read: Value = serde_json::from_str(&cut).unwrap();
                prop_assert!(validator.is_valid(&read), "{} {}", schema, cut);
            }
        }
    }
}

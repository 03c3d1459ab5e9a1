//! Checks the size of strict schemas against the limits in OpenAI's guide to structured outputs.

use serde_json::Value;

use crate::definition::loss::LossKind;
use crate::definition::report::Report;

const PROPERTIES_MAX: usize = 5_000;
const LEVELS_MAX: usize = 10;
const ENUM_VALUES_MAX: usize = 1_000;
const CHARACTERS_MAX: usize = 120_000;

#[derive(Default)]
struct SchemaSize {
    properties: usize,
    levels: usize,
    enum_values: usize,
    characters: usize,
}

/// Reports what is larger than the mode takes.
pub(super) fn check(strict: &Value, report: &mut Report<'_>) {
    let mut size = SchemaSize::default();
    size.count(strict, 0);
    for (what, count, count_max) in [
        ("properties", size.properties, PROPERTIES_MAX),
        ("levels of nesting", size.levels, LEVELS_MAX),
        ("values of enumerations", size.enum_values, ENUM_VALUES_MAX),
        (
            "characters of names and values",
            size.characters,
            CHARACTERS_MAX,
        ),
    ] {
        if count > count_max {
            report.add(LossKind::TooLarge {
                what,
                count,
                count_max,
            });
        }
    }
}

impl SchemaSize {
    fn count(&mut self, schema: &Value, level: usize) {
        let Some(keywords) = schema.as_object() else {
            return;
        };
        let deeper = match keywords.get("type").and_then(Value::as_str) {
            Some("object" | "array") => level + 1,
            _ => level,
        };
        self.levels = self.levels.max(deeper);
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("properties" | "$defs", Value::Object(schemas)) => {
                    for (name, schema) in schemas {
                        self.properties += usize::from(keyword == "properties");
                        self.characters += name.chars().count();
                        self.count(schema, deeper);
                    }
                }
                ("items", schema) => self.count(schema, deeper),
                ("anyOf", Value::Array(schemas)) => {
                    schemas.iter().for_each(|schema| self.count(schema, level));
                }
                ("enum", Value::Array(values)) => {
                    self.enum_values += values.len();
                    let texts = values.iter().filter_map(Value::as_str);
                    self.characters += texts.map(|text| text.chars().count()).sum::<usize>();
                }
                _ => {}
            }
        }
    }
}

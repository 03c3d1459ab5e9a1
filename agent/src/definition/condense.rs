//! Shortens a function's specification: drops repeated descriptions, simplifies integer types.
//! Approval covers the whole [`FunctionSpec`], from the component and its manifest; requests carry
//! the short form without repetitions.

use serde_json::{Map, Value, json};
use tool_hub_manifest::FunctionSpec;

/// Shortens a function's specification for an agent. Items of the description that repeat an
/// argument's description in the schema are removed, and arguments that are 64-bit integers are
/// described as plain integers. A decimal string is still accepted as one.
#[must_use]
pub fn condense(spec: &FunctionSpec) -> FunctionSpec {
    let mut condensed = spec.clone();
    if let Some(members) = spec.input_schema.get("properties") {
        condensed.description = without_items(&spec.description, |name, text| {
            let told = members[name]["description"].as_str();
            told.is_some_and(|told| told.split_whitespace().eq(text.iter().copied()))
        });
    }
    shorten(&mut condensed.input_schema);
    condensed
}

/// Removes from `text` the list items that describe a name, as in ``- `text`: what to count``, when
/// `is_told` returns true for the name and the words of its description.
fn without_items(text: &str, is_told: impl Fn(&str, &[&str]) -> bool) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut is_whole = true;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let mut whole = vec![line];
        if let Some((name, rest)) = parse_list_item(line) {
            let goes_on = |line: &&str| line.starts_with(' ') && !line.trim().is_empty();
            whole.extend(std::iter::from_fn(|| lines.next_if(goes_on)));
            let words = whole[1..].iter().flat_map(|line| line.split_whitespace());
            let words: Vec<&str> = rest.split_whitespace().chain(words).collect();
            if is_told(name, &words) {
                whole.clear();
                is_whole = false;
            }
        }
        // A removed item leaves no extra blank line.
        let is_gap =
            line.trim().is_empty() && kept.last().is_none_or(|line| line.trim().is_empty());
        if !is_gap {
            kept.extend(whole);
        }
    }
    match is_whole {
        true => text.to_owned(),
        false => kept.join("\n").trim_end().to_owned(),
    }
}

/// Splits a list item into the name that it describes and the description.
fn parse_list_item(line: &str) -> Option<(&str, &str)> {
    let item = line
        .strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))?;
    item.trim_start().strip_prefix('`')?.split_once("`:")
}

/// Makes every 64-bit integer in `schema`, however deep, a plain integer.
fn shorten(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            if is_int64(keywords) {
                keywords.insert("type".to_owned(), json!("integer"));
                for keyword in ["pattern", "maximum"] {
                    keywords.shift_remove(keyword);
                }
                if keywords.get("minimum") != Some(&json!(0)) {
                    keywords.shift_remove("minimum");
                }
            }
            for (keyword, value) in keywords {
                // These keywords hold values, not schemas.
                if !["const", "default", "enum", "examples"].contains(&keyword.as_str()) {
                    shorten(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

/// True for the schema that the host writes for 64-bit integers. It also allows decimal strings
/// because some JSON parsers lose digits of large numbers.
fn is_int64(keywords: &Map<String, Value>) -> bool {
    let is = |keyword: &str, value: Value| keywords.get(keyword) == Some(&value);
    let bounds = |min: Value, max: Value| is("minimum", min) && is("maximum", max);
    is("type", json!(["integer", "string"]))
        && keywords.contains_key("pattern")
        && (bounds(json!(0), json!(u64::MAX)) || bounds(json!(i64::MIN), json!(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_manifest::Annotations;

    fn spec(description: &str, input_schema: Value) -> FunctionSpec {
        FunctionSpec {
            name: "count".into(),
            title: None,
            description: description.into(),
            input_schema,
            output_schema: None,
            annotations: Annotations::default(),
        }
    }

    #[track_caller]
    fn check(description: &str, expect: &str) {
        let schema = json!({"type": "object", "properties": {
            "text": {"type": "string", "description": "what to count, at most 8 MiB."},
            "limit": {"type": "integer", "description": "how many at most."},
            "bare": {"type": "integer"},
        }});
        let condensed = condense(&spec(description, schema.clone()));
        assert_eq!(condensed.description, expect);
        assert_eq!(condensed.input_schema, schema);
    }

    #[test]
    fn arguments_are_described_once() {
        check(
            "Counts.\n\n- `text`: what to count,\n  at most 8 MiB.\n- `limit`: how many at most.\n\n\
             Example: `a b` gives 2.",
            "Counts.\n\nExample: `a b` gives 2.",
        );
        check(
            "Counts.\n\n* `text`: what to count, at most 8 MiB.",
            "Counts.",
        );
        check("- `limit`: how many at most.\nCounts.", "Counts.");
    }

    #[test]
    fn what_the_schema_does_not_say_stays() {
        for description in [
            "",
            "Counts.",
            "Counts.\n\n- `text`: something else.",
            "Counts.\n\n- `bare`: how many.\n- `other`: nothing.",
            "Counts.\n\n- `limit`: how many at most.\nMore of it, on a line of its own.\n- `x`",
            "- no name: `text`",
        ] {
            let expect = description.replace("- `limit`: how many at most.\n", "");
            check(description, &expect);
        }
    }

    #[test]
    fn wide_numbers_are_whole_numbers() {
        let wide = json!({
            "type": ["integer", "string"], "minimum": 0, "maximum": u64::MAX,
            "pattern": "^[0-9]{1,20}$", "description": "How many.",
        });
        let signed = json!({
            "type": ["integer", "string"], "minimum": i64::MIN, "maximum": i64::MAX,
            "pattern": "^-?[0-9]{1,19}$",
        });
        let own = json!({"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$"});
        let members = json!({"a": wide, "b": {"type": "array", "items": signed}, "c": own});
        let schema = json!({"type": "object", "properties": members, "examples": [wide]});
        let condensed = condense(&spec("Counts.", schema));
        assert_eq!(
            condensed.input_schema["properties"],
            json!({
                "a": {"type": "integer", "minimum": 0, "description": "How many."},
                "b": {"type": "array", "items": {"type": "integer"}}, "c": own,
            })
        );
        assert_eq!(condensed.input_schema["examples"][0], wide);
    }
}

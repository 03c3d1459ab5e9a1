//! Parses the YAML front matter at the head of a README.md card, and reads its tags and faults.

use serde_json::Value;

/// Longest front matter after aliases were expanded, as JSON. It stops a few lines from becoming
/// gigabytes.
const EXPANDED_BYTES_MAX: usize = 256 << 10;

/// Keys whose texts are tags as they stand.
const TAG_KEYS: [&str; 4] = ["tags", "library_name", "pipeline_tag", "language"];

/// A card taken apart.
#[derive(Debug, PartialEq)]
pub(crate) struct Card {
    /// The front matter as a JSON object, if there is any.
    pub(crate) front_matter: Option<Value>,
    /// The offset of the text after the front matter.
    pub(crate) body_start: usize,
}

/// The reason why front matter was refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CardError(pub(crate) String);

/// Reads a card of at most `bytes_max` bytes of front matter.
pub(crate) fn parse_card(text: &str, bytes_max: usize) -> Result<Card, CardError> {
    let text_start = text.len() - text.trim_start_matches('\u{feff}').len();
    // The Python client skips blank lines before the dashes.
    let first = text[text_start..].trim_start();
    let Some((yaml_start, yaml_end, body_start)) =
        front_matter_span(text, text.len() - first.len())
    else {
        return Ok(Card {
            front_matter: None,
            body_start: text_start,
        });
    };
    let yaml = &text[yaml_start..yaml_end];
    if yaml.len() > bytes_max {
        return Err(CardError(format!(
            "the front matter is longer than {bytes_max} bytes"
        )));
    }
    if yaml.trim().is_empty() {
        return Ok(Card {
            front_matter: None,
            body_start,
        });
    }
    let value: Value =
        serde_saphyr::from_str(yaml).map_err(|error| CardError(error.to_string()))?;
    match value {
        Value::Null => Ok(Card {
            front_matter: None,
            body_start,
        }),
        Value::Object(_) if value.to_string().len() <= EXPANDED_BYTES_MAX => Ok(Card {
            front_matter: Some(value),
            body_start,
        }),
        Value::Object(_) => Err(CardError(
            "the front matter grows too large when its aliases are expanded".to_owned(),
        )),
        _ => Err(CardError(
            "the front matter must be a mapping of keys to values".to_owned(),
        )),
    }
}

/// The tags a card gives its repository, in the Hub's spelling: plain ones, and `license:…`,
/// `dataset:…` and `base_model:…`.
pub(crate) fn card_tags(front_matter: &Value) -> Vec<String> {
    let mut tags = Vec::new();
    for key in TAG_KEYS {
        tags.extend(texts(&front_matter[key]).map(str::to_owned));
    }
    for (key, prefix) in [
        ("license", "license"),
        ("datasets", "dataset"),
        ("base_model", "base_model"),
    ] {
        tags.extend(texts(&front_matter[key]).map(|text| format!("{prefix}:{text}")));
    }
    tags.retain(|tag| !tag.is_empty() && tag.len() <= 200);
    tags.sort_unstable();
    tags.dedup();
    tags.truncate(200);
    tags
}

/// Faults in the values of keys that clients and search read.
pub(crate) fn card_faults(front_matter: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let one_or_many = |value: &Value| value.is_string() || is_list(value, Value::is_string);
    for key in TAG_KEYS
        .into_iter()
        .chain(["license", "datasets", "base_model"])
    {
        let value = &front_matter[key];
        if !value.is_null() && !one_or_many(value) {
            faults.push(format!("\"{key}\" must be a text or a list of texts"));
        }
    }
    let results = &front_matter["model-index"];
    let has_results = |model: &Value| model["name"].is_string() && model["results"].is_array();
    if !results.is_null() && !is_list(results, has_results) {
        faults.push("\"model-index\" must be a list of models with name and results".to_owned());
    }
    faults
}

fn is_list(value: &Value, holds: impl Fn(&Value) -> bool) -> bool {
    value
        .as_array()
        .is_some_and(|values| values.iter().all(holds))
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    value
        .as_str()
        .into_iter()
        .chain(list.iter().filter_map(Value::as_str))
}

/// Start and end of the YAML, and the start of what follows the closing dashes.
fn front_matter_span(text: &str, start: usize) -> Option<(usize, usize, usize)> {
    let mut lines = text[start..].split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == "---")?;
    let yaml_start = start + first.len();
    let mut at = yaml_start;
    for line in lines {
        if line.trim_end() == "---" {
            return Some((yaml_start, at, at + line.len()));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(text: &str, expect: Option<Value>) {
        assert_eq!(
            parse_card(text, 1 << 16).map(|card| card.front_matter),
            Ok(expect),
            "{text:?}"
        );
    }

    #[test]
    fn front_matter() {
        check("", None);
        check("# Title\n---\na: 1\n---\n", None);
        check("---\n---\n", None);
        check("---\na: 1\n", None);
        check("\n \r\n---\na: 1\n---\n", Some(json!({"a": 1})));
        check(
            "---\nlicense: mit\ntags:\n- tool-hub\n- x\n---\n# Hi",
            Some(json!({"license": "mit", "tags": ["tool-hub", "x"]})),
        );
        check("\u{feff}---\r\na: b\r\n---\r\n", Some(json!({"a": "b"})));
        check(
            "---\nversion: 1.5\nflag: true\nnone: null\n---\n",
            Some(json!({"version": 1.5, "flag": true, "none": null})),
        );
    }

    #[track_caller]
    fn check_refused(text: &str) {
        assert!(parse_card(text, 1 << 12).is_err(), "{text:?}");
    }

    #[test]
    fn hostile_front_matter_is_refused() {
        check_refused("---\na: [\n---\n");
        check_refused("---\n- a\n---\n");
        check_refused("---\ntext\n---\n");
        check_refused(&format!("---\na: {}\n---\n", "x".repeat(5_000)));
        check_refused(&format!("---\na: {}\n---\n", "[".repeat(2_000)));
        let mut laughs = "---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            laughs += &format!("a{level}: &a{level} [{}]\n", below.trim_end_matches(", "));
        }
        check_refused(&(laughs + "---\n"));
    }

    #[test]
    fn faults() {
        assert!(card_faults(&json!({"tags": ["a"], "language": "en", "other": {}})).is_empty());
        assert!(card_faults(&json!({"model-index": [{"name": "m", "results": []}]})).is_empty());
        let faults = card_faults(&json!({"tags": [1], "license": {}, "model-index": "foo"}));
        assert_eq!(
            faults,
            [
                "\"tags\" must be a text or a list of texts",
                "\"license\" must be a text or a list of texts",
                "\"model-index\" must be a list of models with name and results"
            ]
        );
    }

    #[test]
    fn tags() {
        let card = json!({"tags": ["b", "a", 3], "license": "mit", "library_name": "tool-hub", "language": ["en"]});
        assert_eq!(
            card_tags(&card),
            ["a", "b", "en", "license:mit", "tool-hub"]
        );
    }
}

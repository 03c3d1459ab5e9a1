//! Makes one schema of alternatives: the one that says most, or all of them in words.

use serde_json::{Map, Value, json};

use super::super::error::PartError;
use super::keywords::{NOTE, kind, listed, member_names};
use super::reader::{DEPTH_MAX, SchemaReader};
use crate::definition::loss::LossKind;

/// The most alternatives that are read.
const ALTERNATIVES_MAX: usize = 40;
/// The most forms of an object that are told of.
const FORMS_MAX: usize = 6;

impl SchemaReader<'_> {
    /// A flat schema without `oneOf` and `anyOf`, and with one type.
    pub(super) fn without_alternatives(
        &mut self,
        mut flat: Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Result<Map<String, Value>, PartError> {
        for keyword in ["oneOf", "anyOf"] {
            let Some(Value::Array(alternatives)) = flat.remove(keyword) else {
                continue;
            };
            let known = alternatives.iter().take(ALTERNATIVES_MAX);
            let read = self.beside(known, |reader, alternative| {
                let alternative = reader.flat(alternative, pointer, depth + 1)?;
                match depth < DEPTH_MAX {
                    true => reader.without_alternatives(alternative, pointer, depth + 1),
                    false => Ok(Map::new()),
                }
            })?;
            if alternatives.len() > ALTERNATIVES_MAX {
                self.weakened(pointer, keyword);
            }
            let one = self.one_of(&mut flat, read, keyword, pointer);
            self.merge(&mut flat, one, pointer);
        }
        if let Some(Value::Array(names)) = flat.get("type").cloned() {
            let of_type = |name: &Value| Map::from_iter([("type".to_owned(), name.clone())]);
            let several = names.iter().filter(|name| *name != "null").count() > 1;
            if several {
                flat.remove("type");
                let alternatives = names.iter().map(of_type).collect();
                let one = self.one_of(&mut flat, alternatives, "type", pointer);
                self.merge(&mut flat, one, pointer);
            }
        }
        Ok(flat)
    }

    /// One schema for several, beside what `flat` says of all of them.
    fn one_of(
        &mut self,
        flat: &mut Map<String, Value>,
        mut alternatives: Vec<Map<String, Value>>,
        keyword: &str,
        pointer: &str,
    ) -> Map<String, Value> {
        let count = alternatives.len();
        alternatives
            .retain(|it| !(kind(it) == (None, true) || it.get("enum") == Some(&json!([null]))));
        if alternatives.len() < count {
            flat.insert("nullable".to_owned(), true.into());
        }
        // Stripe takes an empty text in place of a value to unset it.
        let count = alternatives.len();
        alternatives.retain(|it| it.get("enum") != Some(&json!([""])));
        if alternatives.len() < count {
            self.narrowed(pointer, keyword);
        }
        if alternatives
            .iter()
            .any(|it| it.get("nullable") == Some(&json!(true)))
        {
            flat.insert("nullable".to_owned(), true.into());
        }
        if !flat.contains_key("description") {
            let texts = alternatives.iter().find_map(|it| it.get("description"));
            if let Some(text) = texts.cloned() {
                flat.insert("description".to_owned(), text);
            }
        }
        match &alternatives[..] {
            [] => return Map::new(),
            [only] => return only.clone(),
            _ => {}
        }
        if alternatives.iter().all(says_what_is_needed) {
            add_note(flat, &needed(&alternatives));
            self.losses.push(LossKind::ToldInWords {
                pointer: pointer.to_owned(),
                keyword: keyword.to_owned(),
            });
            return Map::new();
        }
        let kinds: Vec<Kind> = alternatives.iter().map(Kind::of).collect();
        let first = |wanted: Kind| kinds.iter().position(|kind| *kind == wanted);
        if kinds.iter().all(|kind| *kind == Kind::Object) {
            self.weakened(pointer, keyword);
            return objects(flat, &alternatives);
        }
        if kinds.iter().all(|kind| *kind == Kind::Text) {
            return self.texts(&alternatives, pointer, keyword);
        }
        if kinds
            .iter()
            .all(|kind| matches!(kind, Kind::Integer | Kind::Number))
        {
            self.weakened(pointer, keyword);
            let number = first(Kind::Number).or(first(Kind::Integer));
            return number.map_or_else(Map::new, |index| alternatives[index].clone());
        }
        let are_all = |wanted: &[Kind]| kinds.iter().all(|kind| wanted.contains(kind));
        let chosen = if are_all(&[Kind::Text, Kind::Texts]) {
            // A list of one mostly says what the value alone does.
            first(Kind::Texts)
        } else if are_all(&[Kind::Text, Kind::Integer, Kind::Number, Kind::Object]) {
            first(Kind::Text).or(first(Kind::Object))
        } else {
            None
        };
        match chosen {
            Some(index) => {
                self.narrowed(pointer, keyword);
                alternatives[index].clone()
            }
            None => {
                add_note(flat, &forms(&alternatives));
                Map::new()
            }
        }
    }

    /// Texts: the values of all enumerations, or any text where one alternative is that.
    fn texts(
        &mut self,
        alternatives: &[Map<String, Value>],
        pointer: &str,
        keyword: &str,
    ) -> Map<String, Value> {
        let values: Option<Vec<&Vec<Value>>> = alternatives
            .iter()
            .map(|it| it.get("enum").and_then(Value::as_array))
            .collect();
        let Some(values) = values else {
            self.weakened(pointer, keyword);
            return Map::from_iter([("type".to_owned(), "string".into())]);
        };
        let mut all: Vec<Value> = Vec::new();
        for value in values.into_iter().flatten() {
            if !all.contains(value) {
                all.push(value.clone());
            }
        }
        Map::from_iter([
            ("type".to_owned(), "string".into()),
            ("enum".to_owned(), all.into()),
        ])
    }
}

/// A kind of alternative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Number,
    Object,
    /// A list of texts or numbers.
    Texts,
    Other,
}

impl Kind {
    fn of(flat: &Map<String, Value>) -> Self {
        let values = flat.get("enum").and_then(Value::as_array);
        match (kind(flat).0.as_deref(), values) {
            (None, Some(values)) if values.iter().all(Value::is_string) => Self::Text,
            (Some("string"), _) => Self::Text,
            (Some("integer"), _) => Self::Integer,
            (Some("number"), _) => Self::Number,
            (Some("object"), _) if flat.contains_key("properties") => Self::Object,
            (Some("array"), _) => match flat.get("items").and_then(|it| it.get("type")) {
                Some(Value::String(name)) if name != "object" && name != "array" => Self::Texts,
                _ => Self::Other,
            },
            _ => Self::Other,
        }
    }
}

/// True for an alternative that only says which members are needed.
fn says_what_is_needed(flat: &Map<String, Value>) -> bool {
    flat.contains_key("required")
        && ["properties", "type", "enum", "items"]
            .iter()
            .all(|it| !flat.contains_key(*it))
}

fn needed(alternatives: &[Map<String, Value>]) -> String {
    let groups: Vec<String> = alternatives
        .iter()
        .take(FORMS_MAX)
        .map(|it| {
            let names = it.get("required").and_then(Value::as_array);
            let names: Vec<String> = names
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
            listed(&names)
        })
        .collect();
    format!("It needs {}.", groups.join(" or "))
}

/// An object with the members of all forms, of which those are required that all of them require.
fn objects(
    flat: &mut Map<String, Value>,
    alternatives: &[Map<String, Value>],
) -> Map<String, Value> {
    add_note(flat, &forms(alternatives));
    let (mut properties, mut required) = (Map::new(), None::<Vec<Value>>);
    for alternative in alternatives {
        for (name, schema) in alternative["properties"].as_object().into_iter().flatten() {
            match properties.get_mut(name) {
                None => {
                    properties.insert(name.clone(), schema.clone());
                }
                Some(known) if *known == *schema => {}
                Some(known) => {
                    let mut both = match known.get("anyOf") {
                        Some(Value::Array(several)) => several.clone(),
                        _ => vec![known.clone()],
                    };
                    both.push(schema.clone());
                    *known = json!({ "anyOf": both });
                }
            }
        }
        let own = alternative.get("required").and_then(Value::as_array);
        let own = own.cloned().unwrap_or_default();
        required = Some(match required {
            None => own,
            Some(known) => known
                .into_iter()
                .filter(|name| own.contains(name))
                .collect(),
        });
    }
    Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties.into()),
        ("required".to_owned(), required.unwrap_or_default().into()),
    ])
}

/// The alternatives in words.
fn forms(alternatives: &[Map<String, Value>]) -> String {
    let shown: Vec<String> = alternatives
        .iter()
        .take(FORMS_MAX)
        .map(|it| {
            let names = member_names(it);
            match (names.is_empty(), kind(it).0) {
                (false, _) => format!("an object with {}", listed(&names)),
                (true, Some(kind)) => kind,
                (true, None) => "any value".to_owned(),
            }
        })
        .collect();
    let more = match alternatives.len() > FORMS_MAX {
        true => "; or another form",
        false => "",
    };
    format!("One of: {}{more}.", shown.join("; "))
}

fn add_note(flat: &mut Map<String, Value>, note: &str) {
    let known = flat.get(NOTE).and_then(Value::as_str).unwrap_or_default();
    let both = format!("{known} {note}").trim().to_owned();
    flat.insert(NOTE.to_owned(), both.into());
}

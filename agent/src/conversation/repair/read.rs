//! Reads arguments from JSON, a string or a code block, without rounding or dropping anything.
//! A duplicate member or a number that may have lost digits is an error.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The deepest nesting of strings that hold JSON.
const WRAPPINGS_MAX: usize = 3;
/// Above this, a number with a fraction may be a rounded integer.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The object in `text`; true if it was within a string or a block of code.
pub(super) fn arguments(text: &str) -> Option<(Value, bool)> {
    let mut inner = json_or_block(text)?;
    for _ in 0..WRAPPINGS_MAX {
        match inner {
            (Value::Object(_), _) => return Some(inner),
            (Value::Null, _) => return Some((Value::Object(Map::new()), true)),
            (Value::String(text), _) => inner = (json_or_block(&text)?.0, true),
            _ => return None,
        }
    }
    None
}

/// The value that `text` is the JSON of.
pub(super) fn json(text: &str) -> Option<Value> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = ExactJson.deserialize(&mut json).ok()?;
    json.end().ok()?;
    Some(value)
}

fn json_or_block(text: &str) -> Option<(Value, bool)> {
    if let Some(value) = json(text) {
        return Some((value, false));
    }
    Some((json(block(text)?)?, true))
}

/// The content of a code block that is the whole of `text`.
fn block(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (language, code) = inner.split_once('\n')?;
    let is_word = language.trim().chars().all(char::is_alphanumeric);
    is_word.then_some(code)
}

struct ExactJson;

impl<'de> DeserializeSeed<'de> for ExactJson {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ExactJson {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        if value.abs() >= EXACT_MAX {
            return Err(E::custom("the number may have lost digits"));
        }
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(ExactJson)? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(ExactJson)?;
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a member is given twice"));
            }
        }
        Ok(object.into())
    }
}

//! Masks secrets in JSON texts and values, however their letters are escaped.
//! The JSON stays valid.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::secret::{MASK, Secrets};

impl Secrets {
    /// The JSON text `json` without the secrets, also for whoever reads it as JSON, which may
    /// write any letter as an escape. It stays JSON: a number that says a secret becomes a string.
    pub(crate) fn mask_json(&self, json: String) -> String {
        if self.0.is_none() || !json.contains('\\') && !self.are_in(&json) {
            return json;
        }
        let Ok(value) = serde_json::from_str(&json) else {
            return self.mask(json);
        };
        let read = self.mask_value(value).to_string();
        // A secret may also be in more than one string of it.
        let masked = self.mask(read.clone());
        match serde_json::from_str::<IgnoredAny>(&masked) {
            Ok(_) => masked,
            Err(_) => read,
        }
    }

    /// `value` without the secrets.
    pub(super) fn mask_value(&self, value: Value) -> Value {
        match value {
            Value::Number(number) if self.are_in(&number.to_string()) => Value::from(MASK),
            Value::String(text) => Value::String(self.mask(text)),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.mask_value(item))
                .collect(),
            Value::Object(members) => {
                let mask = |(name, value)| (self.mask(name), self.mask_value(value));
                members.into_iter().map(mask).collect()
            }
            plain => plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;
    use proptest::prelude::*;

    fn secrets(secret: &str) -> Secrets {
        Secrets::new([Secret::new(secret.to_owned())])
    }

    /// Every string of `value`, keys included.
    fn strings(value: &Value) -> Vec<&str> {
        match value {
            Value::String(text) => vec![text],
            Value::Array(items) => items.iter().flat_map(strings).collect(),
            Value::Object(members) => members
                .iter()
                .flat_map(|(name, value)| [vec![name.as_str()], strings(value)].concat())
                .collect(),
            _ => Vec::new(),
        }
    }

    #[track_caller]
    fn check_released(secret: &str, json: &str) {
        let released = secrets(secret).mask_json(json.to_owned());
        let value: Value = serde_json::from_str(&released).unwrap();
        for text in strings(&value) {
            assert!(!text.contains(secret), "{json}: {released}");
        }
        assert!(!released.contains(secret), "{json}: {released}");
    }

    /// `character` within a JSON string, as an escape.
    fn escaped(character: char) -> String {
        let mut units = [0; 2];
        let units = character.encode_utf16(&mut units).iter();
        units.map(|unit| format!("\\u{unit:04x}")).collect()
    }

    #[test]
    fn json_without_secrets_stays_json() {
        for (json, expect) in [
            (r#"{"n":1.0,"a":"4711"}"#, r#"{"n":1.0,"a":"***"}"#),
            (r#"{"n":1.0,"a":4711}"#, r#"{"n":1.0,"a":"***"}"#),
            (r#"[{"4711":[1],"b":24711}]"#, r#"[{"***":[1],"b":"***"}]"#),
            (r#"{"n": 1e0}"#, r#"{"n": 1e0}"#),
            (r#"["\n\u0041"]"#, r#"["\nA"]"#),
            (r#"["47\u00311"]"#, r#"["***"]"#),
        ] {
            assert_eq!(secrets("4711").mask_json(json.to_owned()), expect);
        }
        // Nothing is written anew where there are no secrets.
        let json = r#"["\u0041"]"#;
        assert_eq!(Secrets::default().mask_json(json.to_owned()), json);
        assert_eq!(
            secrets(r#"ab","cd"#).mask_json(r#"["ab","cd"]"#.to_owned()),
            r#"["***"]"#
        );
    }

    #[test]
    fn no_letter_hides_a_secret_by_its_escape() {
        for secret in ["sk-Canary77aa01secretX", "grün🦀-key", "a\"b\\c/d"] {
            let letters: Vec<String> = secret.chars().map(escaped).collect();
            for at in 0..letters.len() {
                let one: String = secret
                    .chars()
                    .enumerate()
                    .fold(String::new(), |text, (i, c)| {
                        let plain = serde_json::to_string(&c).unwrap();
                        text + if i == at {
                            &letters[i]
                        } else {
                            &plain[1..plain.len() - 1]
                        }
                    });
                for json in [
                    format!(r#"{{"a":"{one}"}}"#),
                    format!(r#"{{"{one}":["x{one}x"]}}"#),
                    format!(r#"{{"a":"{one}","a":1}}"#),
                    format!(r#"{{"a":1,"\u0061":"{one}"}}"#),
                ] {
                    check_released(secret, &json);
                }
            }
            check_released(secret, &format!("[\"{}\"]", letters.concat()));
        }
    }

    /// What is no JSON to this host may be some to a client.
    #[test]
    fn escapes_are_found_in_what_cannot_be_read() {
        let deep = "[".repeat(200) + r#""\u0073k-Canary""# + &"]".repeat(200);
        for json in [
            r#"["\ud800","\u0073k-Canary"]"#,
            r#"{"a":"\u0073k-Canary"#,
            &deep,
        ] {
            let released = secrets("sk-Canary").mask_json(json.to_owned());
            assert!(!released.contains("k-Canary"), "{released}");
        }
    }

    /// A text, and one way to write it in a JSON string.
    fn written(text: impl Strategy<Value = String>) -> impl Strategy<Value = (String, String)> {
        let letters = |text: String| {
            let ways = proptest::collection::vec(any::<bool>(), text.chars().count());
            (Just(text), ways)
        };
        text.prop_flat_map(letters).prop_map(|(text, ways)| {
            let letter = |(character, escape): (char, &bool)| match escape {
                true => escaped(character),
                false => {
                    let plain = serde_json::to_string(&character).unwrap();
                    plain[1..plain.len() - 1].to_owned()
                }
            };
            let json = text.chars().zip(&ways).map(letter).collect();
            (text, json)
        })
    }

    proptest! {
        #[test]
        fn no_string_that_is_released_holds_a_secret(
            (secret, json) in written("[a-zA-Z0-9\"\\\\/é🦀%._-]{6,20}"),
            (_, around) in written("[a-z\"\\\\u0%🦀]{0,6}"),
            place in 0..4,
        ) {
            let secret_text = format!("{around}{json}{around}");
            check_released(&secret, &match place {
                0 => format!(r#"["{secret_text}"]"#),
                1 => format!(r#"{{"{secret_text}":null,"{secret_text}":"{secret_text}"}}"#),
                2 => format!(r#"{{"a":["{secret_text}"],"a":["{secret_text}"]}}"#),
                _ => format!(r#"{{"a":{{"b":"{secret_text}","\u0061":1}}}}"#),
            });
        }
    }
}

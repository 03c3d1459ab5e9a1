//! Values that are shown nowhere.

mod forms;
mod reply;

use std::fmt;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde_json::Value;

/// Shorter values are not looked for in texts: they would make holes everywhere.
const MASKED_BYTES_MIN: usize = 4;
/// What stands in place of a value.
const MASK: &str = "***";

/// The value of a variable.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(value: String) -> Self {
        Self(value)
    }

    /// The value, for the guest that it was granted to.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

/// The secrets of a tool, which may say them by accident: in a panic, a log, an answer that
/// repeats a URL. What the host passes on goes through here first. A tool that wants to say
/// one finds a form that nobody looks for; the network grants bound whom it can say it to.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Option<Arc<AhoCorasick>>);

impl Secrets {
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let long = |secret: &Secret| secret.0.len() >= MASKED_BYTES_MIN;
        let secrets = secrets.into_iter().filter(long);
        let forms: Vec<String> = secrets.flat_map(|secret| forms::of(&secret.0)).collect();
        if forms.is_empty() {
            return Self::default();
        }
        // One that holds another is masked as a whole.
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(forms);
        let search = search.expect("an environment is shorter than what can be searched for");
        Self(Some(Arc::new(search)))
    }

    /// `text` without the secrets.
    pub(crate) fn mask(&self, text: String) -> String {
        let Some(search) = self.found(text.as_bytes()) else {
            return text;
        };
        let mut masked = String::with_capacity(text.len());
        search.replace_all_with(&text, &mut masked, |_, _, masked| {
            masked.push_str(MASK);
            true
        });
        masked
    }

    /// `bytes` without the secrets.
    pub(crate) fn mask_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let Some(search) = self.found(&bytes) else {
            return bytes;
        };
        let mut masked = Vec::with_capacity(bytes.len());
        search.replace_all_with_bytes(&bytes, &mut masked, |_, _, masked| {
            masked.extend_from_slice(MASK.as_bytes());
            true
        });
        masked
    }

    /// The JSON text `json` without the secrets. It stays JSON: a number that says one becomes
    /// a string.
    pub(crate) fn mask_json(&self, json: String) -> String {
        if self.found(json.as_bytes()).is_none() {
            return json;
        }
        let masked = self.mask(json.clone());
        if serde_json::from_str::<serde::de::IgnoredAny>(&masked).is_ok() {
            return masked;
        }
        match serde_json::from_str(&json) {
            Ok(value) => self.mask_value(value).to_string(),
            Err(_) => masked,
        }
    }

    fn mask_value(&self, value: Value) -> Value {
        match value {
            Value::Number(number) => match self.found(number.to_string().as_bytes()) {
                Some(_) => Value::from(MASK),
                None => Value::Number(number),
            },
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

    /// What finds the secrets, where there is one in `bytes`.
    fn found(&self, bytes: &[u8]) -> Option<&AhoCorasick> {
        self.0.as_deref().filter(|search| search.is_match(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(secrets: &[&str]) -> Secrets {
        Secrets::new(secrets.iter().map(|text| Secret::new((*text).to_owned())))
    }

    #[track_caller]
    fn check(secret: &[&str], text: &str, expect: &str) {
        let secrets = secrets(secret);
        assert_eq!(secrets.mask(text.to_owned()), expect);
        let bytes = secrets.mask_bytes(text.as_bytes().to_vec());
        assert_eq!(bytes, expect.as_bytes());
    }

    #[test]
    fn secrets_are_taken_out_of_texts() {
        check(&["hunter2"], "nothing here", "nothing here");
        check(&["hunter2"], "hunter2", "***");
        check(&["hunter2"], "a hunter2hunter2 b hunter2", "a ****** b ***");
        check(&["hunter", "hunter2"], "hunter2 hunter3", "*** ***3");
        check(&["abc"], "abc", "abc");
        check(&["hunter2"], "", "");
        check(&["grün"], "ein grüner", "ein ***er");
        check(&[], "hunter2", "hunter2");
    }

    #[test]
    fn json_without_secrets_stays_json() {
        for (json, expect) in [
            (r#"{"n":1.0,"a":"4711"}"#, r#"{"n":1.0,"a":"***"}"#),
            (r#"{"n":1.0,"a":4711}"#, r#"{"n":1.0,"a":"***"}"#),
            (r#"[{"4711":[1],"b":24711}]"#, r#"[{"***":[1],"b":"***"}]"#),
            (r#"{"n": 1e0}"#, r#"{"n": 1e0}"#),
        ] {
            let masked = secrets(&["4711"]).mask_json(json.to_owned());
            assert_eq!(masked, expect);
        }
    }

    #[test]
    fn secrets_have_no_debug_form() {
        assert_eq!(format!("{:?}", Secret::new("hunter2".into())), "***");
    }
}

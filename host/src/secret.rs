//! Values that are shown nowhere.

mod forms;
mod reply;
mod split;

use std::fmt;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde_json::Value;

pub(crate) use reply::Mask;
pub(crate) use split::mask_at;

/// Shorter values are not looked for in texts: they would make holes everywhere.
pub(crate) const MASKED_BYTES_MIN: usize = 4;
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

/// The secrets of a tool, which may repeat them by accident: in a panic, a log, an answer with a
/// URL. Everything the host passes on is masked here as the last step, after it is composed and
/// before it is cut, because half a secret would not be found. This does not stop a tool that leaks
/// one on purpose in a form that is not searched for; the network grants bound whom it can send it
/// to.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Option<Arc<Search>>);

struct Search {
    forms: AhoCorasick,
    /// The forms, in lower case.
    texts: Vec<String>,
}

impl Secrets {
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let long = |secret: &Secret| secret.0.len() >= MASKED_BYTES_MIN;
        let secrets = secrets.into_iter().filter(long);
        let forms: Vec<String> = secrets.flat_map(|secret| forms::of(&secret.0)).collect();
        if forms.is_empty() {
            return Self::default();
        }
        // The longest match wins, so a secret that contains another one is masked as a whole. Case
        // is ignored because host names are lower-cased, and hexadecimal digits come in both cases.
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .ascii_case_insensitive(true)
            .build(&forms)
            .expect("an environment is shorter than what can be searched for");
        Self(Some(Arc::new(Search {
            forms: search,
            texts: forms,
        })))
    }

    /// The length in bytes of the longest form of a secret. Code that cuts a text before it is
    /// masked keeps this many bytes beyond the cut, for [`Secrets::mask_start`].
    pub(crate) fn longest(&self) -> usize {
        let forms = self.0.iter().flat_map(|search| &search.texts);
        forms.map(String::len).max().unwrap_or_default()
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

    /// Like [`Secrets::mask`], with a type that shows that the text is masked.
    pub(crate) fn masked(&self, text: &str) -> Masked {
        Masked(self.mask(text.to_owned()))
    }

    /// True if `text` contains a secret.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        self.found(text.as_bytes()).is_some()
    }

    /// `bytes` without the secrets.
    pub(crate) fn mask_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let all = bytes.len();
        self.mask_start(bytes, all)
    }

    /// The first `length` bytes, with the secrets masked that begin in them.
    pub(crate) fn mask_start(&self, mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
        let length = length.min(bytes.len());
        let Some(search) = self.found(&bytes) else {
            bytes.truncate(length);
            return bytes;
        };
        let mut masked = Vec::with_capacity(length);
        let mut read = 0;
        for secret in search.find_iter(&bytes) {
            if secret.start() >= length {
                break;
            }
            masked.extend_from_slice(&bytes[read..secret.start()]);
            masked.extend_from_slice(MASK.as_bytes());
            read = secret.end();
        }
        masked.extend_from_slice(bytes.get(read..length).unwrap_or_default());
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
        let forms = &self.0.as_ref()?.forms;
        forms.is_match(bytes).then_some(forms)
    }
}

/// Text of a guest with its secrets masked. Only [`Secrets`] can make one, so refusals and events,
/// which require this type, cannot show a secret.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Masked(String);

impl AsRef<str> for Masked {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Escaped, because subscribers print events to terminals.
impl fmt::Debug for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
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
    fn secrets_are_found_in_either_case() {
        check(&["sk-Canary"], "SK-CANARY sk-canary", "*** ***");
    }

    #[test]
    fn no_part_of_a_secret_is_left_by_a_cut() {
        let secrets = secrets(&["hunter2"]);
        let text = "a hunter2 b hunter2 c";
        let whole = secrets.mask(text.to_owned());
        for length in 0..=text.len() {
            let kept = (length + secrets.longest()).min(text.len());
            let cut = secrets.mask_start(text.as_bytes()[..kept].to_vec(), length);
            assert!(whole.as_bytes().starts_with(&cut), "{length}: {cut:?}");
            assert!(cut.len() <= length + MASK.len());
        }
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

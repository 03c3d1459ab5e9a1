//! Values that are shown nowhere.

use std::fmt;

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

/// The secrets of a tool, which may say them by accident: in a panic, a log, an error that
/// repeats a URL. What the host passes on of such texts goes through here first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Secrets(Vec<Secret>);

impl Secrets {
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let long = |secret: &Secret| secret.0.len() >= MASKED_BYTES_MIN;
        let mut secrets: Vec<Secret> = secrets.into_iter().filter(long).collect();
        // One that holds another is masked as a whole.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.0.len()));
        Self(secrets)
    }

    /// `text` without the secrets.
    pub(crate) fn mask(&self, mut text: String) -> String {
        for secret in &self.0 {
            if text.contains(&secret.0) {
                text = text.replace(&secret.0, MASK);
            }
        }
        text
    }

    /// `bytes` without the secrets.
    pub(crate) fn mask_bytes(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        for secret in &self.0 {
            bytes = replace(bytes, secret.0.as_bytes());
        }
        bytes
    }
}

fn replace(bytes: Vec<u8>, secret: &[u8]) -> Vec<u8> {
    let find = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        let found = rest.windows(secret.len()).position(|part| part == secret);
        found.map(|at| from + at)
    };
    let Some(mut at) = find(0) else { return bytes };
    let (mut masked, mut from) = (Vec::with_capacity(bytes.len()), 0);
    loop {
        masked.extend_from_slice(&bytes[from..at]);
        masked.extend_from_slice(MASK.as_bytes());
        from = at + secret.len();
        match find(from) {
            Some(next) => at = next,
            None => break,
        }
    }
    masked.extend_from_slice(&bytes[from..]);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(secrets: &[&str], text: &str, expect: &str) {
        let secrets = Secrets::new(secrets.iter().map(|text| Secret::new((*text).to_owned())));
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
    }

    #[test]
    fn secrets_have_no_debug_form() {
        assert_eq!(format!("{:?}", Secret::new("hunter2".into())), "***");
    }
}

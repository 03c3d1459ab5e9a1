//! Parses query strings and form bodies, in which names may be repeated, and reads their values.

use http::request::Parts;
use url::form_urlencoded;

/// The pairs of a query string or of a form body, in order.
#[derive(Debug, Clone)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn of(parts: &Parts) -> Self {
        Self::parse(parts.uri.query().unwrap_or_default().as_bytes())
    }

    pub(crate) fn parse(bytes: &[u8]) -> Self {
        Self(form_urlencoded::parse(bytes).into_owned().collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of a name; `name[]` is how some clients write a list.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.iter()
            .filter(move |(key, _)| *key == name || key.strip_suffix("[]") == Some(name))
            .map(|(_, value)| value)
    }

    /// True if a switch is on; Python writes `True`, JavaScript `true`.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.first(name)
            .is_some_and(|value| value.eq_ignore_ascii_case("true") || value == "1")
    }

    /// A number between 1 and `max`; `max` when absent or not a number.
    pub(crate) fn count(&self, name: &str, max: usize) -> usize {
        self.first(name)
            .and_then(|value| value.parse().ok())
            .unwrap_or(max)
            .clamp(1, max)
    }
}

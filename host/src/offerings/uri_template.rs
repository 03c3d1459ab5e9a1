//! The `UriTemplate` type: parses URI patterns, matches URIs against them, and tells absolute URIs.
//! Patterns are of the first level of RFC 6570, where `{name}` stands for characters that need no
//! escape, and for escaped ones.

use std::fmt;

/// A pattern that the URIs of a family of resources follow, such as `notes://{title}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate {
    text: String,
    /// The text before the first variable.
    start: String,
    /// The variables, each with what stands behind it.
    variables: Vec<(String, String)>,
}

impl UriTemplate {
    /// Reads a pattern of absolute URIs; `None` when it is none, or not of the first level.
    pub fn parse(text: &str) -> Option<Self> {
        let mut pieces = text.split('{');
        let start = pieces.next()?.to_owned();
        let mut variables = Vec::new();
        for piece in pieces {
            let (name, behind) = piece.split_once('}')?;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
            if name.is_empty() || !name.bytes().all(is_name) {
                return None;
            }
            variables.push((name.to_owned(), behind.to_owned()));
        }
        let mut literals = variables.iter().map(|(_, behind)| behind);
        let is_uri = scheme(&start).is_some() && literals.all(|text| text.bytes().all(is_in_uri));
        let is_uri = is_uri && start.bytes().all(is_in_uri);
        (is_uri && !variables.is_empty()).then(|| Self {
            text: text.to_owned(),
            start,
            variables,
        })
    }

    /// Applies `edit` to each text of the template.
    pub(crate) fn map(self, edit: impl Fn(String) -> String) -> Self {
        let variables = self.variables.into_iter();
        Self {
            text: edit(self.text),
            start: edit(self.start),
            variables: variables.map(|(a, b)| (edit(a), edit(b))).collect(),
        }
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The variables of `uri`, escaped as they stand there; `None` when it does not follow the
    /// pattern. No variable is empty.
    pub fn variables<'a>(&'a self, uri: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
        let mut rest = uri.strip_prefix(self.start.as_str())?;
        let mut found = Vec::with_capacity(self.variables.len());
        for (at, (name, behind)) in self.variables.iter().enumerate() {
            let is_last = at + 1 == self.variables.len();
            // The first place will do: text that a variable cannot hold ends it there in any case,
            // and text that it can hold may as well belong to the next one.
            let end = match is_last {
                true => rest.len().checked_sub(behind.len()),
                false => rest.get(1..)?.find(behind.as_str()).map(|end| end + 1),
            }?;
            let (value, tail) = rest.split_at_checked(end)?;
            if value.is_empty() || !value.bytes().all(is_in_variable) {
                return None;
            }
            rest = tail.strip_prefix(behind.as_str())?;
            found.push((name.as_str(), value));
        }
        Some(found)
    }

    /// True if `uri` is absolute (RFC 3986): a scheme, and something behind it.
    pub(crate) fn is_absolute(uri: &str) -> bool {
        scheme(uri).is_some_and(|rest| !rest.is_empty()) && uri.bytes().all(is_in_uri)
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The part behind the scheme of `uri`, if it has one.
fn scheme(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_once(':')?;
    let is_in_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let begins = scheme.bytes().next()?.is_ascii_alphabetic();
    (begins && scheme.bytes().all(is_in_scheme)).then_some(rest)
}

fn is_in_uri(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte)
}

fn is_in_variable(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(template: &str, uri: &str, expect: Option<&[(&str, &str)]>) {
        let template = UriTemplate::parse(template).unwrap();
        assert_eq!(template.variables(uri).as_deref(), expect, "{uri}");
    }

    #[test]
    fn variables_are_found_where_the_pattern_has_them() {
        check("notes://{name}", "notes://a-b", Some(&[("name", "a-b")]));
        check(
            "notes://{name}",
            "notes://a%2Fb",
            Some(&[("name", "a%2Fb")]),
        );
        check(
            "test://t/{id}/data",
            "test://t/7/data",
            Some(&[("id", "7")]),
        );
        let both: &[(&str, &str)] = &[("a", "1"), ("b", "2")];
        check("x:{a}/{b}", "x:1/2", Some(both));
        check("x:{a}{b}", "x:12", Some(both));
        let again: &[(&str, &str)] = &[("a", "1"), ("b", "2data")];
        check("x:{a}data{b}data", "x:1data2datadata", Some(again));
    }

    #[test]
    fn what_does_not_follow_the_pattern_has_none() {
        for uri in [
            "notes://",
            "notes://a/b",
            "notes:/a",
            "NOTES://a",
            "notes://a?b",
            "",
        ] {
            check("notes://{name}", uri, None);
        }
        for uri in [
            "test://t//data",
            "test://t/7/data/",
            "test://t/data",
            "test://t/é/data",
        ] {
            check("test://t/{id}/data", uri, None);
        }
    }

    #[test]
    fn patterns_are_absolute_and_of_the_first_level() {
        for text in [
            "notes",
            "notes://all",
            "{scheme}://a",
            "a b:{c}",
            "a:{}",
            "a:{b",
            "a:b}",
            "a:{b}}",
            "a:{{b}}",
            "a:{+b}",
            "a:{b,c}",
            "a:{b*}",
            "a:{b:3}",
            "1a:{b}",
        ] {
            assert_eq!(UriTemplate::parse(text), None, "{text}");
        }
    }

    #[test]
    fn absolute_uris_have_a_scheme() {
        for uri in ["notes://a", "urn:x", "test://static-text", "data:,a"] {
            assert!(UriTemplate::is_absolute(uri), "{uri}");
        }
        for uri in [
            "", "a", "/a", "://a", "a:", "a b:c", "a:b c", "a:é", "a:{b}", "a:\n",
        ] {
            assert!(!UriTemplate::is_absolute(uri), "{uri}");
        }
    }
}

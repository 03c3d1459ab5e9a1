//! The `Network` type: the origins that a tool asks for or may reach, each with HTTP methods.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::origin::Origin;
use crate::string_conversions::string_conversions;

/// The longest method; the longest registered one has 17 characters.
const METHOD_LENGTH_MAX: usize = 32;

/// An HTTP method (RFC 9110), such as `GET`: upper-case letters and dashes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Method(String);

/// A text is not a method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an HTTP method; write it like `GET`, in capital letters")]
pub struct MethodError {
    /// The given text, escaped, at most 120 characters of it.
    pub text: String,
}

/// The methods that may be used with an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Methods {
    /// Every method.
    Any,
    /// These and no other; where the set is empty, none.
    Only(BTreeSet<Method>),
}

/// The origins that may be reached, each with its methods. Empty means none.
///
/// Written as a list of origins; one that is bound to methods is a table:
/// `["https://a.example", { origin = "https://b.example", methods = ["GET"] }]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Network(BTreeMap<Origin, Methods>);

impl Method {
    /// The method as it stands in a request.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        let is_method = |c: char| c.is_ascii_uppercase() || c == '-';
        if (1..=METHOD_LENGTH_MAX).contains(&text.len()) && text.chars().all(is_method) {
            return Ok(Self(text.to_owned()));
        }
        let shown = text.chars().take(120).flat_map(char::escape_default);
        Err(MethodError {
            text: shown.collect(),
        })
    }
}

string_conversions!(Method, MethodError);

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Methods {
    /// True if a request with `method` is among them.
    pub fn allow(&self, method: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Only(methods) => methods.iter().any(|known| known.as_str() == method),
        }
    }

    /// True if `wider` allows everything that these allow.
    pub fn are_within(&self, wider: &Self) -> bool {
        match (self, wider) {
            (_, Self::Any) => true,
            (Self::Any, Self::Only(_)) => false,
            (Self::Only(these), Self::Only(wider)) => these.is_subset(wider),
        }
    }

    /// The methods that either allows.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Any, _) | (_, Self::Any) => Self::Any,
            (Self::Only(these), Self::Only(others)) => {
                Self::Only(these.union(others).cloned().collect())
            }
        }
    }

    /// Everything that both allow.
    #[must_use]
    pub fn common(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Any, methods) | (methods, Self::Any) => methods.clone(),
            (Self::Only(these), Self::Only(others)) => {
                Self::Only(these.intersection(others).cloned().collect())
            }
        }
    }
}

impl fmt::Display for Methods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any method"),
            Self::Only(methods) if methods.is_empty() => f.write_str("no method"),
            Self::Only(methods) => {
                let methods: Vec<&str> = methods.iter().map(Method::as_str).collect();
                f.write_str(&methods.join(" "))
            }
        }
    }
}

impl Network {
    /// No origin at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// True if no origin may be reached.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the methods for `origin`.
    pub fn insert(&mut self, origin: Origin, methods: Methods) {
        self.0.insert(origin, methods);
    }

    /// Takes `origin` away; tells whether it was there.
    pub fn remove(&mut self, origin: &Origin) -> bool {
        self.0.remove(origin).is_some()
    }

    /// The methods for `origin`, where it may be reached.
    pub fn methods(&self, origin: &Origin) -> Option<&Methods> {
        self.0.get(origin)
    }

    /// True if `origin` may be reached with every one of `methods`.
    pub fn covers(&self, origin: &Origin, methods: &Methods) -> bool {
        self.methods(origin)
            .is_some_and(|known| methods.are_within(known))
    }

    /// The origins in order, with their methods.
    pub fn iter(&self) -> impl Iterator<Item = (&Origin, &Methods)> {
        self.0.iter()
    }

    /// Everything that both allow.
    #[must_use]
    pub fn common(&self, other: &Self) -> Self {
        let both = self.iter().filter_map(|(origin, methods)| {
            let common = methods.common(other.methods(origin)?);
            Some((origin.clone(), common))
        });
        both.collect()
    }

    /// The access that this allows and `other` does not.
    #[must_use]
    pub fn beyond(&self, other: &Self) -> Self {
        let beyond = self
            .iter()
            .filter(|(origin, methods)| !other.covers(origin, methods));
        beyond.map(|(o, m)| (o.clone(), m.clone())).collect()
    }

    /// One line for people for each origin: `https://a.example`, or
    /// `https://b.example (GET HEAD)` where it is bound to methods.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.iter().map(|(origin, methods)| match methods {
            Methods::Any => origin.to_string(),
            methods => format!("{origin} ({methods})"),
        })
    }
}

impl FromIterator<(Origin, Methods)> for Network {
    fn from_iter<T: IntoIterator<Item = (Origin, Methods)>>(origins: T) -> Self {
        Self(origins.into_iter().collect())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OriginWithMethods {
    origin: Origin,
    methods: BTreeSet<Method>,
}

/// An element of the list.
struct Element(Origin, Methods);

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for (origin, methods) in &self.0 {
            match methods {
                Methods::Any => list.serialize_element(origin)?,
                Methods::Only(methods) => list.serialize_element(&OriginWithMethods {
                    origin: origin.clone(),
                    methods: methods.clone(),
                })?,
            }
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut network = Self::none();
        for Element(origin, methods) in Vec::<Element>::deserialize(deserializer)? {
            if network.methods(&origin).is_some() {
                return Err(D::Error::custom(format!("{origin} is named twice")));
            }
            network.insert(origin, methods);
        }
        Ok(network)
    }
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ElementVisitor)
    }
}

struct ElementVisitor;

impl<'de> Visitor<'de> for ElementVisitor {
    type Value = Element;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an origin, or a table with `origin` and `methods`")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Element, E> {
        let origin = text.parse().map_err(E::custom)?;
        Ok(Element(origin, Methods::Any))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Element, A::Error> {
        let bound = OriginWithMethods::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Element(bound.origin, Methods::Only(bound.methods)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Document {
        network: Network,
    }

    fn read(list: &str) -> Result<Network, String> {
        let text = format!("network = {list}");
        let document: Result<Document, _> = toml::from_str(&text);
        document
            .map(|document| document.network)
            .map_err(|error| error.message().to_owned())
    }

    fn origin() -> Origin {
        "https://a.example".parse().unwrap()
    }

    #[track_caller]
    fn allows(list: &str, method: &str, expect: bool) {
        let network = read(list).unwrap();
        let methods = network.methods(&origin());
        assert_eq!(methods.is_some_and(|m| m.allow(method)), expect, "{list}");
    }

    #[test]
    fn an_origin_allows_exactly_its_methods() {
        allows("[]", "GET", false);
        allows("['https://b.example']", "GET", false);
        allows("['https://a.example']", "DELETE", true);
        let bound = "[{ origin = 'https://a.example', methods = ['GET', 'M-SEARCH'] }]";
        allows(bound, "GET", true);
        allows(bound, "M-SEARCH", true);
        allows(bound, "POST", false);
        allows(bound, "get", false);
        let none = "[{ origin = 'https://a.example', methods = [] }]";
        allows(none, "GET", false);
    }

    #[track_caller]
    fn refused(list: &str, expect: &str) {
        let error = read(list).unwrap_err();
        assert!(error.contains(expect), "{list}: {error}");
    }

    #[test]
    fn what_is_no_list_of_origins_is_refused() {
        refused("['https://*']", "wildcards are not allowed");
        refused(
            "[{ origin = 'https://a.example' }]",
            "missing field `methods`",
        );
        refused(
            "[{ origin = 'https://a.example', method = ['GET'] }]",
            "unknown field `method`",
        );
        refused(
            "[{ origin = 'https://a.example', methods = ['get'] }]",
            "`get` is not an HTTP method",
        );
        refused(
            "[{ origin = 'https://a.example', methods = ['*'] }]",
            "`*` is not an HTTP method",
        );
        refused("['https://a.example', 'https://a.example']", "named twice");
        refused("[1]", "expected an origin");
    }

    #[test]
    fn within_common_and_beyond() {
        let any = read("['https://a.example']").unwrap();
        let get = read("[{ origin = 'https://a.example', methods = ['GET'] }]").unwrap();
        let post = read("[{ origin = 'https://a.example', methods = ['POST'] }]").unwrap();
        assert_eq!(any.common(&get), get);
        assert_eq!(
            get.common(&post).methods(&origin()).unwrap().to_string(),
            "no method"
        );
        assert!(get.beyond(&any).is_empty());
        assert_eq!(any.beyond(&get), any);
        assert_eq!(get.beyond(&post), get);
        assert!(any.common(&Network::none()).is_empty());
        assert_eq!(get.lines().collect::<Vec<_>>(), ["https://a.example (GET)"]);
    }
}

//! Builds a JSON object of given members, for the definitions of every dialect.

use serde_json::{Map, Value};

/// An object of `members`, in their order.
pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

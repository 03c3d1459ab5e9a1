//! Who made a component: its producers sections.

use serde::Serialize;

/// A program that had a hand in making the component, as the component says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Producer {
    /// What it did: `language`, `processed-by`, `sdk`.
    pub role: String,
    /// Its name.
    pub name: String,
    /// Its version, which may be empty.
    pub version: String,
}

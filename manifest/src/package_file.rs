//! Names of the files of a tool package, as they stand in a repo.

/// The manifest: the claim.
pub const MANIFEST: &str = "tool.toml";
/// The component: the fact.
pub const COMPONENT: &str = "tool.wasm";
/// The card, for people and for search.
pub const CARD: &str = "README.md";
/// The optional signature bundle.
pub const SIGNATURE: &str = "tool.sig";
/// Every name that is ever pulled. Anything else in a repo is left where it is.
pub const ALL: [&str; 4] = [MANIFEST, COMPONENT, CARD, SIGNATURE];

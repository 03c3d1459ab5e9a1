//! Names of the files of a tool package, as they stand in a repo.

/// The manifest: what the author claims about the tool.
pub const MANIFEST: &str = "tool.toml";
/// The component: the code that runs.
pub const COMPONENT: &str = "tool.wasm";
/// The interpreter that runs the program in the component, where there is one.
pub const INTERPRETER: &str = "interpreter.wasm";
/// The card, for people and for search.
pub const CARD: &str = "README.md";
/// The optional signature bundle.
pub const SIGNATURE: &str = "tool.sig";
/// Every name that is ever pulled. Anything else in a repo is left where it is.
pub const ALL: [&str; 5] = [MANIFEST, COMPONENT, INTERPRETER, CARD, SIGNATURE];
/// The state of the tool's versions since they were published. It is read at the head of the
/// default branch, and is no part of a package.
pub const RELEASES: &str = "releases.toml";

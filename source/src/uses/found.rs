//! The `Use` type: something that a source file reaches, with its place.

use crate::position::Position;

/// Hosts of names that look like addresses, which no program requests.
const NAMES_ONLY: [&str; 6] = [
    "json-schema.org",
    "purl.org",
    "schema.org",
    "schemas.xmlsoap.org",
    "www.w3.org",
    "xmlns.com",
];

/// Something that a file reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The thing, with its name.
    pub kind: UseKind,
    /// The position of the literal, the call or the import.
    pub position: Position,
}

/// A thing outside of the sandbox that code may use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UseKind {
    /// An origin of the web, such as `https://api.example.com`.
    Origin(String),
    /// A file or a directory.
    Path {
        /// Its path.
        path: String,
        /// True if it is changed.
        is_written: bool,
    },
    /// A variable of the environment.
    Variable(String),
    /// A module or a function that sends requests, without an address beside it.
    Requests(String),
}

/// The origin of an address that begins `literal`; nothing where its host is not all there.
pub(super) fn origin(literal: &str, is_whole: bool) -> Option<UseKind> {
    let (scheme, rest) = literal.split_once("://")?;
    let end = rest.find(['/', '?', '#']);
    let host = &rest[..end.unwrap_or(rest.len())];
    let is_host = |c: char| c.is_ascii_alphanumeric() || ['.', '-', ':'].contains(&c);
    let is_address = ["http", "https"].contains(&scheme)
        && (is_whole || end.is_some())
        && host.contains('.')
        && host.chars().all(is_host)
        && !NAMES_ONLY.contains(&host);
    is_address.then(|| UseKind::Origin(format!("{scheme}://{host}")))
}

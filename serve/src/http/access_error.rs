//! The errors of setting up `Access`: an invalid or repeated token or caller, a bad host or origin.

/// An error in what should be granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The token is too short to keep anybody out, or too long for a header.
    #[error("a token has 16 to 4096 characters, not {length}")]
    TokenLength {
        /// The number of its characters.
        length: usize,
    },
    /// The token has characters that a header cannot carry.
    #[error("a token consists of visible ASCII characters, without spaces")]
    TokenCharacters,
    /// The name is too long, or has characters that a log cannot show as they are.
    #[error(
        "`{name}` is not a valid name of a caller: 1 to 64 of A-Z, a-z, 0-9, `.`, `_`, `@` and `-`"
    )]
    CallerName {
        /// The name, cut.
        name: String,
    },
    /// Two callers have one name.
    #[error("two callers are called `{name}`")]
    CallerTwice {
        /// The name.
        name: String,
    },
    /// Two callers show one token.
    #[error("`{one}` and `{other}` have the same token")]
    TokenTwice {
        /// One caller with it.
        one: String,
        /// The other one.
        other: String,
    },
    /// A host that no request can name.
    #[error("`{host}` is not the name or the address of a host")]
    Host {
        /// The host.
        host: String,
    },
    /// A pattern in the place of a host.
    #[error(
        "`{host}` is not a single host; name each one by which clients reach the server, because a web page can give any other name to this machine's address"
    )]
    HostPattern {
        /// The host.
        host: String,
    },
    /// An origin that no browser sends.
    #[error(
        "`{origin}` is not an origin; write scheme://host, and :port where it is not the usual one"
    )]
    Origin {
        /// The origin.
        origin: String,
    },
}

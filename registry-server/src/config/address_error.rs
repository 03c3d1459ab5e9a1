//! The error for an address of a database or a storage that is not valid.

/// The reason why a text is not the address of a database or of a storage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The text is no URL. It is not repeated, because it may hold a password.
    #[error("this is not a URL: {0}")]
    NotAUrl(#[from] url::ParseError),
    /// The URL leads to something else.
    #[error("a URL that starts with {expected}:// is needed, not with {actual}://")]
    Scheme {
        /// The beginning that the URL should have.
        expected: &'static str,
        /// The beginning that it has.
        actual: String,
    },
    /// The URL of a storage names no bucket.
    #[error("the URL names no bucket; write s3://bucket or s3://bucket/prefix")]
    NoBucket,
    /// The URL of a storage holds something that is not a bucket or a prefix, such as a user or a
    /// port.
    #[error(
        "the URL holds more than a bucket and a prefix; keys and endpoint are options of their own"
    )]
    MoreThanABucket,
}

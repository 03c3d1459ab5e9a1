//! The `SignerError` type: a text is no SSH public key that can sign approvals.

/// The reason why a text is no public key that can sign approvals.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected one line with an Ed25519 or ECDSA P-256 key, or one of these on a security key, found {found:?}"
)]
pub struct SignerError {
    /// The first word of the text, cut.
    pub found: String,
}

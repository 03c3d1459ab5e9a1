//! The `PolicyError`: a rule refuses a tool, or the rules are not known.

use super::rule::PolicyRefusal;

/// A policy lets nothing happen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A rule refuses the tool.
    #[error("{0}")]
    Refused(Box<PolicyRefusal>),
    /// A policy is there and cannot be read, so that nobody knows what it allows.
    #[error("a policy cannot be read, so nothing may be used")]
    Unknown {
        /// The reason, with the file.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

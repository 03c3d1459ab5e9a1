//! The kinds of `Evidence` of who made a package.

use std::fmt::{self, Display};

/// Something that says who made a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The author's signature.
    Signature,
    /// The attestation of a build service.
    Attestation,
}

impl Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Signature => "signature",
            Self::Attestation => "attestation",
        })
    }
}

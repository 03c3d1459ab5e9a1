//! Why a component is not validated.

use wasmparser::BinaryReaderError;

use crate::error::HostError;

/// Why a component is not validated.
pub(super) enum Rejection {
    /// It has too much of something.
    TooBig(HostError),
    /// It is not valid with the features that are on.
    Invalid(BinaryReaderError),
}

impl From<BinaryReaderError> for Rejection {
    fn from(error: BinaryReaderError) -> Self {
        Self::Invalid(error)
    }
}

impl From<HostError> for Rejection {
    fn from(error: HostError) -> Self {
        Self::TooBig(error)
    }
}

//! The `Rejection` type: the reasons for which a component is not valid here.

use wasmparser::BinaryReaderError;

use crate::error::HostError;

/// A reason for which a component is not valid here.
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

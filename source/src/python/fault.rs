//! The error of a function of Python, with its place.

use crate::error::FaultKind;

/// An error, and the byte at which it is.
pub(super) type KindAndOffset = (FaultKind, usize);

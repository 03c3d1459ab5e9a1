//! The `MarkerMatch` type: the result of a search for a marker.

use crate::conversation::answer::family::Transition;

/// The result of a search for a marker.
#[derive(Debug, Clone, Copy)]
pub(super) enum MarkerMatch {
    Nothing,
    /// Something at this offset that may become a marker.
    Beginning(usize),
    /// A marker at this offset.
    Marker(usize, Transition),
}

//! The `MarkerMatch` type: the result of a search for a marker.

use crate::conversation::answer::family::Transition;

/// The result of a search for a marker.
#[derive(Debug, Clone, Copy)]
pub(super) enum MarkerMatch {
    Nothing,
    /// Something that may become a marker.
    Beginning(usize),
    Marker(usize, Transition),
}

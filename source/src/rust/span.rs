//! The position of a span of Rust tokens.

use proc_macro2::Span;

use crate::position::Position;

/// The position of the beginning of `span`.
pub(super) fn position(span: Span) -> Position {
    let start = span.start();
    Position {
        line: start.line,
        column: start.column + 1,
    }
}

//! Components that were made to hurt.

mod compile;

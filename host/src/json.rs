//! JSON in and out, by shape: text is parsed straight into component values, and component
//! values are written straight to text, without a tree of JSON in between.

pub(crate) mod read;
pub(crate) mod write;

pub(crate) use read::{ArgumentError, arguments};

#[cfg(test)]
mod tests;

//! JSON in and out, by type: text is parsed straight into component values, and component values
//! are written straight to text, without a tree of JSON in between.

pub(crate) mod read;
pub(crate) mod write;

#[cfg(test)]
mod tests;

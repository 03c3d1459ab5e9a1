//! The modules that read component values from JSON and write them to it, by type.
//! There is no tree of JSON in between.

pub(crate) mod read;
pub(crate) mod write;

#[cfg(test)]
mod tests;

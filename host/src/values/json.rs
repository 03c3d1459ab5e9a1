//! The modules that parse JSON text into component values, and write it from them, by type. There
//! is no tree of JSON in between.

pub(crate) mod read;
pub(crate) mod write;

#[cfg(test)]
mod tests;

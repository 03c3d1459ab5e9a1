//! The modules for streams and futures of a call, which are lists and values for whoever calls.
//! Results are read to their end, and arguments are given as if they came in time. An item may be a
//! number, a bool, a character, a text or bytes: the engine has items of Rust types only.

pub(crate) mod give;
pub(crate) mod item;
pub(crate) mod places;
pub(crate) mod read;

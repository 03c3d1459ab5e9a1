//! Reads the body of a commit, or of one file, while it arrives.
//!
//! The body of a commit is one JSON object a line, and the line of a file holds the whole file as
//! base64. So the lines are scanned byte by byte: the base64 goes straight through a decoder and
//! the hashers into a spool, and only the rest of the line, which is short, is kept and parsed.

mod base64_stream;
mod object;
mod proposal;
mod scanner;

pub(crate) use object::read_object;
pub(crate) use proposal::read_proposal;

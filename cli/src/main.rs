//! The command `tool`.
fn main() {}

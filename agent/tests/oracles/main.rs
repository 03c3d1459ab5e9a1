//! What this crate prints and reads, held against the packages that define it. They
//! are installed from their registry, so these tests run when they are asked for:
//!
//! `cargo test -p tool-hub-agent --test oracles -- --ignored --nocapture`

#![allow(clippy::print_stdout, reason = "counts are what the tests are for")]

mod answers;
mod cases;
mod chat_templates;
#[path = "../../src/constraint/tests/family.rs"]
mod family;
mod gbnf;
mod messages;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/clients/packages.rs"]
mod packages;
mod prompts;

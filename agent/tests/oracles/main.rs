//! Tests against the packages of Transformers, OpenAI, Anthropic and llama.cpp, run only if asked.
//! The packages are installed from their registry, so these tests run only when asked for:
//!
//! `cargo test -p tool-hub-agent --test oracles -- --ignored --nocapture`

#![allow(clippy::print_stdout, reason = "counts are what the tests are for")]

mod answers;
mod cases;
mod chat_templates;
mod gbnf;
mod messages;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/clients/packages.rs"]
mod packages;
mod prompts;
#[path = "../../src/constraint/tests/random_schemas.rs"]
mod random_schemas;

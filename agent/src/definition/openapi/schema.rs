//! Converts schemas of OpenAPI to JSON Schemas of arguments, in bounded steps.
//!
//! References and `allOf` are written out, and what a function's types could not say anyway is made
//! simpler: alternatives become one type where one says most of them. Each loss is reported.

mod alternatives;
mod keywords;
mod merge;
mod read;
mod reader;

pub(super) use keywords::{example, listed};
pub(super) use read::ReadSchema;
pub(super) use reader::SchemaReader;

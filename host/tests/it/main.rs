//! Tests of the host on components written as text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test that spoils files may leave half of one"
)]

mod authoring;
mod cache;
mod calls;
mod contract;
mod grants;
mod hostile;
mod keeper;
mod keeping;
mod limits;
mod refusals;
mod support;
mod talker;
mod types;
mod usage;

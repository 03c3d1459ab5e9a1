//! Tests of the host on components written as text.

mod cache;
mod calls;
mod contract;
mod grants;
mod limits;
mod refusals;
mod support;
mod types;

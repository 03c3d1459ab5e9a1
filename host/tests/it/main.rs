//! Tests of the host on components written as text.

mod calls;
mod support;

//! Loaded tools offered to agents over the Model Context Protocol, on stdio or any other
//! pair of byte streams.
//!
//! A [`Catalogue`] says which functions are offered and under which names; [`serve_stdio`]
//! and [`serve`] answer a client until it leaves or the caller says stop. Revision
//! 2025-11-25 and older (`initialize`) and 2026-07-28 (no session) are spoken alike.

mod catalogue;
mod error;
mod mcp;
mod stdio;

pub use catalogue::{Catalogue, CatalogueError, Offer};
pub use error::ServeError;
pub use mcp::{End, serve};
pub use stdio::serve_stdio;

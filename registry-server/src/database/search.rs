//! Searches the repositories that the caller may see: filters, order and paging.
//!
//! Words alone are answered by relevance, in [`ranked`]; everything else in the order of a column,
//! in [`sorted`].

mod filter;
mod page;
mod query;
mod ranked;
mod sorted;
mod words;

pub(crate) use query::{Order, Position, RankedPosition, Search};

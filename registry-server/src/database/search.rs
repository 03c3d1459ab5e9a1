//! Searches repositories: filters, order and paging, with nothing shown to those who may not see
//! it.
//!
//! Words alone are answered by relevance, in [`ranked`]; everything else in the order of a column,
//! in [`sorted`].

mod filter;
mod page;
mod query;
mod ranked;
mod sorted;

pub(crate) use query::{Order, Position, RankedPosition, Search};

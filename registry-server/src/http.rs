//! HTTP for the controllers: bodies, queries, answers, refusals, addresses, ids, limits on load.

mod answer;
mod base_url;
mod body;
mod forwarded;
mod hosts;
mod list;
mod memory;
mod pace;
mod query;
mod refusal;
mod request_id;
mod share;
mod stalled_writes;
mod turns;

pub(crate) use answer::{Rows, json, keeping, within};
pub(crate) use base_url::{BaseUrl, next_link};
pub(crate) use body::{BodyReader, drain};
pub(crate) use forwarded::client_address;
pub(crate) use hosts::Hosts;
pub(crate) use list::{List, too_many};
pub(crate) use memory::{Memory, Reservation};
pub(crate) use query::Query;
pub(crate) use refusal::{ErrorBody, NotFound, Refusal, Reply};
pub(crate) use request_id::with_request_id;
pub(crate) use share::Share;
pub(crate) use stalled_writes::StalledWrites;
pub(crate) use turns::{Turn, Turns};

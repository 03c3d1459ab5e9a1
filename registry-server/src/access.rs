//! Access control: routes admit a request by its token, role or ticket before its controller runs.
//! A controller sees only what its admission yields.

mod admission;
mod call;
mod caller;
mod role;
mod route;
mod secret_hash;
mod ticket;

pub(crate) use admission::{
    Anyone, ManageRepository, Probe, PublishToRepository, ReadRepository, Reader, SignedIn,
    SignedInToWrite, WriteRepository,
};
pub(crate) use admission::{admit_to_manage, repo_not_found, require_token_covers};
pub(crate) use call::{Call, Routes};
pub(crate) use caller::{Caller, Visitor};
pub(crate) use role::{Role, role_in};
pub use route::{Access, Route, RouteMethod};
pub(crate) use secret_hash::hash;
pub(crate) use ticket::{HoldsTicket, new_ticket};

//! Access control. Every route names a scope; a controller sees only what its scope admitted.

mod call;
mod caller;
mod role;
mod route;
mod scope;
mod ticket;

pub(crate) use call::{Call, Routes};
pub(crate) use caller::{Caller, Visitor, hash};
pub(crate) use role::{Role, role_in};
pub use route::{Access, Route, RouteMethod};
pub(crate) use scope::{
    Anyone, ManageRepository, Probe, ReadRepository, Reader, SignedIn, SignedInToWrite,
    WriteRepository,
};
pub(crate) use scope::{admit_to_manage, repo_not_found, require_scope};
pub(crate) use ticket::{HoldsTicket, new_ticket};

//! Who may do what. Every route names a scope; a controller sees only what its scope admitted.

mod call;
mod caller;
mod route;
mod scope;
mod standing;
mod ticket;

pub(crate) use call::{Call, Routes};
pub use caller::TokenRole;
pub(crate) use caller::{Caller, Visitor, hash};
pub use route::{Access, Route, RouteMethod};
pub(crate) use scope::{
    Anyone, ManageRepository, Probe, ReadRepository, Reader, SignedIn, SignedInToWrite,
    WriteRepository,
};
pub(crate) use scope::{admit_to_manage, repo_not_found, require_reach};
pub(crate) use standing::{Standing, standing_in};
pub(crate) use ticket::{HoldsTicket, new_ticket};

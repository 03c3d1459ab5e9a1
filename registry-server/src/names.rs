//! Validated names: accounts, repositories, branches and tags, file paths, scopes of tokens.
//!
//! A name that a client sends is one of these types before it is stored or becomes part of a path.

mod account_and_repository;
mod address;
mod head;
mod path;
mod percent;
mod reference;
mod token_scope;

pub use account_and_repository::{AccountName, NameError, RepositoryName};
pub use address::RepositoryKind;
pub(crate) use address::{Address, RepositoryId};
pub(crate) use head::Head;
pub(crate) use path::{PathFault, RepositoryPath};
pub(crate) use percent::decode;
pub(crate) use reference::RefName;
pub use token_scope::{RepositoryPattern, TokenScope};

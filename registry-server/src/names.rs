//! Validated names: accounts, repositories, branches and tags, paths inside a repository, and
//! scopes of tokens.
//!
//! Everything a client sends passes through one of these types before it touches the database or a
//! file name.

mod address;
mod head;
mod path;
mod reference;
mod token_scope;
mod word;

pub use address::RepositoryKind;
pub(crate) use address::{Address, RepositoryId, decode};
pub(crate) use head::Head;
pub(crate) use path::{PathFault, RepositoryPath};
pub(crate) use reference::RefName;
pub use token_scope::{RepositoryPattern, TokenScope};
pub use word::{AccountName, NameError, RepositoryName};

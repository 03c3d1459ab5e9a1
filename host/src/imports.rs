//! The interfaces that a guest may import: HTTP, directories, storage, logging, and the contract's
//! interfaces.

pub(crate) mod directories;
pub(crate) mod http;
pub(crate) mod interaction;
pub(crate) mod keyvalue;
pub(crate) mod logging;
pub(crate) mod toolbox;

//! The modules of the interfaces that guests may import: HTTP, files, storage, logging, contract.

pub(crate) mod directories;
pub(crate) mod http;
pub(crate) mod interaction;
pub(crate) mod keyvalue;
pub(crate) mod logging;
pub(crate) mod toolbox;

//! The modules of the interfaces that guests may import: directories, HTTP, storage, logs and more.

pub(crate) mod directories;
pub(crate) mod http;
pub(crate) mod interaction;
pub(crate) mod keyvalue;
pub(crate) mod logging;
pub(crate) mod toolbox;

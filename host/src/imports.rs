//! The interfaces that guests may import: directories, HTTP, interaction, storage, logs, toolbox.

pub(crate) mod directories;
pub(crate) mod http;
pub(crate) mod interaction;
pub(crate) mod keyvalue;
pub(crate) mod logging;
pub(crate) mod toolbox;

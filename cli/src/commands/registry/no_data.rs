//! Hides the options that say where a registry's data are, for commands that need none.

use std::path::PathBuf;

use clap::{Arg, value_parser};
use tool_hub_registry_server::{DatabaseAddress, S3Storage};

/// Takes the place of the three options of `tool registry`: they are read as there, passed over,
/// and not in the help.
pub(super) fn hidden() -> [Arg; 3] {
    let hidden = |name: &'static str| Arg::new(name).long(name).hide(true).global(true);
    [
        hidden("data").value_parser(value_parser!(PathBuf)),
        hidden("database").value_parser(value_parser!(DatabaseAddress)),
        hidden("storage").value_parser(value_parser!(S3Storage)),
    ]
}

//! The configuration of the sandbox in which a user's tools run.

use tool_hub_host::HostConfig;

use crate::byte_size::ByteSize;
use crate::sensitive;
use crate::settings::Settings;

/// The sandbox with the user's cache of compiled code. No tool is ever given a directory in which
/// tool-hub keeps its own things. The compiler is the caller's to choose: only a program knows how
/// it starts a process that compiles.
pub fn host_config(settings: &Settings) -> HostConfig {
    let mut host = HostConfig::new();
    host.cache = Some(settings.compiled.clone());
    if let Some(ByteSize(bytes)) = settings.compiled_max {
        host.cache_bytes_max = bytes;
    }
    host.home = Some(settings.home.clone());
    host.refused_directories = settings.own_directories().into();
    host.guarded_names = sensitive::guarded_names();
    host
}

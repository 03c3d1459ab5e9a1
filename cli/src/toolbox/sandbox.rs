//! Opens the sandbox in which the command runs tools.

use tool_hub_host::{Compiler, Host, HostConfig};

use crate::compiler_process;
use crate::consent::sensitive;
use crate::settings::config::Config;
use crate::terminal::sizes::ByteSize;

/// Opens the sandbox, with the cache of compiled code and the compiler. No tool is ever given a
/// directory in which `tool` keeps its own things.
pub(crate) fn open_host(config: &Config) -> anyhow::Result<Host> {
    let mut host = HostConfig::new();
    host.cache = Some(config.compiled.clone());
    if let Some(ByteSize(bytes)) = config.compiled_max {
        host.cache_bytes_max = bytes;
    }
    host.compiler = Compiler::Child(compiler_process::process()?);
    host.home = Some(config.home().to_owned());
    host.refused_directories = config.own_directories().into();
    host.guarded_names = sensitive::guarded_names();
    Ok(Host::new(host)?)
}

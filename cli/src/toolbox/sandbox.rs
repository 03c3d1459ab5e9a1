//! Opens the sandbox in which the command runs tools, and makes the `Loader` of tools for it.

use std::sync::Arc;

use tool_hub_host::{Compiler, Host, RequiredGrant};
use tool_hub_registry_client::Store;
use tool_hub_toolbox::loaded::Loader;
use tool_hub_toolbox::sandbox::host_config;

use crate::compiler_process;
use crate::consent::grant_flags;
use crate::servers::connector;
use crate::session::Session;
use crate::settings::config::Config;

/// Opens the sandbox, with the cache of compiled code and this program as the compiler.
pub(crate) fn open_host(config: &Config) -> anyhow::Result<Host> {
    let mut host = host_config(&config.settings);
    host.compiler = Compiler::Child(compiler_process::process()?);
    Ok(Host::new(host)?)
}

/// Opens the sandbox with a way to the MCP servers among the tools.
pub(crate) fn open_host_with_servers(session: &Session) -> anyhow::Result<Host> {
    let mut host = host_config(&session.config.settings);
    host.compiler = Compiler::Child(compiler_process::process()?);
    host.servers = Some(Arc::new(connector::connector(session)?));
    Ok(Host::new(host)?)
}

/// The loader of the command. Its refusals name the command that grants a tool more.
pub(crate) fn loader<'a>(host: &'a Host, store: &'a Store, config: &'a Config) -> Loader<'a> {
    Loader {
        host,
        store,
        settings: &config.settings,
        advice: Some(Arc::new(advice)),
    }
}

fn advice(key: &str, grants: &[RequiredGrant]) -> String {
    grant_flags::command(&format!("tool grant {key}"), grants)
}

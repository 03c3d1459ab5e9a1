//! The `HostConfig` type: limits, cache, compiler, signals, refused directories and guarded names.
//! No tool is given such a directory, or may touch a file of such a name where it can write.

use std::path::PathBuf;
use std::sync::Arc;

use tool_hub_manifest::Limits;

use crate::compilation::compiler::Compiler;
use crate::compilation::trap_signals::SignalHandlers;
use crate::server::connection::ServerConnector;

/// The configuration of a host.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HostConfig {
    /// The limits of one call; a tool's manifest can only lower them.
    pub limits: Limits,
    /// The directory of the compiled-code cache, made when it is missing, readable by its
    /// owner only. Without one, every load compiles.
    pub cache: Option<PathBuf>,
    /// The bytes that the cache may have. When more is stored, what was used least recently
    /// is removed; code with more bytes than this is not stored.
    pub cache_bytes_max: u64,
    /// The place where components are compiled.
    pub compiler: Compiler,
    /// Directories that are never given to a tool, whatever was granted, and neither is
    /// anything that holds them: the embedder's own files. The root directory, the system's
    /// own and the cache are refused in any case.
    pub refused_directories: Vec<PathBuf>,
    /// The home directory of whoever runs the host: never given to a tool as a whole, while
    /// what is in it may be.
    pub home: Option<PathBuf>,
    /// Names on which other programs act, such as `.git`. In a directory with write access no tool
    /// may make, open, change or remove anything with such a name, or below it, however deep and
    /// through whatever link. A place in `DirectoryGrant::despite` is excepted, and nothing else of
    /// its name.
    pub guarded_names: Vec<String>,
    /// The most calls that run, or wait for something outside of the host, at once. No single
    /// caller can use all of them; see [`Tool::for_caller`](crate::Tool::for_caller).
    pub calls_in_flight_max: u32,
    /// The most of those that run their own code at once. A call whose guest is asleep or waits
    /// for an answer does not count.
    pub calls_running_max: u32,
    /// The most calls that wait for their turn; further calls fail because the host is busy. No
    /// single caller can use all of them.
    pub calls_waiting_max: u32,
    /// The answer to components that use the component model's async, and so to those for WASI 0.3.
    pub component_async: ComponentAsync,
    /// Who sets handlers for the signals by which guests trap.
    pub signal_handlers: SignalHandlers,
    /// The way to MCP servers among the tools. Without one they are not loaded.
    pub servers: Option<Arc<dyn ServerConnector>>,
}

#[expect(
    clippy::new_without_default,
    reason = "what guards a machine is set up by name, never by default"
)]
impl HostConfig {
    /// The standard limits, no cache (4 GiB for one), compilation in this process, 32 calls at
    /// once, as many of them running as there are processors, and 256 waiting, and nobody else who
    /// handles the signals of traps. Tools get nothing beyond what is granted to each of them.
    pub fn new() -> Self {
        Self {
            limits: Limits::standard(),
            cache: None,
            cache_bytes_max: 4 << 30,
            compiler: Compiler::InProcess,
            refused_directories: Vec::new(),
            home: None,
            guarded_names: Vec::new(),
            calls_in_flight_max: 32,
            calls_running_max: processors(),
            calls_waiting_max: 256,
            component_async: ComponentAsync::Offered,
            signal_handlers: SignalHandlers::Engine,
            servers: None,
        }
    }
}

/// The answer to components that use the component model's async.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComponentAsync {
    /// They are loaded, and run in an engine of their own.
    Offered,
    /// They are refused.
    Refused,
}

fn processors() -> u32 {
    let count = std::thread::available_parallelism();
    count.map_or(1, |count| u32::try_from(count.get()).unwrap_or(u32::MAX))
}

//! The `CallState` in the store of a call: everything of the host that its guest can reach.

use std::sync::Arc;

use tool_hub_manifest::Access;
use tool_hub_manifest::contract::{Failure, FailureKind};
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::call::meter::Meter;
use crate::call::policy::Policy;
use crate::call::record::Record;
use crate::imports::directories::DirectoryHandle;
use crate::imports::http::Gate;

/// The host's side of one call. What most guests never touch is built when they do.
pub(crate) struct CallState {
    pub(crate) policy: Arc<Policy>,
    pub(crate) record: Arc<Record>,
    pub(crate) meter: Meter,
    wasi: Option<WasiCtx>,
    http: WasiHttpCtx,
    gate: Option<Gate>,
    table: ResourceTable,
    /// The time of the latest progress report to the agent.
    pub(crate) reported: Option<std::time::Instant>,
    /// The bytes that the guest has written to streams and futures of its result.
    pub(crate) streamed_bytes: usize,
    /// The number of questions that the guest has asked.
    pub(crate) questions: u32,
    /// The number of functions beside its own tool that the guest has called.
    pub(crate) called: u32,
}

impl CallState {
    /// The state of a call under `policy`: nothing is inherited, only what was granted is there.
    ///
    /// # Errors
    /// When a granted directory cannot be given.
    pub(crate) fn new(policy: Arc<Policy>, record: Arc<Record>) -> Result<Self, Failure> {
        let limits = record.limits;
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles as usize);
        let mut http = WasiHttpCtx::new();
        http.set_field_size_limit(limits.http_header_bytes as usize);
        let wasi = match policy.grants.directories.is_empty() {
            true => None,
            false => Some(with_directories(&policy, &record)?),
        };
        Ok(Self {
            meter: Meter::new(&limits),
            wasi,
            http,
            gate: None,
            table,
            reported: None,
            streamed_bytes: 0,
            questions: 0,
            called: 0,
            policy,
            record,
        })
    }

    pub(crate) fn table(&mut self) -> &mut ResourceTable {
        &mut self.table
    }
}

/// The part of WASI that every guest has.
fn base(policy: &Policy, record: &Record) -> WasiCtxBuilder {
    let mut wasi = WasiCtx::builder();
    wasi.stdout(record.stdout.clone())
        .stderr(record.stderr.clone())
        .allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false)
        .max_random_size(record.limits.random_bytes)
        .envs(&policy.variables);
    wasi
}

fn with_directories(policy: &Policy, record: &Record) -> Result<WasiCtx, Failure> {
    let mut wasi = base(policy, record);
    for (name, granted) in &policy.grants.directories {
        let access = match granted.access {
            Access::Read => FsPerms::ReadOnly,
            Access::ReadWrite => FsPerms::ReadWrite,
        };
        let unavailable = |message| Failure::new(FailureKind::Unavailable, message);
        let directory = DirectoryHandle::find(name, &granted.path).map_err(unavailable)?;
        wasi.preopened_dir(directory.path(), format!("/{name}"), access)
            .map_err(|error| {
                let path = granted.path.display();
                unavailable(format!(
                    "the directory {path} granted as `{name}` cannot be opened: {error:#}"
                ))
            })?;
    }
    Ok(wasi.build())
}

impl Drop for CallState {
    fn drop(&mut self) {
        // Memories and tables never shrink, so this is the peak.
        self.record.counts.memory_bytes.add(self.meter.bytes());
    }
}

impl WasiView for CallState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let build = || base(&self.policy, &self.record).build();
        WasiCtxView {
            ctx: self.wasi.get_or_insert_with(build),
            table: &mut self.table,
        }
    }
}

impl WasiHttpView for CallState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let build = || Gate::new(&self.policy, self.record.clone());
        WasiHttpCtxView {
            ctx: &mut self.http,
            table: &mut self.table,
            hooks: self.gate.get_or_insert_with(build),
        }
    }
}

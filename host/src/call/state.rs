//! Everything the guest of one call can reach on the host's side.

use std::sync::Arc;

use tool_hub_manifest::{Access, Capabilities};
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_config::WasiConfigVariables;
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::directories::Held;
use crate::grant::Known;
use crate::http::Gate;
use crate::tool::Loaded;
use crate::{Failure, FailureKind, Storage};

use super::meter::Meter;
pub(crate) use super::record::Denials;
use super::record::Record;

/// The host's side of one call.
pub(crate) struct CallState {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    gate: Gate,
    table: ResourceTable,
    pub(crate) settings: Arc<WasiConfigVariables>,
    pub(crate) meter: Meter,
    pub(crate) record: Arc<Record>,
    /// When the agent was last told how far the call is.
    pub(crate) reported: Option<std::time::Instant>,
    /// How many questions the guest has asked.
    pub(crate) questions: u32,
    pub(crate) storage: Option<Storage>,
    pub(crate) known: Arc<Known>,
    pub(crate) capabilities: Arc<Capabilities>,
}

impl CallState {
    /// The state of a call of `tool`: nothing is inherited, only what was granted is there.
    pub(crate) fn new(tool: &Loaded, record: Arc<Record>) -> Result<Self, Failure> {
        let limits = tool.limits;
        let mut wasi = WasiCtx::builder();
        wasi.stdout(record.stdout.clone())
            .stderr(record.stderr.clone())
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .max_random_size(limits.random_bytes)
            .envs(&tool.variables);
        for (name, granted) in &tool.grants.directories {
            let access = match granted.access {
                Access::Read => FsPerms::ReadOnly,
                Access::ReadWrite => FsPerms::ReadWrite,
            };
            let unavailable = |message| Failure::new(FailureKind::Unavailable, message);
            let held = Held::find(name, &granted.path).map_err(unavailable)?;
            wasi.preopened_dir(held.path(), format!("/{name}"), access)
                .map_err(|error| {
                    let path = granted.path.display();
                    unavailable(format!(
                        "the directory {path} granted as `{name}` cannot be opened: {error:#}"
                    ))
                })?;
        }
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles as usize);
        let mut http = WasiHttpCtx::new();
        http.set_field_size_limit(limits.http_header_bytes as usize);
        Ok(Self {
            wasi: wasi.build(),
            http,
            gate: Gate::new(tool, record.denials.clone()),
            table,
            settings: tool.settings.clone(),
            meter: Meter::new(&limits),
            record,
            reported: None,
            questions: 0,
            storage: tool.storage.clone(),
            known: tool.known.clone(),
            capabilities: tool.asked.clone(),
        })
    }

    pub(crate) fn table(&mut self) -> &mut ResourceTable {
        &mut self.table
    }
}

impl WasiView for CallState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl WasiHttpView for CallState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView {
            ctx: &mut self.http,
            table: &mut self.table,
            hooks: &mut self.gate,
        }
    }
}

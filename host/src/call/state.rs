//! Everything the guest of one call can reach on the host's side.

use std::sync::{Arc, Mutex, PoisonError};

use tool_hub_manifest::{Access, Limits};
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_config::WasiConfigVariables;
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::grant::{self, Denial};
use crate::http::Gate;
use crate::interaction::Output;
use crate::tool::Loaded;
use crate::{Failure, FailureKind, Interaction};

use super::asking::Pause;
use super::meter::Meter;
use super::streams::Captured;

/// The host's side of one call.
pub(crate) struct CallState {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    gate: Gate,
    table: ResourceTable,
    pub(crate) settings: Arc<WasiConfigVariables>,
    pub(crate) meter: Meter,
    pub(crate) limits: Limits,
    /// How many times the clock ticked while the guest's code ran.
    pub(crate) ticks: u64,
    pub(crate) interaction: Arc<dyn Interaction>,
    pub(crate) pause: Arc<Pause>,
    pub(crate) reported: Option<std::time::Instant>,
    stdout: Captured,
    pub(crate) stderr: Captured,
    denials: Denials,
    /// What the manifest asks for and the user did not grant.
    absent: Arc<[Denial]>,
}

/// What the host refused during a call, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Denials(Arc<Mutex<Vec<Denial>>>);

impl Denials {
    pub(crate) fn add(&self, denial: Denial) {
        let mut denials = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A guest may try as often as it likes; one refusal explains all.
        if denials.len() < 8 && !denials.contains(&denial) {
            denials.push(denial);
        }
    }

    fn last(&self) -> Option<Denial> {
        let denials = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        denials.last().cloned()
    }
}

impl CallState {
    /// The state of a call of `tool`: nothing is inherited, only what was granted is there.
    pub(crate) fn new(tool: &Loaded, interaction: Arc<dyn Interaction>) -> Result<Self, Failure> {
        let limits = tool.limits;
        let stdout = Captured::new(limits.output_stream_bytes);
        let stderr = Captured::new(limits.output_stream_bytes);
        let mut wasi = WasiCtx::builder();
        wasi.stdout(stdout.clone())
            .stderr(stderr.clone())
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
            wasi.preopened_dir(&granted.path, format!("/{name}"), access)
                .map_err(|error| {
                    let path = granted.path.display();
                    let message = format!(
                        "the directory {path} granted as `{name}` cannot be opened: {error:#}"
                    );
                    Failure::new(FailureKind::Unavailable, message)
                })?;
        }
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles as usize);
        let denials = Denials::default();
        Ok(Self {
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            gate: Gate::new(tool, denials.clone()),
            table,
            settings: tool.settings.clone(),
            meter: Meter::new(limits.memory_bytes),
            limits,
            ticks: 0,
            interaction,
            pause: Arc::default(),
            reported: None,
            stdout,
            stderr,
            denials,
            absent: tool.absent.clone(),
        })
    }

    /// Adds to a failure that is the tool's own what the host knows: a refusal that led to
    /// it, or something that was asked for and is not there.
    pub(crate) fn explain(&self, mut failure: Failure) -> Failure {
        if matches!(
            failure.kind,
            FailureKind::HostLimit { .. } | FailureKind::InputRequired(_)
        ) {
            return failure;
        }
        if let Some(denial) = self.denials.last() {
            failure.message = format!("{} ({})", failure.message, denial.message());
            failure.fix = Some(denial.fix());
            failure.kind = FailureKind::Denied {
                capability: denial.capability(),
            };
            failure.retryable = false;
        } else if let Some(reminder) = grant::reminder(&self.absent) {
            failure.fix = match failure.fix {
                None => Some(reminder),
                // The tool knows that something is missing, but not how this host grants it.
                Some(fix) if failure.kind == FailureKind::PermissionDenied => {
                    Some(format!("{fix}; {reminder}"))
                }
                fix => fix,
            };
        }
        failure
    }

    /// Hands what the guest wrote to the embedder.
    pub(crate) fn deliver_output(&self) {
        let (stdout, dropped) = self.stdout.contents();
        let (stderr, more) = self.stderr.contents();
        self.interaction.output(&Output {
            stdout,
            stderr,
            dropped_bytes: dropped + more,
        });
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

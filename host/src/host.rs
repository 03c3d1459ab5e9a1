//! The host: one engine, and everything that the tools of a process share.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_hub_manifest::{Digest, Verified};
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};
use wasmtime_wasi_config::WasiConfig;

use crate::admission::CallLimiter;
use crate::ahead::Ahead;
use crate::cache::Cache;
use crate::call::state::CallState;
use crate::call::{asking, calling, keyvalue, logging};
use crate::code::Code;
use crate::compiler::Turns;
use crate::directories::{self, Guard};
use crate::engine::{self, Clock};
use crate::exports::{Exports, Placed};
use crate::http::Tls;
use crate::plan::Plan;
use crate::processors::Processors;
use crate::secret::Secrets;
use crate::tool::Loaded;
use crate::{Approved, HostConfig, HostError, Tool, claims, grant, needs, scan};

/// The sandbox of a process. Cloning is cheap; clones share everything.
#[derive(Clone)]
pub struct Host {
    shared: Arc<Shared>,
}

/// What clones of a host share.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) clock: Clock,
    pub(crate) tls: Arc<Tls>,
    config: HostConfig,
    linker: Linker<CallState>,
    cache: Option<Cache>,
    ahead: Ahead,
    compilations: Turns,
    pub(crate) limiter: CallLimiter,
    pub(crate) processors: Processors,
}

/// What happens while a tool is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadEvent {
    /// The compiled code was found in the cache.
    Cached,
    /// Compilation begins; a component of many megabytes takes seconds.
    Compiling {
        /// The component's size.
        bytes: u64,
    },
    /// Compilation is over.
    Compiled {
        /// How long it took.
        elapsed: Duration,
    },
}

impl Host {
    /// Sets up the engine, its clock and the cache.
    ///
    /// # Errors
    /// When the machine refuses the address space or the thread, or the cache directory
    /// cannot be used.
    pub fn new(config: HostConfig) -> Result<Self, HostError> {
        // A host that may run no call at all would make every caller wait for ever.
        let in_flight = config.calls_in_flight_max.max(1);
        let engine = engine::engine(&config.limits, in_flight)?;
        let clock = Clock::start(&engine)?;
        let linker = linker(&engine).map_err(|error| HostError::Engine {
            reason: format!("{error:#}"),
        })?;
        let cache = match &config.cache {
            Some(directory) => Some(Cache::open(directory, config.cache_bytes_max, &engine)?),
            None => None,
        };
        let limiter = CallLimiter::new(in_flight, config.calls_waiting_max);
        let processors = Processors::new(config.calls_running_max)?;
        Ok(Self {
            shared: Arc::new(Shared {
                engine,
                clock,
                tls: Arc::default(),
                config,
                linker,
                cache,
                ahead: Ahead::default(),
                compilations: Turns::new(),
                limiter,
                processors,
            }),
        })
    }

    pub(crate) fn cache(&self) -> Option<&Cache> {
        self.shared.cache.as_ref()
    }

    /// Begins to read, authenticate and map the compiled code of a component, on another
    /// thread, so that it is at hand when the tool is loaded; the time in which the component
    /// is verified is enough for that. Nothing is run. What is never loaded stays in memory as
    /// long as the host. Without a cache, and for code that is not in it, nothing happens.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn prefetch(&self, component: &Digest) {
        let (shared, digest) = (self.shared.clone(), *component);
        if shared.cache.is_some() {
            self.shared
                .ahead
                .begin(digest, move || shared.cached(&digest));
        }
    }

    /// Compiles an approved tool, or takes its code from the cache, and makes it callable.
    ///
    /// # Errors
    /// When the tool is refused, needs what this host does not offer, cannot be compiled,
    /// or a granted directory cannot be given away.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub async fn load(&self, approved: Approved) -> Result<Tool, HostError> {
        self.load_with(approved, |_| {}).await
    }

    /// Loads as [`Host::load`] does, and tells `progress` what happens.
    ///
    /// # Errors
    /// As [`Host::load`].
    ///
    /// # Panics
    /// As [`Host::load`].
    pub async fn load_with(
        &self,
        approved: Approved,
        progress: impl Fn(LoadEvent) + Send + 'static,
    ) -> Result<Tool, HostError> {
        let shared = self.shared.clone();
        let load = move || shared.load(&approved, &progress);
        match tokio::task::spawn_blocking(load).await {
            Ok(loaded) => loaded.map(Tool::new),
            Err(error) => Err(HostError::Engine {
                reason: format!("the loading thread ended: {error}"),
            }),
        }
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host")
            .field("config", &self.shared.config)
            .finish_non_exhaustive()
    }
}

impl Shared {
    fn load(
        self: &Arc<Self>,
        approved: &Approved,
        progress: &dyn Fn(LoadEvent),
    ) -> Result<Loaded, HostError> {
        let verified = approved.verified();
        let manifest = verified.manifest();
        let grants = approved.grants().clone();
        directories::check(&grants, &self.config)?;
        let component = self.component(verified, progress)?;
        let exports = Exports::of_component(&component);
        let (functions, mut refusals) = claims::check(manifest, &exports);
        refusals.extend(exports.foreign_imports());
        if !refusals.is_empty() {
            return Err(HostError::Refused {
                tool: manifest.name.clone(),
                refusals,
            });
        }
        let pre = self.linker.instantiate_pre(&component);
        let pre = pre.map_err(|error| HostError::Compile {
            tool: manifest.name.clone(),
            reason: format!("{error:#}"),
        })?;
        let (functions, places): (Vec<_>, Vec<usize>) = functions.into_iter().unzip();
        let plans = places.into_iter().map(|place| {
            let Placed {
                signature, index, ..
            } = &exports.callable[place];
            Plan::new(*index, signature.clone())
        });
        let beside = exports.beside.into_iter();
        let beside = beside.map(|(beside, signature, index)| (beside, Plan::new(index, signature)));
        let asked = &manifest.capabilities;
        let known = Arc::new(approved.known());
        let absent = grant::absent(&known, asked, &grants);
        let values = approved.values();
        Ok(Loaded {
            host: self.clone(),
            name: manifest.name.clone(),
            icon: manifest.icon.clone(),
            pin: *verified.pin(),
            known,
            asked: Arc::new(asked.clone()),
            limits: self.config.limits.lowered_to(&manifest.limits),
            variables: values.map(|(n, v)| (n.to_owned(), v.to_owned())).collect(),
            settings: Arc::new(approved.values().collect()),
            secrets: Secrets::new(approved.secrets()),
            unmasked: approved.unmasked_variables().cloned().collect(),
            storage: approved.storage(),
            absent: absent.into(),
            guard: Guard::new(&grants, &self.config).into(),
            grants: Arc::new(grants),
            plans: plans.collect(),
            beside: beside.collect(),
            functions,
            pre,
        })
    }

    /// The compiled component, from the cache or made anew.
    fn component(
        &self,
        verified: &Verified,
        progress: &dyn Fn(LoadEvent),
    ) -> Result<Component, HostError> {
        let digest = &verified.pin().component;
        let ahead = self.ahead.finish(digest);
        if let Some(component) = ahead.unwrap_or_else(|| self.cached(digest)) {
            progress(LoadEvent::Cached);
            return Ok(component);
        }
        let code = self.compile(verified, progress)?;
        let component = code.component(&self.engine);
        let component = component.map_err(|error| {
            let tool = &verified.manifest().name;
            needs::not_compiled(tool, &self.config.limits, format!("{error:#}"))
        })?;
        if let Some(cache) = &self.cache {
            cache.entry(digest).store(&code);
        }
        Ok(component)
    }

    /// The component with `digest`, when the cache has its code.
    fn cached(&self, digest: &Digest) -> Option<Component> {
        let code = self.cache.as_ref()?.entry(digest).load()?;
        match code.component(&self.engine) {
            Ok(component) => Some(component),
            Err(error) => {
                tracing::warn!(%error, "compiled code is not used");
                None
            }
        }
    }

    /// Compiles what the cheap scan lets through.
    fn compile(
        &self,
        verified: &Verified,
        progress: &dyn Fn(LoadEvent),
    ) -> Result<Code, HostError> {
        let component = verified.component();
        let _turn = self.compilations.take();
        scan::scan(component)?;
        let begun = Instant::now();
        progress(LoadEvent::Compiling {
            bytes: component.len() as u64,
        });
        let compiled = self.config.compiler.compile(component, &self.engine);
        let code = compiled.map_err(|error| HostError::compiling(verified.manifest(), error))?;
        progress(LoadEvent::Compiled {
            elapsed: begun.elapsed(),
        });
        Ok(code)
    }
}

/// Everything that guests may import. What is not granted is linked to refusals, because
/// language runtimes import much that tools never use.
fn linker(engine: &Engine) -> wasmtime::Result<Linker<CallState>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    wasmtime_wasi_config::add_to_linker(&mut linker, |state: &mut CallState| {
        WasiConfig::from(&*state.tool.settings)
    })?;
    directories::add_to_linker(&mut linker)?;
    asking::add_to_linker(&mut linker)?;
    calling::add_to_linker(&mut linker)?;
    keyvalue::add_to_linker(&mut linker)?;
    logging::add_to_linker(&mut linker)?;
    Ok(linker)
}

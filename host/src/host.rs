//! The `Host`: loads approved tools, from the code cache or by compiling, and links their imports.
//! It holds the engine, the cache and everything else that its tools share.

mod tree_load;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tool_hub_manifest::{Digest, ServerDescription, Verified};
use wasmtime::component::Component;

use crate::approval::approved::Approved;
use crate::approval::inspection::imports;
use crate::approval::{claims, denial};
use crate::call::plan::{Callee, Plan};
use crate::call::policy::Policy;
use crate::call::{SandboxTemplate, freed_memory};
use crate::compilation::cache::Cache;
use crate::compilation::cache::eviction::EvictedFiles;
use crate::compilation::code::Code;
use crate::compilation::compile_error;
use crate::compilation::compiler::slots::CompileSlots;
use crate::compilation::prefetch::Prefetch;
use crate::component::engine_kind::EngineKind;
use crate::component::exports::Exports;
use crate::component::function::CallableFunction;
use crate::component::links::{self, Dependency};
use crate::component::scan;
use crate::config::HostConfig;
use crate::error::HostError;
use crate::error::refusal::Refusal;
use crate::imports::directories;
use crate::imports::directories::guard::Guard;
use crate::imports::http::connect::Tls;
use crate::linker;
use crate::load_event::LoadEvent;
use crate::program::{self, Program};
use crate::runtime::{Runtime, Runtimes};
use crate::secret::Secrets;
use crate::server;
use crate::server::connection::ApprovedServer;
use crate::tool::{LoadedComponent, LoadedTool, Tool, ToolCode};
use tree_load::TreeLoad;

/// The most interpreters that are kept while no tool needs them.
const INTERPRETERS_MAX: usize = 8;

/// The sandbox of a process. Cloning is cheap; clones share everything.
#[derive(Clone)]
pub struct Host {
    shared: Arc<HostState>,
}

/// The state that all clones of a host share.
struct HostState {
    config: HostConfig,
    runtimes: Runtimes,
    tls: Arc<Tls>,
    cache: Option<Cache>,
    prefetch: Prefetch,
    compile_slots: CompileSlots,
    /// The interpreters that tools were loaded with: one mapping of their code for all of them.
    interpreters: Mutex<HashMap<Digest, Arc<Mutex<Option<Component>>>>>,
}

impl Host {
    /// Sets up the engine, its clock and the cache. With glibc it also sets `M_TRIM_THRESHOLD` of
    /// the process to 1 MiB: otherwise glibc keeps up to 64 MiB of what long results took in each
    /// of its arenas.
    ///
    /// # Errors
    /// When the machine refuses the address space or the thread, or the cache directory
    /// cannot be used.
    pub fn new(config: HostConfig) -> Result<Self, HostError> {
        freed_memory::keep_little();
        let runtimes = Runtimes::new(&config)?;
        let cache = match &config.cache {
            Some(directory) => {
                let bytes_max = config.cache_bytes_max;
                Some(Cache::open(directory, bytes_max, runtimes.engine())?)
            }
            None => None,
        };
        Ok(Self {
            shared: Arc::new(HostState {
                config,
                runtimes,
                tls: Arc::default(),
                cache,
                prefetch: Prefetch::default(),
                compile_slots: CompileSlots::new(),
                interpreters: Mutex::default(),
            }),
        })
    }

    /// Removes the compiled code of every component but those with the digests `keep`, all
    /// code that another version or configuration of the engine made, and what processes
    /// left half written. Code that is in use goes on working: it was read into memory.
    ///
    /// # Errors
    /// [`HostError::Cache`] when the directory cannot be read or a file cannot be removed.
    pub fn trim_cache(&self, keep: &[Digest]) -> Result<EvictedFiles, HostError> {
        match &self.shared.cache {
            Some(cache) => cache.trim(keep),
            None => Ok(EvictedFiles::default()),
        }
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
                .prefetch
                .begin(digest, move || shared.cached(&digest));
        }
    }

    /// Compiles an approved tool, or takes its code from the cache, and makes it callable. Nothing
    /// of it is run: what the modules of a [program](Tool::prepare) do when they are loaded, the
    /// first call does.
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
    /// The same as [`Host::load`].
    ///
    /// # Panics
    /// The same as [`Host::load`].
    pub async fn load_with(
        &self,
        approved: Approved,
        progress: impl Fn(LoadEvent) + Send + 'static,
    ) -> Result<Tool, HostError> {
        let shared = self.shared.clone();
        let load = move || shared.load(&approved, &mut TreeLoad::new(&progress), 0);
        let loaded = match tokio::task::spawn_blocking(load).await {
            Ok(loaded) => loaded?,
            Err(error) => {
                return Err(HostError::Engine {
                    reason: format!("the loading thread ended: {error}"),
                });
            }
        };
        Ok(Tool::new(loaded))
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host")
            .field("config", &self.shared.config)
            .finish_non_exhaustive()
    }
}

impl HostState {
    /// Loads a tool that is `depth` tools away from the one that somebody calls, and before it
    /// those that it depends on.
    fn load(
        &self,
        approved: &Approved,
        tree: &mut TreeLoad<'_>,
        depth: usize,
    ) -> Result<LoadedTool, HostError> {
        let verified = approved.verified();
        let manifest = verified.manifest();
        tree.count(depth, &manifest.name)?;
        directories::check(approved.grants(), &self.config)?;
        if let Some(description) = approved.server() {
            return self.load_server(approved, description);
        }
        let mut dependencies = BTreeMap::new();
        for (name, dependency) in approved.dependencies() {
            let loaded = self.load(dependency, tree, depth + 1)?;
            dependencies.insert(name.clone(), Arc::new(loaded));
        }
        let component = match verified.interpreter() {
            None => tree.component(verified, |progress| self.component(verified, progress))?,
            Some(_) => self.interpreter(verified, tree.progress)?,
        };
        let compiled = Exports::of_component(&component);
        let linked = approved.dependencies().iter().map(|(name, approved)| {
            let version = &approved.verified().manifest().version;
            let functions = dependencies[name].exports();
            (name.clone(), Dependency::new(version, functions))
        });
        let (links, unlinked) = links::links(manifest, &compiled.imports, &linked.collect());
        let mut refusals = imports::refusals(&compiled.imports, &links);
        refusals.extend(unlinked);
        let runtime = self.runtimes.of_component(&component, &self.config)?;
        let mut linker = Cow::Borrowed(&runtime.linker);
        let (program, exports) = match verified.interpreter() {
            None => (None, compiled.map(|_, _, index| Callee::Export(index))),
            Some(_) => {
                let exports = program::exports(verified)?;
                let exports = exports.map(|_, _, function| Callee::Program(function));
                refusals.extend(imports::refusals(&exports.imports, &[]));
                if !dependencies.is_empty() {
                    refusals.push(Refusal::ProgramWithDependencies);
                }
                let withheld = compiled.imports.iter();
                let withheld = withheld.filter(|it| imports::is_withheld(it, &exports.imports));
                linker::withhold(linker.to_mut(), withheld)?;
                (Some(Program::new(verified, &compiled)?), exports)
            }
        };
        let (functions, wrong_claims) = claims::check(manifest, &exports);
        refusals.splice(0..0, wrong_claims);
        if !refusals.is_empty() {
            return Err(HostError::Refused {
                tool: manifest.name.clone(),
                refusals,
            });
        }
        for link in links {
            let functions = dependencies[&link.dependency].linked_functions(&link);
            linker::link_dependency(linker.to_mut(), &link.import, functions)?;
        }
        let linked = linker.instantiate_pre(&component);
        let component = linked.map_err(|error| HostError::Compile {
            tool: manifest.name.clone(),
            reason: format!("{error:#}"),
        })?;
        let (mut functions, indices): (Vec<CallableFunction>, Vec<usize>) =
            functions.into_iter().unzip();
        for function in &mut functions {
            let author = function.confirm.take();
            function.confirm = approved.confirmation(&function.name, author);
        }
        let plans = indices
            .into_iter()
            .zip(&functions)
            .map(|(index, function)| {
                let export = &exports.callable[index];
                let plan = Plan::new(export.index.clone(), export.signature.clone());
                let claim = manifest.functions.get(&function.name);
                match claim.is_some_and(|claim| claim.input_schema.is_some()) {
                    true => Arc::new(plan.taking_json()),
                    false => Arc::new(plan),
                }
            });
        let plans = plans.collect();
        let contract_plans = exports.contract.into_iter();
        let contract_plans = contract_plans
            .map(|(export, signature, callee)| (export, Plan::new(callee, signature)));
        let policy = Arc::new(self.policy(approved));
        Ok(LoadedTool {
            name: manifest.name.clone(),
            icon: manifest.icon.clone(),
            pin: *verified.pin(),
            unmasked: approved.unmasked_variables().cloned().collect(),
            functions,
            policy: policy.clone(),
            code: ToolCode::Component(LoadedComponent {
                plans,
                contract_plans: contract_plans.collect(),
                template: Arc::new(SandboxTemplate {
                    executor: runtime.executor,
                    policy,
                    component,
                    program,
                }),
                dependencies: dependencies.into_values().collect(),
            }),
        })
    }

    /// A tool whose calls a server answers. Nothing is started.
    fn load_server(
        &self,
        approved: &Approved,
        description: &Arc<ServerDescription>,
    ) -> Result<LoadedTool, HostError> {
        let verified = approved.verified();
        let manifest = verified.manifest();
        let Some(connector) = &self.config.servers else {
            return Err(HostError::NoServers {
                tool: manifest.name.clone(),
            });
        };
        let server = ApprovedServer::new(approved, description.clone());
        let functions = server::inspection::functions(description).into_iter();
        let functions = functions.map(|mut function| {
            function.confirm = approved.confirmation(&function.name, None);
            function
        });
        Ok(LoadedTool {
            name: manifest.name.clone(),
            icon: None,
            pin: *verified.pin(),
            unmasked: approved.unmasked_variables().cloned().collect(),
            functions: functions.collect(),
            policy: Arc::new(self.policy(approved)),
            code: ToolCode::Server(connector.connect(server)),
        })
    }

    fn policy(&self, approved: &Approved) -> Policy {
        let manifest = approved.verified().manifest();
        let (asked, grants) = (&manifest.capabilities, approved.grants());
        let tool = Arc::new(approved.identity());
        let values = approved.values();
        Policy {
            absent: denial::absent(&tool, asked, grants).into(),
            tool,
            asked: Arc::new(asked.clone()),
            grants: Arc::new(grants.clone()),
            limits: self.config.limits.lowered_to(&manifest.limits),
            variables: values.map(|(n, v)| (n.to_owned(), v.to_owned())).collect(),
            settings: Arc::new(approved.values().collect()),
            credentials: Arc::new(approved.credentials()),
            secrets: Secrets::new(approved.secrets()),
            storage: approved.storage(),
            guard: Guard::new(grants, &self.config).into(),
            tls: self.tls.clone(),
            recorder: approved.recorder().cloned(),
        }
    }

    /// The compiled interpreter of a tool. While the first tool that names it is loaded, others of
    /// the same interpreter wait.
    fn interpreter(
        &self,
        verified: &Verified,
        progress: &dyn Fn(LoadEvent),
    ) -> Result<Component, HostError> {
        let slot = {
            let known = self.interpreters.lock();
            let mut known = known.unwrap_or_else(PoisonError::into_inner);
            if known.len() >= INTERPRETERS_MAX && !known.contains_key(&verified.code_digest()) {
                known.clear();
            }
            known.entry(verified.code_digest()).or_default().clone()
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(component) = &*slot {
            progress(LoadEvent::Cached);
            return Ok(component.clone());
        }
        Ok(slot.insert(self.component(verified, progress)?).clone())
    }

    /// The compiled component, from the cache or made anew.
    fn component(
        &self,
        verified: &Verified,
        progress: &dyn Fn(LoadEvent),
    ) -> Result<Component, HostError> {
        let digest = &verified.code_digest();
        let prefetched = self.prefetch.finish(digest);
        if let Some(component) = prefetched.unwrap_or_else(|| self.cached(digest)) {
            progress(LoadEvent::Cached);
            return Ok(component);
        }
        let code = self.compile(verified, progress)?;
        let runtime = self.runtime(verified.code())?;
        let component = code.component(runtime.engine());
        let component = component.map_err(|error| {
            let tool = &verified.manifest().name;
            compile_error::not_loaded(tool, &self.config.limits, &error)
        })?;
        if let Some(cache) = &self.cache {
            cache.entry(digest).store(&code);
        }
        Ok(component)
    }

    fn runtime(&self, component: &[u8]) -> Result<Runtime, HostError> {
        let kind = EngineKind::of(component);
        self.runtimes.of_kind(kind, &self.config)
    }

    /// The component with `digest`, when the cache has its code.
    fn cached(&self, digest: &Digest) -> Option<Component> {
        let code = self.cache.as_ref()?.entry(digest).load()?;
        match self.runtimes.component(&code, &self.config) {
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
        let component = verified.code();
        let _slot = self.compile_slots.take();
        scan::scan(component)?;
        let begun = Instant::now();
        progress(LoadEvent::Compiling {
            bytes: component.len() as u64,
        });
        let runtime = self.runtime(component)?;
        let compiled = self.config.compiler.compile(component, runtime.engine());
        let code = compiled.map_err(|error| error.into_host_error(&verified.manifest().name))?;
        progress(LoadEvent::Compiled {
            elapsed: begun.elapsed(),
        });
        Ok(code)
    }
}

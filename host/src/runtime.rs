//! The `Runtimes` of a host: for each kind of component an engine, and a linker of its imports.

use std::sync::{Arc, Mutex, PoisonError};

use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

use crate::call::executor::Executor;
use crate::call::state::CallState;
use crate::compilation::code::Code;
use crate::component::engine_kind::EngineKind;
use crate::config::{ComponentAsync, HostConfig};
use crate::error::HostError;
use crate::linker;

/// An engine with its clock, and the imports that its guests may have.
#[derive(Clone)]
pub(crate) struct Runtime {
    pub(crate) executor: Arc<Executor>,
    pub(crate) linker: Linker<CallState>,
}

impl Runtime {
    fn new(kind: EngineKind, executor: Executor) -> Result<Self, HostError> {
        Ok(Self {
            linker: linker::linker(kind, &executor.engine)?,
            executor: Arc::new(executor),
        })
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.executor.engine
    }
}

/// The runtimes of a host.
pub(crate) struct Runtimes {
    single_task: Runtime,
    /// Made for the first component that needs it.
    multi_task: Mutex<Option<Runtime>>,
}

impl Runtimes {
    /// Makes the runtime of components that have one task for each call.
    ///
    /// # Errors
    /// When the machine refuses the address space or a thread.
    pub(crate) fn new(config: &HostConfig) -> Result<Self, HostError> {
        Ok(Self {
            single_task: Runtime::new(EngineKind::SingleTask, Executor::new(config)?)?,
            multi_task: Mutex::default(),
        })
    }

    /// The engine that there always is.
    pub(crate) fn engine(&self) -> &Engine {
        self.single_task.engine()
    }

    /// The runtime of components of `kind`.
    ///
    /// # Errors
    /// The same as [`Runtimes::new`], and when `config` refuses components of this kind.
    pub(crate) fn of_kind(
        &self,
        kind: EngineKind,
        config: &HostConfig,
    ) -> Result<Runtime, HostError> {
        if kind == EngineKind::SingleTask {
            return Ok(self.single_task.clone());
        }
        if config.component_async == ComponentAsync::Refused {
            return Err(HostError::NeedsFeature {
                feature: "component-model async (WASI 0.3)",
            });
        }
        let made = self.multi_task.lock();
        let mut made = made.unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = &*made {
            return Ok(runtime.clone());
        }
        let executor = self.single_task.executor.multi_task(config)?;
        Ok(made.insert(Runtime::new(kind, executor)?).clone())
    }

    /// The runtime whose engine made `component`.
    ///
    /// # Errors
    /// The same as [`Runtimes::of_kind`].
    pub(crate) fn of_component(
        &self,
        component: &Component,
        config: &HostConfig,
    ) -> Result<Runtime, HostError> {
        let is_single_task = Engine::same(component.engine(), self.engine());
        let kind = match is_single_task {
            true => EngineKind::SingleTask,
            false => EngineKind::MultiTask,
        };
        self.of_kind(kind, config)
    }

    /// The component of `code`, in the engine that the code was compiled for: no other takes it.
    ///
    /// # Errors
    /// When it was compiled for neither.
    pub(crate) fn component(
        &self,
        code: &Code,
        config: &HostConfig,
    ) -> wasmtime::Result<Component> {
        code.component(self.engine()).or_else(|error| {
            match self.of_kind(EngineKind::MultiTask, config) {
                Ok(runtime) => code.component(runtime.engine()),
                Err(_) => Err(error),
            }
        })
    }
}

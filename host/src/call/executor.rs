//! The parts that calls of a host share: an engine with its clock, the admission and the scheduler.

use std::sync::Arc;

use wasmtime::Engine;

use crate::call::admission::CallLimiter;
use crate::call::scheduler::Scheduler;
use crate::compilation::engine::{self, Clock};
use crate::component::engine_kind::EngineKind;
use crate::config::HostConfig;
use crate::error::HostError;

/// Shared by all calls that an engine runs. Admission and scheduler are those of the host.
pub(crate) struct Executor {
    pub(crate) engine: Engine,
    pub(crate) clock: Clock,
    pub(crate) limiter: CallLimiter,
    pub(crate) scheduler: Arc<Scheduler>,
}

impl Executor {
    /// The executor of components that have one task for each call.
    ///
    /// # Errors
    /// When the machine refuses the address space or a thread.
    pub(crate) fn new(config: &HostConfig) -> Result<Self, HostError> {
        let limiter = CallLimiter::new(in_flight(config), config.calls_waiting_max);
        let scheduler = Scheduler::new(config.calls_running_max)?;
        Self::with(EngineKind::SingleTask, config, limiter, scheduler.into())
    }

    /// The executor of components that may have many tasks in a call. Such calls are admitted and
    /// have their turns with those of `self`.
    ///
    /// # Errors
    /// The same as [`Executor::new`].
    pub(crate) fn multi_task(&self, config: &HostConfig) -> Result<Self, HostError> {
        let (limiter, scheduler) = (self.limiter.clone(), self.scheduler.clone());
        Self::with(EngineKind::MultiTask, config, limiter, scheduler)
    }

    fn with(
        kind: EngineKind,
        config: &HostConfig,
        limiter: CallLimiter,
        scheduler: Arc<Scheduler>,
    ) -> Result<Self, HostError> {
        let engine = engine::engine(kind, &config.limits, in_flight(config))?;
        Ok(Self {
            clock: Clock::start(&engine, config.signal_handlers)?,
            limiter,
            scheduler,
            engine,
        })
    }
}

/// A host that may run no call at all would make every caller wait for ever.
fn in_flight(config: &HostConfig) -> u32 {
    config.calls_in_flight_max.max(1)
}

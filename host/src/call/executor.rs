//! The parts that all calls of a host share: engine, clock, admission and scheduler.

use wasmtime::Engine;

use crate::call::admission::CallLimiter;
use crate::call::scheduler::Scheduler;
use crate::compilation::engine::{self, Clock};
use crate::config::HostConfig;
use crate::error::HostError;

/// Shared by all calls of a host.
pub(crate) struct Executor {
    pub(crate) engine: Engine,
    pub(crate) clock: Clock,
    pub(crate) limiter: CallLimiter,
    pub(crate) scheduler: Scheduler,
}

impl Executor {
    /// # Errors
    /// When the machine refuses the address space or a thread.
    pub(crate) fn new(config: &HostConfig) -> Result<Self, HostError> {
        // A host that may run no call at all would make every caller wait for ever.
        let in_flight = config.calls_in_flight_max.max(1);
        let engine = engine::engine(&config.limits, in_flight)?;
        Ok(Self {
            clock: Clock::start(&engine, config.signal_handlers)?,
            limiter: CallLimiter::new(in_flight, config.calls_waiting_max),
            scheduler: Scheduler::new(config.calls_running_max)?,
            engine,
        })
    }
}

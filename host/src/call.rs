//! Runs one call of a tool: a fresh store and instance, the guest within its limits, its result.

pub(crate) mod admission;
pub(crate) mod audit;
pub(crate) mod confirmation;
pub(crate) mod dependency;
pub(crate) mod executor;
pub(crate) mod export;
pub(crate) mod failure;
pub(crate) mod freed_memory;
pub(crate) mod limit;
pub(crate) mod log;
pub(crate) mod meter;
pub(crate) mod plan;
pub(crate) mod policy;
pub(crate) mod record;
pub(crate) mod scheduler;
pub(crate) mod size;
pub(crate) mod state;
pub(crate) mod stop;
pub(crate) mod streamed;
pub(crate) mod streams;
pub(crate) mod time;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tool_hub_manifest::contract::Failure;
use wasmtime::component::{InstancePre, Val};
use wasmtime::{Store, UpdateDeadline};

use crate::call::admission::CallPermit;
use crate::call::executor::Executor;
use crate::call::export::call_export;
use crate::call::plan::{Callee, Plan};
use crate::call::policy::Policy;
use crate::call::record::Record;
use crate::call::scheduler::RunningGuest;
use crate::call::size::Size;
use crate::call::state::CallState;
use crate::call::stop::Stop;
use crate::compilation::engine::TICK;
use crate::program::Program;
use crate::secret::mask::Mask;

/// A guest's result, if its function has one.
type GuestResult = Result<Option<Val>, Failure>;

/// Each call of a tool makes a sandbox of its own from this.
pub(crate) struct SandboxTemplate {
    pub(crate) executor: Arc<Executor>,
    pub(crate) policy: Arc<Policy>,
    pub(crate) component: InstancePre<CallState>,
    /// The program of the tool, if the component is an interpreter.
    pub(crate) program: Option<Program>,
}

/// Runs `plan` with `arguments` in a sandbox of its own, and `read`s the result. `permit` is given
/// back when the guest is gone, which may be later than this is dropped.
pub(crate) async fn run<T: Size + Mask>(
    template: &Arc<SandboxTemplate>,
    plan: &Plan,
    arguments: Vec<Val>,
    record: &Arc<Record>,
    permit: CallPermit,
    read: impl FnOnce(Option<&Val>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let policy = &template.policy;
    audit::granted(&policy.tool.name, &policy.grants);
    let guest = guest(template.clone(), plan, arguments, record.clone(), permit);
    let running = template.executor.scheduler.run(Box::pin(guest), record);
    let max = record.limits.outcome_bytes;
    let result = match finish(running, record).await {
        Ok(value) => {
            let result = read(value.as_ref());
            freed_memory::drop_value(value);
            match result {
                result if result.bytes() as u64 <= max => result,
                _ => Err(limit::outcome_too_long(max)),
            }
        }
        Err(failure) => Err(failure),
    };
    record.released(result)
}

/// Waits until the guest is done, or ends it when its time is up.
async fn finish(mut running: RunningGuest<GuestResult>, record: &Record) -> GuestResult {
    tokio::select! {
        biased;
        result = &mut running => return result,
        () = timeout(record) => {}
    }
    running.stop().await;
    Err(failure::of_stop(&Stop::Wall, &record.limits))
}

/// Waits until the time of a call that begins now is up. Time in which a person thinks about a
/// question does not count.
async fn timeout(record: &Record) {
    let (begun, paused) = (Instant::now(), record.time.paused());
    let limit = Duration::from_millis(record.limits.call_ms);
    loop {
        let deadline = begun + limit + record.time.paused().saturating_sub(paused);
        if Instant::now() >= deadline {
            return;
        }
        tokio::time::sleep_until(deadline).await;
    }
}

/// The guest, with all that it has. `permit` is dropped when it is gone.
fn guest<P: Send + 'static>(
    template: Arc<SandboxTemplate>,
    plan: &Plan,
    arguments: Vec<Val>,
    record: Arc<Record>,
    permit: P,
) -> impl Future<Output = GuestResult> + Send + use<P> {
    let results = usize::from(plan.signature.result.is_some());
    let callee = plan.callee.clone();
    async move {
        // What is declared first goes last: the permit is given back when the store is gone, and
        // the clock ticks as long as there is something to interrupt.
        let _permit = permit;
        let _ticking = template.executor.clock.tick();
        let state = CallState::new(template.policy.clone(), record)?;
        let mut store = store(&template.executor, state);
        let called = async {
            let instance = template.component.instantiate_async(&mut store).await?;
            match (&callee, &template.program) {
                (Callee::Export(export), _) => {
                    call_export(&mut store, &instance, *export, arguments, results).await
                }
                (Callee::Program(function), Some(program)) => {
                    program
                        .call(&mut store, &instance, function, &arguments)
                        .await
                }
                (Callee::Preparation, Some(program)) => {
                    program.prepare_once(&mut store, &instance).await?;
                    Ok(None)
                }
                (Callee::Program(_) | Callee::Preparation, None) => Err(Stop::MissingExport.into()),
            }
        };
        let result = called
            .await
            .map_err(|error: wasmtime::Error| failure::of_error(&error, store.data()));
        drop(store);
        if let Err(failure) = &result {
            freed_memory::after(failure);
        }
        result
    }
}

fn store(executor: &Executor, state: CallState) -> Store<CallState> {
    let limits = state.record.limits;
    let mut store = Store::new(&executor.engine, state);
    store.limiter(|state| &mut state.meter);
    store.set_hostcall_fuel(usize::try_from(limits.transfer_bytes).unwrap_or(usize::MAX));
    store.set_max_component_handles(limits.handles as usize);
    // Tasks, subtasks, waitable sets, streams and futures, the guest's and the host's.
    if let Some(table) = store.concurrent_resource_table() {
        table.set_max_capacity(limits.handles as usize);
    }
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |store| {
        let record = &store.data().record;
        let time = &record.time;
        if time.ran() > record.cpu_until {
            return Err(Stop::Cpu.into());
        }
        // The clock may have ticked while the guest waited, or just before its turn.
        if time.current_turn() < TICK / 2 {
            return Ok(UpdateDeadline::Continue(1));
        }
        time.interrupt();
        Ok(UpdateDeadline::Yield(1))
    });
    store
}

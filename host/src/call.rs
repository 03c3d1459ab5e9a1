//! One call: a fresh store and instance, and everything that bounds them.

pub(crate) mod asking;
pub(crate) mod meter;
pub(crate) mod state;
pub(crate) mod streams;
pub(crate) mod trouble;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use wasmtime::component::Val;
use wasmtime::{Store, UpdateDeadline};

use crate::engine::TICK;
use crate::plan::Plan;
use crate::tool::Loaded;
use crate::{Failure, Interaction, Outcome};

use self::state::CallState;
use self::trouble::{Stop, trouble};

/// Runs `plan` of `tool` with `arguments` in a sandbox of its own.
pub(crate) async fn run(
    tool: &Loaded,
    plan: &Plan,
    arguments: Vec<Val>,
    interaction: Arc<dyn Interaction>,
) -> Outcome {
    // The tick outlives the store: a guest is interruptible as long as it exists.
    let _ticking = tool.host.clock.tick();
    let state = match CallState::new(tool, interaction) {
        Ok(state) => state,
        Err(failure) => return Outcome::Failure(failure),
    };
    let pause = state.pause.clone();
    let mut store = store(tool, state);
    let wall = Duration::from_millis(tool.limits.call_ms);
    let called = {
        let guest = guest(tool, plan, arguments, &mut store);
        tokio::pin!(guest);
        let mut deadline = Instant::now() + wall;
        loop {
            tokio::select! {
                called = &mut guest => break called,
                () = tokio::time::sleep_until(deadline) => {
                    // Time in which a person thinks about a question does not count.
                    match pause.take() {
                        Some(paused) => deadline += paused,
                        None => break Err(Stop::Wall.into()),
                    }
                }
            }
        }
    };
    let outcome = match called {
        Ok(result) => match plan.outcome(result.as_ref(), &tool.limits) {
            Outcome::Failure(failure) => Outcome::Failure(store.data().explain(failure)),
            reply => reply,
        },
        Err(error) => Outcome::Failure(store.data().explain(trouble(&error, store.data()))),
    };
    store.data().deliver_output();
    outcome
}

fn store(tool: &Loaded, state: CallState) -> Store<CallState> {
    let mut store = Store::new(&tool.host.engine, state);
    store.limiter(|state| &mut state.meter);
    store.set_hostcall_fuel(usize::try_from(tool.limits.transfer_bytes).unwrap_or(usize::MAX));
    store.set_max_component_handles(tool.limits.handles as usize);
    let ticks_max = tool.limits.cpu_ms.div_ceil(TICK.as_millis() as u64);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |mut store| {
        let state = store.data_mut();
        state.ticks += 1;
        if state.ticks > ticks_max {
            return Err(Stop::Cpu.into());
        }
        Ok(UpdateDeadline::Yield(1))
    });
    store
}

async fn guest(
    tool: &Loaded,
    plan: &Plan,
    arguments: Vec<Val>,
    store: &mut Store<CallState>,
) -> wasmtime::Result<Option<Val>> {
    let instance = tool.pre.instantiate_async(&mut *store).await?;
    let function = instance
        .get_func(&mut *store, plan.export)
        .ok_or_else(|| wasmtime::Error::from(Stop::Gone))?;
    let mut results = [Val::Bool(false)];
    let results = &mut results[..usize::from(plan.signature.result.is_some())];
    function
        .call_async(&mut *store, &arguments, results)
        .await?;
    Ok(results
        .first_mut()
        .map(|slot| std::mem::replace(slot, Val::Bool(false))))
}

/// A failure because too many calls wait already.
pub(crate) fn busy(in_flight: u32, waiting: u32) -> Failure {
    Failure::new(
        crate::FailureKind::Unavailable,
        format!("the host is busy: {in_flight} calls run and {waiting} wait"),
    )
    .with_fix("call again in a few seconds")
    .retryable()
}

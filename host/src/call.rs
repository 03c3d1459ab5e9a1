//! One call: a fresh store and instance, and everything that bounds them.

pub(crate) mod asking;
pub(crate) mod audit;
pub(crate) mod calling;
pub(crate) mod keyvalue;
pub(crate) mod logging;
pub(crate) mod meter;
pub(crate) mod record;
pub(crate) mod state;
pub(crate) mod streams;
pub(crate) mod time;
pub(crate) mod trouble;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use wasmtime::component::Val;
use wasmtime::{Store, UpdateDeadline};

use crate::Failure;
use crate::admission::CallPermit;
use crate::engine::TICK;
use crate::plan::Plan;
use crate::processors::Running;
use crate::secret::Mask;
use crate::size::Size;
use crate::tool::Loaded;

use self::record::Record;
use self::state::CallState;
use self::trouble::{Stop, stopped, too_long, trouble};

/// What a guest comes to: its result, where its function has one.
type Ended = Result<Option<Val>, Failure>;

/// Runs `plan` of `tool` with `arguments` in a sandbox of its own, and `read`s the result.
/// `permit` is given back when the guest is gone, which may be later than this is dropped.
pub(crate) async fn run<T: Size + Mask>(
    tool: &Arc<Loaded>,
    plan: &Plan,
    arguments: Vec<Val>,
    record: &Arc<Record>,
    permit: CallPermit,
    read: impl FnOnce(Option<&Val>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    audit::given(&tool.known.name, &tool.grants);
    let guest = guest(tool.clone(), plan, arguments, record.clone(), permit);
    let running = tool.host.processors.run(Box::pin(guest), record);
    let max = tool.limits.outcome_bytes;
    let came = match finish(running, record).await {
        Ok(result) => match read(result.as_ref()) {
            came if came.bytes() as u64 <= max => came,
            _ => Err(too_long(max)),
        },
        Err(failure) => Err(failure),
    };
    record.released(came)
}

/// Waits until the guest is done, or ends it when its time is up.
async fn finish(mut running: Running<Ended>, record: &Record) -> Ended {
    let mut deadline = Instant::now() + Duration::from_millis(record.limits.call_ms);
    loop {
        tokio::select! {
            biased;
            ended = &mut running => return ended,
            () = tokio::time::sleep_until(deadline) => {
                // Time in which a person thinks about a question does not count.
                match record.time.take_paused() {
                    Some(paused) => deadline += paused,
                    None => break,
                }
            }
        }
    }
    running.stop().await;
    Err(stopped(&Stop::Wall, &record.limits))
}

/// The guest, with all that it has.
fn guest(
    tool: Arc<Loaded>,
    plan: &Plan,
    arguments: Vec<Val>,
    record: Arc<Record>,
    permit: CallPermit,
) -> impl Future<Output = Ended> + Send + use<> {
    let (export, results) = (plan.export, usize::from(plan.signature.result.is_some()));
    async move {
        // What is declared first goes last: the permit is given back when the store is gone, and
        // the clock ticks as long as there is something to interrupt.
        let _permit = permit;
        let _ticking = tool.host.clock.tick();
        let mut store = store(&tool, CallState::new(tool.clone(), record)?);
        let called = async {
            let instance = tool.pre.instantiate_async(&mut store).await?;
            let function = instance
                .get_func(&mut store, export)
                .ok_or_else(|| wasmtime::Error::from(Stop::Gone))?;
            let mut slots = [Val::Bool(false)];
            let slots = &mut slots[..results];
            function.call_async(&mut store, &arguments, slots).await?;
            Ok(slots
                .first_mut()
                .map(|slot| std::mem::replace(slot, Val::Bool(false))))
        };
        called
            .await
            .map_err(|error: wasmtime::Error| trouble(&error, store.data()))
    }
}

fn store(tool: &Loaded, state: CallState) -> Store<CallState> {
    let limits = &tool.limits;
    let mut store = Store::new(&tool.host.engine, state);
    store.limiter(|state| &mut state.meter);
    store.set_hostcall_fuel(usize::try_from(limits.transfer_bytes).unwrap_or(usize::MAX));
    store.set_max_component_handles(limits.handles as usize);
    let cpu_max = Duration::from_millis(limits.cpu_ms);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |store| {
        let time = &store.data().record.time;
        if time.ran() > cpu_max {
            return Err(Stop::Cpu.into());
        }
        // The clock may have ticked while the guest waited, or just before its turn.
        if time.this_turn() < TICK / 2 {
            return Ok(UpdateDeadline::Continue(1));
        }
        time.interrupt();
        Ok(UpdateDeadline::Yield(1))
    });
    store
}

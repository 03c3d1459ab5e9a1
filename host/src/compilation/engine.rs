//! Configures the engines of a host's tools: features, instance pool, and the interrupting clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tool_hub_manifest::Limits;
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::compilation::trap_signals::{self, SignalHandlers};
use crate::component::engine_kind::EngineKind;
use crate::error::HostError;

/// The interval at which running guests are interrupted and made to yield. A call that comes when
/// 64 others have just begun waits for a turn of each of them, divided by the processors.
pub(crate) const TICK: Duration = Duration::from_millis(5);
/// The ticks for which the clock goes on when nothing runs. To wake a thread costs a call more than
/// the rest of the clock, so calls that come one after the other find it awake.
const IDLE_TICKS: u32 = 20;

/// Native stack of WebAssembly code.
const WASM_STACK_BYTES: usize = 512 << 10;
/// Native stack of a call: the guest's and that of host functions it calls.
const CALL_STACK_BYTES: usize = 2 << 20;
/// Unmapped space behind each linear memory.
const GUARD_BYTES: u64 = 32 << 20;

/// The part of each memory that stays resident when a call is over, and is set back to what a fresh
/// instance has, byte for byte; pages beyond it are given back. That covers the whole memory of
/// most tools, so that their calls ask the system for nothing: two threads that do would wait
/// for each other there. It is kept for no more memories than there may be calls.
///
/// Not by `pagemap_scan`, which would be twice as fast: it asks the system which pages are
/// present and written, and a page that is swapped out or about to be moved is neither.
const RESIDENT_MEMORY_BYTES: usize = 2 << 20;
/// The same for each table.
const RESIDENT_TABLE_BYTES: usize = 64 << 10;

/// The features that the compiler needs: those of components, and several memories in one
/// module, which the engine's own adapters between the modules of a component have. A
/// component that brings such a module itself is refused before it is compiled.
fn compiled_features(kind: EngineKind) -> wasmparser::WasmFeatures {
    kind.features() | wasmparser::WasmFeatures::MULTI_MEMORY
}

/// Builds the engine for calls with at most `limits`, `calls` of them at once.
pub(crate) fn engine(kind: EngineKind, limits: &Limits, calls: u32) -> Result<Engine, HostError> {
    let mut config = config(kind);
    let pool = pool(kind, limits, calls);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Engine::new(&config).map_err(|error| HostError::Engine {
        reason: format!("{error:#}"),
    })
}

/// Builds an engine that only compiles, for any of the engines that run: it has no pool,
/// whose address space a process with little memory would not get.
pub(crate) fn compiling(kind: EngineKind) -> wasmtime::Result<Engine> {
    Engine::new(&config(kind))
}

/// The settings that compiled code depends on.
fn config(kind: EngineKind) -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK_BYTES)
        .async_stack_size(CALL_STACK_BYTES)
        .memory_guard_size(GUARD_BYTES)
        .concurrency_support(kind == EngineKind::MultiTask)
        // The pool gives back the pages of a stack only where it also clears them.
        .async_stack_zeroing(kind == EngineKind::MultiTask)
        // Only debuggers and profilers read these, a tenth of the bytes to authenticate.
        .generate_address_map(false)
        .native_unwind_info(false)
        .wasm_features(compiled_features(kind), true)
        .wasm_features(compiled_features(kind).complement(), false);
    config
}

/// Room for `calls` of the biggest components at once, so that a permit to call is enough.
fn pool(kind: EngineKind, limits: &Limits, calls: u32) -> PoolingAllocationConfig {
    let stacks = match kind {
        EngineKind::SingleTask => 1,
        // A task that waits keeps its stack, and keeps others out of its instance.
        EngineKind::MultiTask => limits.instances.saturating_add(2),
    };
    // The rarer engine keeps nothing, and pays for it with page faults in each call.
    let (memory_bytes, table_bytes) = match kind {
        EngineKind::SingleTask => (RESIDENT_MEMORY_BYTES, RESIDENT_TABLE_BYTES),
        EngineKind::MultiTask => (0, 0),
    };
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(calls)
        .total_core_instances(calls.saturating_mul(limits.instances))
        .total_memories(calls.saturating_mul(limits.memories))
        .total_tables(calls.saturating_mul(limits.tables))
        .total_stacks(calls.saturating_mul(stacks))
        .max_core_instances_per_component(limits.instances)
        .max_memories_per_component(limits.memories)
        .max_tables_per_component(limits.tables)
        .max_tables_per_module(limits.tables)
        .max_memory_size(usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX))
        .table_elements(limits.table_elements as usize)
        .linear_memory_keep_resident(memory_bytes)
        .table_keep_resident(table_bytes)
        .max_unused_warm_slots(calls);
    pool
}

/// The clock: a thread of its own, because a timer of the async runtime would stand still
/// when guests keep all of its threads busy. It stops a little after the last call.
#[derive(Debug)]
pub(crate) struct Clock {
    shared: Arc<ClockState>,
    thread: thread::Thread,
    signal_handlers: SignalHandlers,
}

#[derive(Debug, Default)]
struct ClockState {
    running: AtomicUsize,
    stopped: AtomicBool,
}

impl Clock {
    /// Starts the clock of `engine`, which looks after its `signal_handlers` as well.
    pub(crate) fn start(
        engine: &Engine,
        signal_handlers: SignalHandlers,
    ) -> Result<Self, HostError> {
        trap_signals::note();
        let shared = Arc::new(ClockState::default());
        let (seen, engine) = (shared.clone(), engine.weak());
        let tick = move || {
            let mut idle_ticks = 0;
            while !seen.stopped.load(Ordering::Acquire) {
                idle_ticks = match seen.running.load(Ordering::Acquire) {
                    0 => idle_ticks + 1,
                    _ => 0,
                };
                if idle_ticks > IDLE_TICKS {
                    thread::park();
                    idle_ticks = 0;
                    continue;
                }
                thread::sleep(TICK);
                look_after(signal_handlers);
                match engine.upgrade() {
                    Some(engine) => engine.increment_epoch(),
                    None => return,
                }
            }
        };
        let spawned = thread::Builder::new()
            .name("tool-hub clock".into())
            .spawn(tick);
        let handle = spawned.map_err(|error| HostError::Engine {
            reason: format!("no thread for the clock: {error}"),
        })?;
        Ok(Self {
            thread: handle.thread().clone(),
            shared,
            signal_handlers,
        })
    }

    /// Keeps the clock ticking until the guard is dropped.
    pub(crate) fn tick(&self) -> ClockGuard {
        look_after(self.signal_handlers);
        if self.shared.running.fetch_add(1, Ordering::AcqRel) == 0 {
            self.thread.unpark();
        }
        ClockGuard(self.shared.clone())
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

fn look_after(signal_handlers: SignalHandlers) {
    if signal_handlers == SignalHandlers::Shared {
        trap_signals::keep();
    }
}

/// While one exists, the clock ticks.
#[derive(Debug)]
pub(crate) struct ClockGuard(Arc<ClockState>);

impl Drop for ClockGuard {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};

    use super::*;

    #[test]
    fn the_engine_compiles_what_components_may_use_and_adapters_need() {
        for kind in [EngineKind::SingleTask, EngineKind::MultiTask] {
            let engine = engine(kind, &Limits::standard(), 1).unwrap();
            let differ = engine.get_wasm_features() ^ kind.features();
            assert_eq!(differ, wasmparser::WasmFeatures::MULTI_MEMORY);
        }
    }

    #[test]
    fn code_is_the_same_whatever_the_limits_and_whoever_compiles() {
        let hash = |engine: Engine| {
            let mut hasher = DefaultHasher::new();
            engine.precompile_compatibility_hash().hash(&mut hasher);
            hasher.finish()
        };
        let mut small = Limits::standard();
        small.memory_bytes = 1 << 20;
        for kind in [EngineKind::SingleTask, EngineKind::MultiTask] {
            let expect = hash(engine(kind, &Limits::standard(), 32).unwrap());
            assert_eq!(hash(engine(kind, &small, 1).unwrap()), expect);
            assert_eq!(hash(compiling(kind).unwrap()), expect);
        }
    }

    #[test]
    fn the_clock_ticks_while_it_is_needed() {
        let engine = engine(EngineKind::SingleTask, &Limits::standard(), 1).unwrap();
        let clock = Clock::start(&engine, SignalHandlers::Shared).unwrap();
        let ticking = clock.tick();
        assert_eq!(clock.shared.running.load(Ordering::Acquire), 1);
        drop(ticking);
        assert_eq!(clock.shared.running.load(Ordering::Acquire), 0);
    }
}

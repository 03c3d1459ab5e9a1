//! Benchmarks `Tool::call` against raw wasmtime, also on two threads, and the masking of secrets.
//! Raw wasmtime instantiates the same component from the same kind of pool and calls it through a
//! typed function. It is done with a component of a few lines, and with the sample tool
//! `text-stats`, which is built for it. Absolute times say little on shared machines, so the ratio
//! of both sides in one run is printed at the end.

use std::path::Path;
use std::process::Command;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use tokio::runtime::Runtime;
use tool_hub_host::{Host, HostConfig, Outcome, Tool, authoring, inspect};
use tool_hub_manifest::{Grants, Package, VariableName, VariableRequest, Verified};
use wasmtime::component::{Component, Instance, InstancePre, Linker, ResourceTable};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

/// Adds two numbers, and returns a string or the bytes that it is given.
const COMPONENT: &str = r#"
    (component
        (core module $m
            (memory (export "memory") 1)
            (global $next (mut i32) (i32.const 1024))
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) (local $at i32)
                (local.set $at (global.get $next))
                (global.set $next (i32.add (local.get $at) (local.get 3)))
                (block $fits
                    (br_if $fits (i32.le_u (global.get $next)
                        (i32.mul (memory.size) (i32.const 65536))))
                    (drop (memory.grow
                        (i32.add (i32.const 1) (i32.div_u (local.get 3) (i32.const 65536))))))
                (local.get $at))
            (func (export "add") (param i32 i32) (result i32)
                (i32.add (local.get 0) (local.get 1)))
            (func (export "echo") (param i32 i32) (result i32)
                (i32.store (i32.const 16) (local.get 0))
                (i32.store (i32.const 20) (local.get 1))
                (i32.const 16)))
        (core instance $i (instantiate $m))
        (alias core export $i "memory" (core memory $memory))
        (alias core export $i "realloc" (core func $realloc))
        (func (export "add") (param "a" u32) (param "b" u32) (result u32)
            (canon lift (core func $i "add")))
        (func (export "echo") (param "text" string) (result string)
            (canon lift (core func $i "echo") (memory $memory) (realloc $realloc)))
        (func (export "echo-bytes") (param "data" (list u8)) (result (list u8))
            (canon lift (core func $i "echo") (memory $memory) (realloc $realloc))))
"#;

/// The other side: wasmtime as an embedder without a host would use it.
struct Raw {
    engine: Engine,
    pre: InstancePre<State>,
}

#[derive(Default)]
struct State {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl Raw {
    fn new(bytes: &[u8]) -> Self {
        let mut pool = PoolingAllocationConfig::new();
        pool.total_component_instances(32).total_core_instances(256);
        pool.total_memories(32).total_tables(32).total_stacks(32);
        pool.max_memory_size(256 << 20);
        // As the host does, so that what is measured is the host and not these.
        pool.linear_memory_keep_resident(2 << 20);
        pool.table_keep_resident(64 << 10);
        let mut config = Config::new();
        config.epoch_interruption(true).concurrency_support(false);
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config).expect("an engine");
        let component = Component::from_binary(&engine, bytes).expect("a component");
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).expect("WASI");
        let pre = linker.instantiate_pre(&component);
        let pre = pre.expect("nothing but WASI is imported");
        Self { engine, pre }
    }

    async fn instance(&self) -> (Store<State>, Instance) {
        let mut store = Store::new(&self.engine, State::default());
        store.set_epoch_deadline(1_000);
        let instance = self.pre.instantiate_async(&mut store).await;
        (store, instance.expect("an instance"))
    }

    async fn add(&self, a: u32, b: u32) -> u32 {
        let (mut store, instance) = self.instance().await;
        let add = instance.get_typed_func::<(u32, u32), (u32,)>(&mut store, "add");
        let called = add
            .expect("a function")
            .call_async(&mut store, (a, b))
            .await;
        called.expect("a sum").0
    }

    async fn echo(&self, text: &str) -> String {
        let (mut store, instance) = self.instance().await;
        let echo = instance.get_typed_func::<(&str,), (String,)>(&mut store, "echo");
        let called = echo
            .expect("a function")
            .call_async(&mut store, (text,))
            .await;
        called.expect("the text").0
    }

    async fn echo_bytes(&self, data: &[u8]) -> Vec<u8> {
        let (mut store, instance) = self.instance().await;
        let echo = instance.get_typed_func::<(&[u8],), (Vec<u8>,)>(&mut store, "echo-bytes");
        let called = echo
            .expect("a function")
            .call_async(&mut store, (data,))
            .await;
        called.expect("the bytes").0
    }

    async fn count_words(&self, text: &str) -> u64 {
        let (mut store, instance) = self.instance().await;
        let stats = instance.get_export_index(&mut store, None, "demo:text-stats/stats");
        let count = instance.get_export_index(&mut store, stats.as_ref(), "count-words");
        let count = instance
            .get_typed_func::<(&str,), (u64,)>(&mut store, count.expect("an export"))
            .expect("a function");
        let called = count.call_async(&mut store, (text,)).await;
        called.expect("a number").0
    }
}

/// The sample tool `text-stats` of this repository.
fn text_stats() -> Vec<u8> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample-tools");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "text-stats"])
        .args(["--target", "wasm32-wasip2", "--target-dir"])
        .arg(env!("CARGO_TARGET_TMPDIR"))
        .current_dir(samples)
        .status();
    assert!(built.expect("cargo starts").success(), "it is built");
    let built =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("wasm32-wasip2/release/text_stats.wasm");
    std::fs::read(built).expect("a component")
}

async fn tool(component: Vec<u8>, secrets: &[&str]) -> Tool {
    let name = "bench".parse().expect("a name");
    let mut manifest = authoring::derive_manifest(&component, name).expect("a manifest");
    let mut grants = Grants::none();
    let names = (0..secrets.len()).map(|number| format!("SECRET_{number}"));
    let names: Vec<VariableName> = names.map(|name| name.parse().expect("a name")).collect();
    for name in &names {
        grants = grants.variable(name.clone());
        manifest.capabilities.variables.push(VariableRequest {
            name: name.clone(),
            secret: true,
            why: String::new(),
        });
    }
    let package = Package {
        manifest: manifest.to_toml().into_bytes(),
        component,
        interpreter: None,
        sbom: None,
    };
    let verified = Verified::check(package).expect("an honest package");
    let approved = inspect(&verified).expect("an inspection").approve(grants);
    let mut approved = approved.expect("an approval");
    for (name, value) in names.into_iter().zip(secrets) {
        approved = approved.with_variable(name, *value).expect("a grant");
    }
    let host = Host::new(HostConfig::new()).expect("a host");
    host.load(approved).await.expect("a tool")
}

async fn call(tool: &Tool, function: &str, arguments: &str) -> String {
    match tool.call(function, arguments).await {
        Outcome::Reply(reply) => reply.structured.unwrap_or_default(),
        Outcome::Failure(failure) => panic!("{failure}"),
    }
}

/// The median of many runs of both sides, taken in turns so that the machine's moods hit
/// both alike.
fn ratio(runtime: &Runtime, name: &str, ours: impl AsyncFn(), raw: impl AsyncFn()) {
    const ROUNDS: usize = 2_000;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        left.push(time(runtime, &ours));
        right.push(time(runtime, &raw));
    }
    left.sort_unstable();
    right.sort_unstable();
    let (left, right) = (left[ROUNDS / 2], right[ROUNDS / 2]);
    let ratio = left.as_secs_f64() / right.as_secs_f64();
    report(&format!(
        "{name}: Tool::call {left:?}, raw wasmtime {right:?}, ratio {ratio:.2}"
    ));
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
fn report(line: &str) {
    println!("{line}");
}

fn time(runtime: &Runtime, run: &impl AsyncFn()) -> Duration {
    let begun = Instant::now();
    runtime.block_on(run());
    begun.elapsed()
}

fn main() {
    let runtime = Runtime::new().expect("a runtime");
    let bytes = wat::parse_str(COMPONENT).expect("a component");
    let raw = Raw::new(&bytes);
    let tool = runtime.block_on(self::tool(bytes.clone(), &[]));
    let text = "x".repeat(100_000);
    let long = format!(r#"{{"text": "{text}"}}"#);
    let encoded = format!(r#"{{"data": "{text}"}}"#);

    let small = r#"{"a": 20, "b": 22}"#;
    ratio(
        &runtime,
        "add",
        async || assert_eq!(call(&tool, "add", small).await, "42"),
        async || assert_eq!(raw.add(20, 22).await, 42),
    );
    ratio(
        &runtime,
        "echo 100 KB",
        async || assert_eq!(call(&tool, "echo", &long).await.len(), 100_002),
        async || assert_eq!(raw_echo(&raw, &long).await.len(), 100_002),
    );

    // The engine's interface for types that are only known at run time has a value for each byte.
    ratio(
        &runtime,
        "echo 75 KB of bytes",
        async || assert_eq!(call(&tool, "echo_bytes", &encoded).await.len(), 100_002),
        async || assert_eq!(raw_echo_bytes(&raw, &encoded).await.len(), 100_002),
    );

    masking(&runtime, bytes);

    let bytes = text_stats();
    let real_raw = Raw::new(&bytes);
    let real = runtime.block_on(self::tool(bytes, &[]));
    let (sentence, words) = (r#"{"text": "one two three"}"#, "one two three");
    ratio(
        &runtime,
        "a tool in Rust",
        async || assert_eq!(call(&real, "count_words", sentence).await, "3"),
        async || assert_eq!(real_raw.count_words(words).await, 3),
    );
    scaling(
        "a tool in Rust",
        async || assert_eq!(call(&real, "count_words", sentence).await, "3"),
        async || assert_eq!(real_raw.count_words(words).await, 3),
    );
}

/// Measures the cost of masking secrets: calls the same tool with no secrets and with eight, none
/// of which are in the answer.
fn masking(runtime: &Runtime, component: Vec<u8>) {
    const ROUNDS: usize = 500;
    let secrets: Vec<String> = (0..8)
        .map(|number| format!("sk-{number}-{}", "aZ09bY18cX27dW36".repeat(2)))
        .collect();
    let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
    let plain = runtime.block_on(tool(component.clone(), &[]));
    let masked = runtime.block_on(tool(component, &secrets));
    let line = "The quick brown fox asks https://example.com/?q=skip%20it, and goes on. ";
    let text: String = line.chars().cycle().take(256 << 10).collect();
    let long = format!(r#"{{"text": "{text}"}}"#);
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        without.push(time(runtime, &async || {
            drop(call(&plain, "echo", &long).await)
        }));
        with.push(time(runtime, &async || {
            drop(call(&masked, "echo", &long).await)
        }));
    }
    without.sort_unstable();
    with.sort_unstable();
    let (without, with) = (without[ROUNDS / 2], with[ROUNDS / 2]);
    let ratio = with.as_secs_f64() / without.as_secs_f64();
    report(&format!(
        "echo 256 KiB: {with:?} with 8 secrets, {without:?} without, ratio {ratio:.2}"
    ));
}

/// By how much two threads make more calls than one. What raw wasmtime gains is what the
/// machine gives.
fn scaling(name: &str, ours: impl AsyncFn() + Sync, raw: impl AsyncFn() + Sync) {
    const ROUNDS: usize = 9;
    let mut rates: [Vec<u64>; 4] = Default::default();
    for _ in 0..ROUNDS {
        rates[0].push(calls_per_second(1, &ours));
        rates[1].push(calls_per_second(2, &ours));
        rates[2].push(calls_per_second(1, &raw));
        rates[3].push(calls_per_second(2, &raw));
    }
    let [one, two, raw_one, raw_two] = rates.map(|mut rates| {
        rates.sort_unstable();
        rates[ROUNDS / 2]
    });
    let gain = |one: u64, two: u64| two as f64 / one as f64;
    report(&format!(
        "{name}: {one} calls a second on one thread, {two} on two, ratio {:.2}; raw wasmtime \
         {raw_one} and {raw_two}, ratio {:.2}",
        gain(one, two),
        gain(raw_one, raw_two),
    ));
}

fn calls_per_second(threads: usize, call: &(impl AsyncFn() + Sync)) -> u64 {
    const TIME: Duration = Duration::from_millis(300);
    let begin = Barrier::new(threads);
    let one = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        begin.wait();
        let begun = Instant::now();
        let mut calls = 0;
        runtime.block_on(async {
            while begun.elapsed() < TIME {
                call().await;
                calls += 1;
            }
        });
        calls as f64 / begun.elapsed().as_secs_f64()
    };
    let total: f64 = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        let each = running.into_iter().map(|one| one.join().expect("calls"));
        each.sum()
    });
    total as u64
}

async fn raw_echo(raw: &Raw, arguments: &str) -> String {
    let arguments: serde_json::Value = serde_json::from_str(arguments).expect("JSON");
    let echoed = raw
        .echo(arguments["text"].as_str().expect("a string"))
        .await;
    serde_json::to_string(&echoed).expect("JSON")
}

async fn raw_echo_bytes(raw: &Raw, arguments: &str) -> String {
    let arguments: serde_json::Value = serde_json::from_str(arguments).expect("JSON");
    let data = arguments["data"].as_str().expect("a string");
    let echoed = raw.echo_bytes(&BASE64.decode(data).expect("base64")).await;
    serde_json::to_string(&BASE64.encode(echoed)).expect("JSON")
}

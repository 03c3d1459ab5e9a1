//! Tests with components too costly to compile: each ends its compiler's process, not the host.
//! They pass the scan.

use futures::future::join_all;
use tool_hub_host::HostError;

use crate::Test;
use crate::compiling_host::{adds, children, host, process};
use crate::memory;
use crate::support::approve;

/// The most that this process's resident memory may grow while the bombs are compiled.
const GROWTH_KIB_MAX: u64 = 20 << 10;
const BOMBS: usize = 50;

pub(crate) fn tests() -> Vec<Test> {
    vec![(
        "bombs::fifty_bombs_kill_their_compilers_and_nothing_else",
        || Box::pin(fifty()),
    )]
}

/// Almost as many functions as are accepted, each with something to do.
pub(crate) fn many_functions() -> Vec<u8> {
    let work =
        "(local.set 0 (i32.add (i32.mul (local.get 0) (i32.load (local.get 0))) (i32.const 7)))";
    let function = format!(
        "(func (param i32) (result i32) {} (local.get 0))",
        work.repeat(8)
    );
    module(&function.repeat(40_000))
}

/// One function of many blocks that are all entered from everywhere.
fn many_blocks() -> Vec<u8> {
    let blocks = 6_000;
    let step =
        "(br_if 0 (i32.load (local.get 0))) (local.set 0 (i32.add (local.get 0) (i32.const 1)))";
    let nest = format!(
        "{} (loop {}) {}",
        "(block ".repeat(200),
        step.repeat(blocks),
        ")".repeat(200)
    );
    module(&format!("(func (param i32) {nest})").repeat(20))
}

/// Functions of many variables that are all alive in many loops.
fn many_variables() -> Vec<u8> {
    let locals = 1_000;
    let step: String = (0..locals)
        .map(|local| {
            format!(
                "(local.set {local} (i32.add (local.get {}) (i32.const 1)))",
                (local + 1) % locals
            )
        })
        .collect();
    let function = format!(
        "(func (local {}) {})",
        "i32 ".repeat(locals),
        format!("(loop {step} (br_if 0 (local.get 0)))").repeat(20)
    );
    module(&function.repeat(20))
}

fn module(functions: &str) -> Vec<u8> {
    wat::parse_str(format!("(component (core module (memory 1) {functions}))")).unwrap()
}

async fn fifty() {
    let host = host(
        process(|limits| {
            limits.cpu_seconds = 1;
            limits.memory_bytes = 256 << 20;
        }),
        None,
    );
    adds(&host).await;
    let kinds = [many_functions(), many_blocks(), many_variables()].map(approve);
    // Once, so that what the process keeps for later is not counted.
    host.load(kinds[0].clone()).await.unwrap_err();
    let before = memory::mark();
    let loads = (0..BOMBS).map(|bomb| host.load(kinds[bomb % kinds.len()].clone()));
    for outcome in join_all(loads).await {
        match outcome {
            Err(HostError::CompileLimit { limit, .. }) => {
                assert!(["cpu_seconds", "memory_bytes"].contains(&limit), "{limit}");
            }
            other => panic!("{other:?}"),
        }
    }
    let growth = memory::peak().saturating_sub(before);
    assert!(growth < GROWTH_KIB_MAX, "the host grew by {growth} KiB");
    assert_eq!(children().len(), 0, "a compiler is left");
    adds(&host).await;
}

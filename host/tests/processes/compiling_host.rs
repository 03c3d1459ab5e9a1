//! A host for tests that compiles in child processes, a component for it, and a list of children.

use std::fs;
use std::path::{Path, PathBuf};

use tool_hub_host::{CompileLimits, Compiler, CompilerProcess, Host, HostConfig};

use crate::COMPILE;
use crate::support::{component, reply, try_load};

/// A component that adds two numbers.
pub(crate) fn adder() -> Vec<u8> {
    component(
        r#"(func (export "add") (param i32 i32) (result i32)
            (i32.add (local.get 0) (local.get 1)))"#,
        r#"(func (export "add") (param "a" u32) (param "b" u32) (result u32)
            (canon lift (core func $i "add")))"#,
    )
}

/// This program as the compiler.
pub(crate) fn process(edit: impl FnOnce(&mut CompileLimits)) -> CompilerProcess {
    let mut process = CompilerProcess::new("/proc/self/exe", [COMPILE]);
    edit(&mut process.limits);
    process
}

/// A host that compiles in `process`.
pub(crate) fn host(process: CompilerProcess, cache: Option<&Path>) -> Host {
    let mut config = HostConfig::new();
    config.compiler = Compiler::Child(process);
    config.cache = cache.map(PathBuf::from);
    Host::new(config).unwrap()
}

/// Asserts that the component is compiled, and adds.
pub(crate) async fn adds(host: &Host) {
    let tool = try_load(host, adder()).await.unwrap();
    assert_eq!(
        reply(tool.call("add", r#"{"a":1,"b":2}"#).await).text(),
        "3"
    );
}

/// The child processes of this process, zombies included.
pub(crate) fn children() -> Vec<u32> {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let children = tasks.filter_map(|task| {
        // A thread that has ended meanwhile has no children.
        fs::read_to_string(task.unwrap().path().join("children")).ok()
    });
    let lists: Vec<String> = children.collect();
    let numbers = lists.iter().flat_map(|list| list.split_whitespace());
    numbers.map(|number| number.parse().unwrap()).collect()
}

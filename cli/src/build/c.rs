//! Builds C projects with the compiler in zig and bindings of wit-bindgen.

mod bindings;
mod errors;
mod sources;
mod zig;

use anyhow::Context as _;
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wit_component::ComponentEncoder;

pub(crate) use bindings::CBindings;
use sources::sources;
use zig::{ZIG, compiler};

use super::process;
use super::project::{BuiltComponent, Project, built};
use super::wit::{wit_files, wit_sources};
use crate::files;
use crate::session::Session;

/// Code that every tool gets beside its own.
const OUTPUT: &str = include_str!("c/output.c");
/// The most warnings of the compiler that are shown.
const WARNINGS_SHOWN: usize = 20;

/// Builds the project: all C files beside its source, and the bindings of its WIT.
pub(super) async fn build(
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<BuiltComponent> {
    let sources = sources(project)?;
    let wit = wit_files(project.wit_parent())?;
    let bindings = CBindings::of(&wit_sources(&wit), project.build.world.as_deref())?;
    bindings.write(project.directory)?;
    let toolchain = ZIG.directory(project, session).await?;
    let output = project.scratch.join("output.c");
    files::write(&output, OUTPUT.as_bytes())?;
    let module = project.scratch.join("tool.wasm");
    let mut command = compiler(project, &toolchain);
    command
        // Found by `#include "tool.h"` alone: a world may be called like a header of C.
        .args(["-iquote", bindings::DIRECTORY])
        .args(&sources)
        .args(bindings.inputs())
        .arg(&output)
        .arg("-o")
        .arg(&module);
    let run = process::run("compiling with zig cc", &mut command, &session.printer).await;
    let compiled = run.map_err(|error| errors::explained(error, project, &bindings))?;
    let said = String::from_utf8_lossy(&compiled.stderr);
    let warnings = said.lines().filter(|line| line.contains(": warning: "));
    for warning in warnings.take(WARNINGS_SHOWN) {
        session.printer.warning(warning);
    }
    let mut built = BuiltComponent::whole(component(&built(&module)?)?);
    built.build_tools = ZIG.build_tools();
    Ok(built)
}

/// Makes a component of a module that carries its types. What the module imports of WASI's
/// preview 1 is given by its adapter, of which nothing is left where nothing is imported.
fn component(module: &[u8]) -> anyhow::Result<Vec<u8>> {
    let adapter = WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER;
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|encoder| encoder.adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, adapter))
        .and_then(|mut encoder| encoder.encode())
        .context("the compiled module cannot be made a component")
}

//! The `Linker` of a host's tools: everything that guests may import.
//! Language runtimes import much that no tool uses, so imports without a grant link to refusals.

use std::sync::Arc;

use wasmtime::Engine;
use wasmtime::component::Linker;
use wasmtime_wasi_config::WasiConfig;

use crate::call::dependency::DependencyFunction;
use crate::call::state::CallState;
use crate::call::stop::Stop;
use crate::component::engine_kind::EngineKind;
use crate::component::exports::Import;
use crate::error::HostError;
use crate::imports::directories::{operations, wasi_3};
use crate::imports::{interaction, keyvalue, logging, toolbox};

/// The linker of the components that an engine of `kind` runs.
///
/// # Errors
/// When two interfaces disagree.
pub(crate) fn linker(kind: EngineKind, engine: &Engine) -> Result<Linker<CallState>, HostError> {
    all(kind, engine).map_err(|error| HostError::Engine {
        reason: format!("{error:#}"),
    })
}

fn all(kind: EngineKind, engine: &Engine) -> wasmtime::Result<Linker<CallState>> {
    let mut linker = Linker::new(engine);
    if kind == EngineKind::MultiTask {
        wasmtime_wasi::p3::add_to_linker(&mut linker)?;
        wasmtime_wasi_http::p3::add_to_linker(&mut linker)?;
        wasi_3::add_to_linker(&mut linker)?;
    }
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    wasmtime_wasi_config::add_to_linker(&mut linker, |state: &mut CallState| {
        WasiConfig::from(&*state.policy.settings)
    })?;
    operations::add_to_linker(&mut linker)?;
    interaction::add_to_linker(&mut linker)?;
    toolbox::add_to_linker(&mut linker)?;
    keyvalue::add_to_linker(&mut linker)?;
    logging::add_to_linker(&mut linker)?;
    Ok(linker)
}

/// Links the functions of the interfaces `withheld` to a refusal that ends the call.
///
/// # Errors
/// When one is not in the linker.
pub(crate) fn withhold<'a>(
    linker: &mut Linker<CallState>,
    withheld: impl Iterator<Item = &'a Import>,
) -> Result<(), HostError> {
    linker.allow_shadowing(true);
    for import in withheld {
        refuse(linker, import).map_err(|error| HostError::Engine {
            reason: format!("{error:#}"),
        })?;
    }
    Ok(())
}

/// Links the `functions` of the interface `import` to those of a dependency.
///
/// # Errors
/// When the linker does not take them.
pub(crate) fn link_dependency(
    linker: &mut Linker<CallState>,
    import: &str,
    functions: Vec<(String, DependencyFunction)>,
) -> Result<(), HostError> {
    linked(linker, import, functions).map_err(|error| HostError::Engine {
        reason: format!("{error:#}"),
    })
}

fn linked(
    linker: &mut Linker<CallState>,
    import: &str,
    functions: Vec<(String, DependencyFunction)>,
) -> wasmtime::Result<()> {
    let mut interface = linker.instance(import)?;
    for (name, function) in functions {
        let function = Arc::new(function);
        interface.func_new_async(&name, move |store, _, arguments, results| {
            let (function, caller) = (function.clone(), store.data().record.clone());
            Box::new(async move {
                let result = function.call(&caller, arguments.to_vec()).await?;
                if let (Some(slot), Some(value)) = (results.first_mut(), result) {
                    *slot = value;
                }
                Ok(())
            })
        })?;
    }
    Ok(())
}

fn refuse(linker: &mut Linker<CallState>, import: &Import) -> wasmtime::Result<()> {
    let mut interface = linker.instance(&import.name)?;
    for function in &import.functions {
        let name = import.name.clone();
        interface.func_new(function, move |_, _, _, _| {
            Err(Stop::NotImported(name.clone()).into())
        })?;
    }
    Ok(())
}

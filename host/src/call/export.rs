//! Calls an exported function of a guest's instance.

use wasmtime::Store;
use wasmtime::component::{ComponentExportIndex, Instance, Type, Val};

use crate::call::state::CallState;
use crate::call::stop::Stop;
use crate::call::streamed::give::give;
use crate::call::streamed::places::is_streamed;
use crate::call::streamed::read::read;

/// Calls an export, and gives its result if it has one.
pub(crate) async fn call_export(
    store: &mut Store<CallState>,
    instance: &Instance,
    export: ComponentExportIndex,
    mut arguments: Vec<Val>,
    results: usize,
) -> wasmtime::Result<Option<Val>> {
    let function = instance.get_func(&mut *store, export);
    let function = function.ok_or_else(|| wasmtime::Error::from(Stop::MissingExport))?;
    let mut slots = [Val::Bool(false)];
    let slots = &mut slots[..results];
    let types = function.ty(&*store);
    for (argument, (_, ty)) in arguments.iter_mut().zip(types.params()) {
        give(store, argument, &ty)?;
    }
    function.call_async(&mut *store, &arguments, slots).await?;
    let result: Option<Type> = types.results().next();
    if let (Some(ty), Some(slot)) = (result.filter(is_streamed), slots.first_mut()) {
        read(store, slot, &ty).await?;
    }
    let slot = slots.first_mut();
    Ok(slot.map(|slot| std::mem::replace(slot, Val::Bool(false))))
}

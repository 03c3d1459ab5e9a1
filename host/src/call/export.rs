//! Calls an exported function of a guest's instance.

use wasmtime::Store;
use wasmtime::component::{ComponentExportIndex, Instance, Val};

use crate::call::state::CallState;
use crate::call::stop::Stop;

/// Calls an export, and gives its result if it has one.
pub(crate) async fn call_export(
    store: &mut Store<CallState>,
    instance: &Instance,
    export: ComponentExportIndex,
    arguments: &[Val],
    results: usize,
) -> wasmtime::Result<Option<Val>> {
    let function = instance.get_func(&mut *store, export);
    let function = function.ok_or_else(|| wasmtime::Error::from(Stop::MissingExport))?;
    let mut slots = [Val::Bool(false)];
    let slots = &mut slots[..results];
    function.call_async(store, arguments, slots).await?;
    let slot = slots.first_mut();
    Ok(slot.map(|slot| std::mem::replace(slot, Val::Bool(false))))
}

//! The program of a tool whose component holds no code of its own, and its run by an interpreter.
//!
//! The component of such a tool says which functions there are. Its section `tool-hub:program` has
//! a text for the interpreter, another component, which exports the contract's `interpreter`.

mod snapshot;

use std::sync::{Arc, OnceLock};

use tokio::sync::OnceCell;
use tool_hub_manifest::Verified;
use wasmtime::Store;
use wasmtime::component::{ComponentExportIndex, Instance, Val};

use crate::call::export::call_export;
use crate::call::state::CallState;
use crate::call::stop::Stop;
use crate::component::contract_exports::ContractExport;
use crate::component::custom_section::section;
use crate::component::exports::Exports;
use crate::component::wit;
use crate::error::HostError;
use crate::program::snapshot::{MemoryAccess, Snapshot};
use crate::values::json::read;
use crate::values::json::write::{Json, write};
use crate::values::types::Signature;

/// The custom section that holds the program.
pub(crate) const SECTION: &str = "tool-hub:program";

/// The functions that a tool says its program has.
///
/// # Errors
/// When the component that says so is not valid.
pub(crate) fn exports(verified: &Verified) -> Result<Exports<Arc<ProgramFunction>>, HostError> {
    let decoded = wit::decode(verified.component())?;
    let exports = Exports::of_world(&decoded.resolve, decoded.world);
    Ok(exports.map(|name, signature, ()| ProgramFunction::new(name, signature.clone())))
}

/// The text of the program in the component of `verified`, whose interpreter has `exports`.
///
/// # Errors
/// When there is no program, or the interpreter is none.
pub(crate) fn check<'a, I>(
    verified: &'a Verified,
    exports: &Exports<I>,
) -> Result<&'a str, HostError> {
    let text = text_in(verified.component())?.ok_or_else(|| HostError::Malformed {
        reason: format!("the manifest names an interpreter, but there is no section {SECTION}"),
    })?;
    match exports.has(&ContractExport::OF_INTERPRETERS) {
        true => Ok(text),
        false => Err(no_interpreter()),
    }
}

fn no_interpreter() -> HostError {
    HostError::Malformed {
        reason: "interpreter.wasm does not export tool-hub:tool/interpreter".to_owned(),
    }
}

fn text_in(component: &[u8]) -> Result<Option<&str>, HostError> {
    let data = section(component, SECTION)?;
    let text = data.map(std::str::from_utf8).transpose();
    text.map_err(|_| HostError::Malformed {
        reason: format!("its section {SECTION} is not UTF-8"),
    })
}

/// A program, and the exports of the interpreter that runs it.
pub(crate) struct Program {
    text: String,
    prepare: ComponentExportIndex,
    call: ComponentExportIndex,
    memory: Option<MemoryAccess>,
    /// Set once the program was prepared.
    pub(crate) prepared: OnceCell<()>,
    /// The interpreter's memory with the prepared program, if it can be kept.
    snapshot: OnceLock<Snapshot>,
}

/// A function that a program has.
#[derive(Debug)]
pub(crate) struct ProgramFunction {
    name: String,
    signature: Signature,
}

impl ProgramFunction {
    pub(crate) fn new(name: &str, signature: Signature) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            signature,
        })
    }
}

impl Program {
    /// The program in the component of `verified`, whose interpreter has `exports`.
    ///
    /// # Errors
    /// When there is no program, or the interpreter is none.
    pub(crate) fn new(
        verified: &Verified,
        exports: &Exports<ComponentExportIndex>,
    ) -> Result<Self, HostError> {
        let text = check(verified, exports)?;
        let find = |wanted| {
            let mut contract = exports.contract.iter();
            contract.find_map(|(export, _, index)| (*export == wanted).then_some(*index))
        };
        Ok(Self {
            text: text.to_owned(),
            prepare: find(ContractExport::PrepareProgram).ok_or_else(no_interpreter)?,
            call: find(ContractExport::CallProgram).ok_or_else(no_interpreter)?,
            memory: MemoryAccess::new(find),
            prepared: OnceCell::new(),
            snapshot: OnceLock::new(),
        })
    }

    /// Prepares the program in `instance`, which no call has used, and keeps what that changed in
    /// the interpreter's memory for the instances of later calls.
    pub(crate) async fn prepare_once(
        &self,
        store: &mut Store<CallState>,
        instance: &Instance,
    ) -> wasmtime::Result<()> {
        let Some(memory) = &self.memory else {
            return self.prepare(store, instance).await;
        };
        let Some(before) = memory.copy(store, instance).await? else {
            return self.prepare(store, instance).await;
        };
        self.prepare(store, instance).await?;
        // A handle means nothing in another instance.
        if store.data_mut().table().is_empty()
            && let Some(snapshot) = memory.changes_since(&before, store, instance).await?
        {
            // One is there where a preparation was given up after this and is made again.
            let _ = self.snapshot.set(snapshot);
        }
        Ok(())
    }

    async fn prepare(
        &self,
        store: &mut Store<CallState>,
        instance: &Instance,
    ) -> wasmtime::Result<()> {
        let text = vec![Val::String(self.text.clone())];
        match call_export(store, instance, self.prepare, text, 1).await? {
            Some(Val::Result(Ok(_))) => Ok(()),
            Some(Val::Result(Err(Some(error)))) => Err(match *error {
                Val::String(error) => Stop::Program(error).into(),
                _ => Stop::MissingExport.into(),
            }),
            _ => Err(Stop::MissingExport.into()),
        }
    }

    /// Has the interpreter `instance` run `function` of the program. Values go both ways as JSON,
    /// and what comes back is held against the function's type.
    pub(crate) async fn call(
        &self,
        store: &mut Store<CallState>,
        instance: &Instance,
        function: &ProgramFunction,
        arguments: &[Val],
    ) -> wasmtime::Result<Option<Val>> {
        match (self.snapshot.get(), &self.memory) {
            (Some(snapshot), Some(memory)) => memory.restore(snapshot, store, instance).await?,
            _ => self.prepare(store, instance).await?,
        }
        let max = store.data().record.limits.transfer_bytes;
        let given = written(&function.signature, arguments, max)?;
        let given = vec![Val::String(function.name.clone()), Val::String(given)];
        let answer = call_export(store, instance, self.call, given, 1).await?;
        match (&function.signature.result, answer) {
            (None, _) => Ok(None),
            (Some(ty), Some(Val::String(text))) => match read::value(ty, &text, max) {
                Ok(value) => Ok(Some(value)),
                Err(error) => Err(Stop::Program(format!(
                    "the program's answer does not fit the function's type: {error}"
                ))
                .into()),
            },
            _ => Err(Stop::MissingExport.into()),
        }
    }
}

/// The arguments as a JSON array of at most `max` bytes.
fn written(signature: &Signature, arguments: &[Val], max: u64) -> wasmtime::Result<String> {
    let mut json = Json::new(max);
    json.push('[');
    for (index, (field, value)) in signature.parameters.iter().zip(arguments).enumerate() {
        if index > 0 {
            json.push(',');
        }
        write(&field.ty, value, &mut json)
            .map_err(|_| wasmtime::Error::msg("an argument is not of its type"))?;
    }
    json.push(']');
    let too_long = || Stop::Program("the arguments are too long for an interpreter".to_owned());
    json.finish().ok_or_else(|| too_long().into())
}

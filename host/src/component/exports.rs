//! Reads a component's imports and exports, and tells which exports agents can call.
//! They are read from its WIT or from its compiled form.

use tool_hub_manifest::ExportName;
use wasmtime::component::types::{ComponentFunc, ComponentItem};
use wasmtime::component::{Component, ComponentExportIndex};
use wit_parser::{FunctionKind, Resolve, TypeDefKind, TypeId, WorldId, WorldItem};

use crate::component::contract_exports::ContractExport;
use crate::component::function::NotCallable;
use crate::values::types::{Signature, engine, wit};

/// An export that is no function of a tool: with it a language's runtime is started while
/// a component is built.
struct RuntimeExport {
    language: &'static str,
    interface: Option<&'static str>,
    function: &'static str,
    parameters: &'static [&'static str],
}

/// The runtimes of componentize-py and componentize-qjs. The latter takes the text of a
/// script, so an agent must never reach it.
const RUNTIMES: [RuntimeExport; 2] = [
    RuntimeExport {
        language: "Python",
        interface: Some("exports"),
        function: "init",
        parameters: &["app-name", "symbols", "stub-wasi"],
    },
    RuntimeExport {
        language: "JavaScript",
        interface: None,
        function: "init",
        parameters: &["shim", "script", "entry-path", "disable-gc"],
    },
];

/// The exports and imports of a component. `I` is the index of an export, or `()` where nobody
/// needs it.
#[derive(Debug)]
pub(crate) struct Exports<I> {
    pub(crate) callable: Vec<CallableExport<I>>,
    pub(crate) not_callable: Vec<NotCallable>,
    /// The exports that the contract defines.
    pub(crate) contract: Vec<(ContractExport, Signature, I)>,
    pub(crate) imports: Vec<Import>,
    /// The language whose runtime the component holds, where that shows. Such runtimes
    /// import whatever their language could use.
    pub(crate) runtime: Option<&'static str>,
}

/// A function that agents can call.
#[derive(Debug)]
pub(crate) struct CallableExport<I> {
    pub(crate) name: ExportName,
    pub(crate) signature: Signature,
    pub(crate) index: I,
}

/// An import. An interface that only names types is left out: it gives no access and needs nothing
/// from the host.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) name: String,
    /// The functions of the interface, where it is one.
    pub(crate) functions: Vec<String>,
    /// Their types, where a tool that this one depends on may have the interface.
    pub(crate) signatures: Vec<Result<Signature, String>>,
}

impl Exports<()> {
    /// Reads decoded WIT.
    pub(crate) fn of_world(resolve: &Resolve, world: WorldId) -> Self {
        let mut exports = Self::new();
        let world = &resolve.worlds[world];
        for (key, item) in &world.exports {
            match item {
                WorldItem::Function(function) => {
                    exports.function_of_world(resolve, None, function);
                }
                WorldItem::Interface { id, .. } => {
                    let interface = resolve.name_world_key(key);
                    for function in resolve.interfaces[*id].functions.values() {
                        exports.function_of_world(resolve, Some(&interface), function);
                    }
                }
                WorldItem::Type { .. } => {}
            }
        }
        for (key, item) in &world.imports {
            let name = resolve.name_world_key(key);
            let mut signatures = Vec::new();
            let functions = match item {
                WorldItem::Interface { id, .. } => {
                    let interface = &resolve.interfaces[*id];
                    if is_of_a_tool(&name) {
                        let functions = interface.functions.values();
                        signatures.extend(functions.map(|it| signature_in_wit(resolve, it)));
                    }
                    let is_resource =
                        |id: &TypeId| resolve.types[*id].kind == TypeDefKind::Resource;
                    let only_names = !interface.types.values().any(is_resource);
                    if interface.functions.is_empty() && only_names && !is_wasi(&name) {
                        continue;
                    }
                    interface.functions.keys().cloned().collect()
                }
                WorldItem::Function(_) => Vec::new(),
                WorldItem::Type { .. } => continue,
            };
            exports.imports.push(Import {
                name,
                functions,
                signatures,
            });
        }
        exports
    }

    fn function_of_world(
        &mut self,
        resolve: &Resolve,
        interface: Option<&str>,
        function: &wit_parser::Function,
    ) {
        let signature = signature_in_wit(resolve, function);
        self.add(interface, &function.name, (), signature);
    }
}

impl Exports<ComponentExportIndex> {
    /// Reads a compiled component.
    pub(crate) fn of_component(component: &Component) -> Self {
        let mut exports = Self::new();
        let engine = component.engine();
        let ty = component.component_type();
        for (name, item) in ty.exports(engine) {
            match item.ty {
                ComponentItem::ComponentFunc(function) => {
                    let index = component.get_export_index(None, name);
                    exports.function_of_component(None, name, index, &function);
                }
                ComponentItem::ComponentInstance(instance) => {
                    let parent = component.get_export_index(None, name);
                    for (function, item) in instance.exports(engine) {
                        if let ComponentItem::ComponentFunc(ty) = item.ty {
                            let index = component.get_export_index(parent.as_ref(), function);
                            exports.function_of_component(Some(name), function, index, &ty);
                        }
                    }
                }
                _ => {}
            }
        }
        for (name, item) in ty.imports(engine) {
            let mut signatures = Vec::new();
            let functions = match item.ty {
                ComponentItem::ComponentInstance(instance) => {
                    let names_a_type =
                        |item: &ComponentItem| matches!(item, ComponentItem::Type(_));
                    if instance
                        .exports(engine)
                        .all(|(_, item)| names_a_type(&item.ty))
                    {
                        continue;
                    }
                    let is_function = |(name, item): (&str, _)| match item {
                        ComponentItem::ComponentFunc(_) => Some(name.to_owned()),
                        _ => None,
                    };
                    let items = || instance.exports(engine).map(|(name, item)| (name, item.ty));
                    if is_of_a_tool(name) {
                        signatures.extend(items().filter_map(|(name, item)| match item {
                            ComponentItem::ComponentFunc(ty) => Some(signature_of(name, &ty)),
                            _ => None,
                        }));
                    }
                    items().filter_map(is_function).collect()
                }
                ComponentItem::Type(_) => continue,
                _ => Vec::new(),
            };
            let name = name.to_owned();
            exports.imports.push(Import {
                name,
                functions,
                signatures,
            });
        }
        exports
    }

    fn function_of_component(
        &mut self,
        interface: Option<&str>,
        name: &str,
        index: Option<ComponentExportIndex>,
        function: &ComponentFunc,
    ) {
        let Some(index) = index else { return };
        let signature = signature_of(name, function);
        self.add(interface, name, index, signature);
    }
}

impl<I> Exports<I> {
    /// The same exports, each with what `change` makes of its name and index.
    pub(crate) fn map<J>(self, change: impl Fn(&str, &Signature, I) -> J) -> Exports<J> {
        let callable = self.callable.into_iter().map(|export| CallableExport {
            index: change(&export.name.to_string(), &export.signature, export.index),
            name: export.name,
            signature: export.signature,
        });
        let contract = self.contract.into_iter().map(|(export, signature, index)| {
            let index = change(&export.name(), &signature, index);
            (export, signature, index)
        });
        Exports {
            callable: callable.collect(),
            contract: contract.collect(),
            not_callable: self.not_callable,
            imports: self.imports,
            runtime: self.runtime,
        }
    }

    fn new() -> Self {
        Self {
            callable: Vec::new(),
            not_callable: Vec::new(),
            contract: Vec::new(),
            imports: Vec::new(),
            runtime: None,
        }
    }

    fn add(
        &mut self,
        interface: Option<&str>,
        function: &str,
        index: I,
        signature: Result<Signature, String>,
    ) {
        if let Some(interface) = interface.filter(|name| ContractExport::is_in(name)) {
            self.add_contract(interface, function, index, signature);
            return;
        }
        let name = match interface {
            Some(interface) => ExportName::in_interface(interface, function),
            None => ExportName::top_level(function),
        };
        let started = signature.as_ref().ok().and_then(|signature| {
            let mut known = RUNTIMES.iter();
            known.find(|runtime| runtime.is_started_by(interface, function, signature))
        });
        self.runtime = self.runtime.or(started.map(|runtime| runtime.language));
        let result = match (name, signature) {
            _ if started.is_some() => Err(
                "the language's runtime is started with it, when the component is built".to_owned(),
            ),
            (Ok(name), Ok(signature)) => Ok(CallableExport {
                name,
                signature,
                index,
            }),
            (_, Err(reason)) => Err(reason),
            (Err(error), _) => Err(error.to_string()),
        };
        match result {
            Ok(placed) => self.callable.push(placed),
            Err(reason) => self.not_callable.push(NotCallable {
                export: match interface {
                    Some(interface) => format!("{interface}.{function}"),
                    None => function.to_owned(),
                },
                reason,
            }),
        }
    }

    fn add_contract(
        &mut self,
        interface: &str,
        function: &str,
        index: I,
        signature: Result<Signature, String>,
    ) {
        let found = signature.ok().and_then(|signature| {
            ContractExport::find(interface, function, &signature).map(|export| (export, signature))
        });
        match found {
            Some((export, signature)) => self.contract.push((export, signature, index)),
            None => self.not_callable.push(NotCallable {
                export: format!("{interface}.{function}"),
                reason: "it is not what the contract knows by that name".to_owned(),
            }),
        }
    }

    /// True if all of `needed` are exported.
    pub(crate) fn has(&self, needed: &[ContractExport]) -> bool {
        let exported =
            |export: &ContractExport| self.contract.iter().any(|(found, ..)| found == export);
        needed.iter().all(exported)
    }
}

impl RuntimeExport {
    fn is_started_by(
        &self,
        interface: Option<&str>,
        function: &str,
        signature: &Signature,
    ) -> bool {
        let parameters = signature.parameters.iter();
        (self.interface, self.function) == (interface, function)
            && parameters
                .map(|field| field.label.wit.as_str())
                .eq(self.parameters.iter().copied())
    }
}

/// Why agents and other tools cannot call a function of a resource.
const OF_A_RESOURCE: &str = "it belongs to a resource, which cannot be written as JSON";

fn signature_in_wit(
    resolve: &Resolve,
    function: &wit_parser::Function,
) -> Result<Signature, String> {
    match function.kind {
        FunctionKind::Freestanding | FunctionKind::AsyncFreestanding => {
            wit::signature(resolve, function).map_err(|error| error.to_string())
        }
        _ => Err(OF_A_RESOURCE.to_owned()),
    }
}

/// The types of the function `name` of a compiled component.
fn signature_of(name: &str, function: &ComponentFunc) -> Result<Signature, String> {
    match name.starts_with('[') {
        true => Err(OF_A_RESOURCE.to_owned()),
        false => engine::signature(function).map_err(|error| error.to_string()),
    }
}

/// True for an interface that a tool may have: neither WASI's nor the contract's.
pub(crate) fn is_of_a_tool(interface: &str) -> bool {
    !is_wasi(interface) && !interface.starts_with("tool-hub:tool/")
}

/// Interfaces of WASI are told apart by their names, whatever a component takes from them.
fn is_wasi(name: &str) -> bool {
    name.starts_with("wasi:")
}

//! Wraps a core module in a component that exports its functions over plain numbers.

use wasm_encoder::{ComponentBuilder, ComponentExportKind, ExportKind, PrimitiveValType};
use wasmparser::{ExternalKind, FuncType, Parser, Payload, ValType};

/// The most numbers that a function is called with as they are.
const PARAMETERS_MAX: usize = 16;

/// A function over plain numbers.
struct Function {
    name: String,
    parameters: Vec<PrimitiveValType>,
    result: Option<PrimitiveValType>,
}

/// The component around `module`, which is valid and imports nothing.
pub fn component(module: &[u8]) -> Vec<u8> {
    let mut component = ComponentBuilder::default();
    let index = component.core_module_raw(None, module);
    let instance = component.core_instantiate(None, index, []);
    for (at, function) in functions(module).iter().enumerate() {
        let core = component.core_alias_export(None, instance, &function.name, ExportKind::Func);
        let names: Vec<String> = (0..function.parameters.len())
            .map(|at| format!("p{at}"))
            .collect();
        let parameters = names
            .iter()
            .map(String::as_str)
            .zip(function.parameters.iter().copied());
        let (ty, mut encoder) = component.type_function(None);
        encoder
            .params(parameters.collect::<Vec<_>>())
            .result(function.result.map(Into::into));
        let lifted = component.lift_func(None, core, ty, []);
        let name = format!("f{at}");
        component.export(name.as_str(), ComponentExportKind::Func, lifted, None);
    }
    component.finish()
}

fn functions(module: &[u8]) -> Vec<Function> {
    let (mut types, mut indices, mut functions) = (Vec::<FuncType>::new(), Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload.expect("a valid module") {
            Payload::TypeSection(section) => {
                let section = section.into_iter_err_on_gc_types();
                types.extend(section.map(|function| function.expect("a function's type")));
            }
            Payload::FunctionSection(section) => {
                indices.extend(section.into_iter().map(|index| index.expect("an index")));
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export.expect("an export");
                    if export.kind == ExternalKind::Func {
                        let index: u32 = indices[export.index as usize];
                        functions.extend(function(export.name, &types[index as usize]));
                    }
                }
            }
            _ => {}
        }
    }
    functions
}

fn function(name: &str, ty: &FuncType) -> Option<Function> {
    let plain = |types: &[ValType]| types.iter().copied().map(plain).collect::<Option<Vec<_>>>();
    let (parameters, results) = (plain(ty.params())?, plain(ty.results())?);
    (parameters.len() <= PARAMETERS_MAX && results.len() <= 1).then(|| Function {
        name: name.to_owned(),
        parameters,
        result: results.first().copied(),
    })
}

fn plain(ty: ValType) -> Option<PrimitiveValType> {
    match ty {
        ValType::I32 => Some(PrimitiveValType::S32),
        ValType::I64 => Some(PrimitiveValType::U64),
        ValType::F32 => Some(PrimitiveValType::F32),
        ValType::F64 => Some(PrimitiveValType::F64),
        _ => None,
    }
}

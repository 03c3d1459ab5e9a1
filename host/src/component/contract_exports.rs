//! Recognises the exports that WIT package `tool-hub:tool` defines, by name and type.

use std::sync::LazyLock;

use crate::values::types::{Integer, Signature, Type, contract};

/// A function of the contract that a tool may export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContractExport {
    ListPrompts,
    GetPrompt,
    ListResources,
    ListTemplates,
    ReadResource,
    PrepareProgram,
    CallProgram,
    MemorySize,
    GrowMemory,
    ReadMemory,
    RestoreMemory,
}

/// The parameters of a function, and its result if it has one.
type Types = (Vec<Type>, Option<Type>);

static LIST_PROMPTS: LazyLock<Types> =
    LazyLock::new(|| (Vec::new(), Some(list(&contract::PROMPT))));
static GET_PROMPT: LazyLock<Types> = LazyLock::new(|| {
    let pair = Type::Tuple(vec![Type::String, Type::String]);
    (
        vec![Type::String, list(&pair)],
        Some(fallible(list(&contract::MESSAGE))),
    )
});
static LIST_RESOURCES: LazyLock<Types> =
    LazyLock::new(|| (Vec::new(), Some(fallible(list(&contract::ENTRY)))));
static LIST_TEMPLATES: LazyLock<Types> =
    LazyLock::new(|| (Vec::new(), Some(fallible(list(&contract::TEMPLATE)))));
static READ_RESOURCE: LazyLock<Types> = LazyLock::new(|| {
    (
        vec![Type::String],
        Some(fallible(list(&contract::RESOURCE))),
    )
});
static PREPARE_PROGRAM: LazyLock<Types> = LazyLock::new(|| {
    let result = Type::Result(None, Some(Box::new(Type::String)));
    (vec![Type::String], Some(result))
});
static CALL_PROGRAM: LazyLock<Types> =
    LazyLock::new(|| (vec![Type::String, Type::String], Some(Type::String)));
const U32: Type = Type::Integer(Integer::U32);
static MEMORY_SIZE: LazyLock<Types> = LazyLock::new(|| (Vec::new(), Some(U32)));
static GROW_MEMORY: LazyLock<Types> = LazyLock::new(|| (vec![U32], None));
static READ_MEMORY: LazyLock<Types> = LazyLock::new(|| (vec![U32, U32], Some(Type::Bytes)));
static RESTORE_MEMORY: LazyLock<Types> = LazyLock::new(|| (vec![Type::Bytes], None));

impl ContractExport {
    /// The contract's interfaces, of whatever version.
    const PROMPTS: &str = "tool-hub:tool/prompts@";
    const RESOURCES: &str = "tool-hub:tool/resources@";
    const INTERPRETER: &str = "tool-hub:tool/interpreter@";
    const INTERPRETER_MEMORY: &str = "tool-hub:tool/interpreter-memory@";

    /// The exports of a tool with prompts.
    pub(crate) const OF_PROMPTS: [Self; 2] = [Self::ListPrompts, Self::GetPrompt];
    /// The exports of a tool with resources.
    pub(crate) const OF_RESOURCES: [Self; 3] =
        [Self::ListResources, Self::ListTemplates, Self::ReadResource];
    /// The exports of an interpreter, which are for the host alone.
    pub(crate) const OF_INTERPRETERS: [Self; 2] = [Self::PrepareProgram, Self::CallProgram];
    /// The exports of an interpreter whose memory the host may read and write.
    pub(crate) const OF_MEMORIES: [Self; 4] = [
        Self::MemorySize,
        Self::GrowMemory,
        Self::ReadMemory,
        Self::RestoreMemory,
    ];

    /// True if the contract defines the exported `interface`, so that nothing in it is a function
    /// of the tool.
    pub(crate) fn is_in(interface: &str) -> bool {
        let defined = [
            Self::PROMPTS,
            Self::RESOURCES,
            Self::INTERPRETER,
            Self::INTERPRETER_MEMORY,
        ];
        defined.iter().any(|name| interface.starts_with(name))
    }

    /// The function of the contract that `function` of `interface` is.
    pub(crate) fn find(interface: &str, function: &str, signature: &Signature) -> Option<Self> {
        let named = |export: &Self| {
            interface.starts_with(export.interface()) && export.function() == function
        };
        let offered = Self::OF_PROMPTS.into_iter().chain(Self::OF_RESOURCES);
        let found = offered
            .chain(Self::OF_INTERPRETERS)
            .chain(Self::OF_MEMORIES)
            .find(named)?;
        let (parameters, result) = found.types();
        let given = signature.parameters.iter().map(|field| &field.ty);
        let fits = given.eq(parameters) && signature.result == *result;
        fits.then_some(found)
    }

    fn interface(self) -> &'static str {
        match self {
            Self::ListPrompts | Self::GetPrompt => Self::PROMPTS,
            Self::ListResources | Self::ListTemplates | Self::ReadResource => Self::RESOURCES,
            Self::PrepareProgram | Self::CallProgram => Self::INTERPRETER,
            Self::MemorySize | Self::GrowMemory | Self::ReadMemory | Self::RestoreMemory => {
                Self::INTERPRETER_MEMORY
            }
        }
    }

    /// Its name in WIT.
    pub(crate) fn function(self) -> &'static str {
        match self {
            Self::ListPrompts => "list-prompts",
            Self::GetPrompt => "get-prompt",
            Self::ListResources => "list-resources",
            Self::ListTemplates => "list-templates",
            Self::ReadResource => "read-resource",
            Self::PrepareProgram => "prepare",
            Self::CallProgram => "call",
            Self::MemorySize => "size",
            Self::GrowMemory => "grow",
            Self::ReadMemory => "read",
            Self::RestoreMemory => "restore",
        }
    }

    /// Its name, as that of an [`ExportName`](tool_hub_manifest::ExportName).
    pub(crate) fn name(self) -> String {
        let interface = self.interface().trim_end_matches('@');
        format!("{interface}.{}", self.function())
    }

    fn types(self) -> &'static Types {
        match self {
            Self::ListPrompts => &LIST_PROMPTS,
            Self::GetPrompt => &GET_PROMPT,
            Self::ListResources => &LIST_RESOURCES,
            Self::ListTemplates => &LIST_TEMPLATES,
            Self::ReadResource => &READ_RESOURCE,
            Self::PrepareProgram => &PREPARE_PROGRAM,
            Self::CallProgram => &CALL_PROGRAM,
            Self::MemorySize => &MEMORY_SIZE,
            Self::GrowMemory => &GROW_MEMORY,
            Self::ReadMemory => &READ_MEMORY,
            Self::RestoreMemory => &RESTORE_MEMORY,
        }
    }
}

fn list(item: &Type) -> Type {
    Type::List(Box::new(item.clone()))
}

fn fallible(ok: Type) -> Type {
    Type::Result(
        Some(Box::new(ok)),
        Some(Box::new(contract::FAILURE.clone())),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::types::wit;
    use std::path::Path;
    use wit_parser::Resolve;

    #[test]
    fn every_function_of_the_contract_is_known_by_its_types() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(directory).unwrap();
        let mut found = Vec::new();
        for name in ["prompts", "resources", "interpreter", "interpreter-memory"] {
            let interface = resolve.packages[package].interfaces[name];
            let qualified = resolve.id_of(interface).unwrap();
            assert!(ContractExport::is_in(&qualified), "{qualified}");
            for (name, function) in &resolve.interfaces[interface].functions {
                let signature = wit::signature(&resolve, function).unwrap();
                let export = ContractExport::find(&qualified, name, &signature);
                found.push(export.unwrap_or_else(|| panic!("{qualified}.{name}")));
                let mut other = signature;
                other.parameters.clear();
                other.result = Some(Type::Char);
                assert_eq!(ContractExport::find(&qualified, name, &other), None);
            }
        }
        let known = [
            &ContractExport::OF_PROMPTS[..],
            &ContractExport::OF_RESOURCES,
            &ContractExport::OF_INTERPRETERS,
            &ContractExport::OF_MEMORIES,
        ]
        .concat();
        assert_eq!(found, known);
    }
}

//! Recognises the exports that WIT package `tool-hub:tool` defines, by name and type.

use std::sync::LazyLock;

use crate::values::types::{Signature, Type, contract};

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
}

/// The parameters and the result of a function.
type Types = (Vec<Type>, Type);

static LIST_PROMPTS: LazyLock<Types> = LazyLock::new(|| (Vec::new(), list(&contract::PROMPT)));
static GET_PROMPT: LazyLock<Types> = LazyLock::new(|| {
    let pair = Type::Tuple(vec![Type::String, Type::String]);
    (
        vec![Type::String, list(&pair)],
        fallible(list(&contract::MESSAGE)),
    )
});
static LIST_RESOURCES: LazyLock<Types> =
    LazyLock::new(|| (Vec::new(), fallible(list(&contract::ENTRY))));
static LIST_TEMPLATES: LazyLock<Types> =
    LazyLock::new(|| (Vec::new(), fallible(list(&contract::TEMPLATE))));
static READ_RESOURCE: LazyLock<Types> =
    LazyLock::new(|| (vec![Type::String], fallible(list(&contract::RESOURCE))));
static PREPARE_PROGRAM: LazyLock<Types> = LazyLock::new(|| {
    let result = Type::Result(None, Some(Box::new(Type::String)));
    (vec![Type::String], result)
});
static CALL_PROGRAM: LazyLock<Types> =
    LazyLock::new(|| (vec![Type::String, Type::String], Type::String));

impl ContractExport {
    /// The contract's interfaces, of whatever version.
    const PROMPTS: &str = "tool-hub:tool/prompts@";
    const RESOURCES: &str = "tool-hub:tool/resources@";
    const INTERPRETER: &str = "tool-hub:tool/interpreter@";

    /// The exports of a tool with prompts.
    pub(crate) const OF_PROMPTS: [Self; 2] = [Self::ListPrompts, Self::GetPrompt];
    /// The exports of a tool with resources.
    pub(crate) const OF_RESOURCES: [Self; 3] =
        [Self::ListResources, Self::ListTemplates, Self::ReadResource];
    /// The exports of an interpreter, which are for the host alone.
    pub(crate) const OF_INTERPRETERS: [Self; 2] = [Self::PrepareProgram, Self::CallProgram];

    /// True if the contract defines the exported `interface`, so that nothing in it is a function
    /// of the tool.
    pub(crate) fn is_in(interface: &str) -> bool {
        let defined = [Self::PROMPTS, Self::RESOURCES, Self::INTERPRETER];
        defined.iter().any(|name| interface.starts_with(name))
    }

    /// The function of the contract that `function` of `interface` is.
    pub(crate) fn find(interface: &str, function: &str, signature: &Signature) -> Option<Self> {
        let named = |export: &Self| {
            interface.starts_with(export.interface()) && export.function() == function
        };
        let offered = Self::OF_PROMPTS.into_iter().chain(Self::OF_RESOURCES);
        let found = offered.chain(Self::OF_INTERPRETERS).find(named)?;
        let (parameters, result) = found.types();
        let given = signature.parameters.iter().map(|field| &field.ty);
        let fits = given.eq(parameters) && signature.result.as_ref() == Some(result);
        fits.then_some(found)
    }

    fn interface(self) -> &'static str {
        match self {
            Self::ListPrompts | Self::GetPrompt => Self::PROMPTS,
            Self::ListResources | Self::ListTemplates | Self::ReadResource => Self::RESOURCES,
            Self::PrepareProgram | Self::CallProgram => Self::INTERPRETER,
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
        }
    }

    /// Its name, as that of an [`ExportName`](tool_hub_manifest::ExportName).
    pub(crate) fn name(self) -> String {
        format!("{}.{}", self.interface(), self.function())
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
        for name in ["prompts", "resources", "interpreter"] {
            let interface = resolve.packages[package].interfaces[name];
            let qualified = resolve.id_of(interface).unwrap();
            assert!(ContractExport::is_in(&qualified), "{qualified}");
            for (name, function) in &resolve.interfaces[interface].functions {
                let signature = wit::signature(&resolve, function).unwrap();
                let export = ContractExport::find(&qualified, name, &signature);
                found.push(export.unwrap_or_else(|| panic!("{qualified}.{name}")));
                let mut other = signature;
                other.result = None;
                assert_eq!(ContractExport::find(&qualified, name, &other), None);
            }
        }
        let known = [
            &ContractExport::OF_PROMPTS[..],
            &ContractExport::OF_RESOURCES,
            &ContractExport::OF_INTERPRETERS,
        ]
        .concat();
        assert_eq!(found, known);
    }
}

//! What a tool may export beside functions: the contract's prompts and resources.

use std::sync::LazyLock;

use crate::plan::Plan;
use crate::shape::{Shape, Signature, known};
use crate::{Failure, FailureKind, Tool};

/// How many prompts, resources, templates or parts of a resource a tool names at once.
pub(crate) const ENTRIES_MAX: usize = 1_000;

/// A function of the contract that a tool may export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside {
    ListPrompts,
    GetPrompt,
    ListResources,
    ListTemplates,
    ReadResource,
}

/// The parameters and the result of a function.
type Shapes = (Vec<Shape>, Shape);

static LIST_PROMPTS: LazyLock<Shapes> = LazyLock::new(|| (Vec::new(), list(&known::PROMPT)));
static GET_PROMPT: LazyLock<Shapes> = LazyLock::new(|| {
    let pair = Shape::Tuple(vec![Shape::String, Shape::String]);
    (
        vec![Shape::String, list(&pair)],
        fallible(list(&known::MESSAGE)),
    )
});
static LIST_RESOURCES: LazyLock<Shapes> =
    LazyLock::new(|| (Vec::new(), fallible(list(&known::ENTRY))));
static LIST_TEMPLATES: LazyLock<Shapes> =
    LazyLock::new(|| (Vec::new(), fallible(list(&known::TEMPLATE))));
static READ_RESOURCE: LazyLock<Shapes> =
    LazyLock::new(|| (vec![Shape::String], fallible(list(&known::RESOURCE))));

impl Beside {
    /// The contract's interfaces, of whatever version.
    const PROMPTS: &str = "tool-hub:tool/prompts@";
    const RESOURCES: &str = "tool-hub:tool/resources@";

    /// What a tool with prompts exports.
    pub(crate) const OF_PROMPTS: [Self; 2] = [Self::ListPrompts, Self::GetPrompt];
    /// What a tool with resources exports.
    pub(crate) const OF_RESOURCES: [Self; 3] =
        [Self::ListResources, Self::ListTemplates, Self::ReadResource];

    /// Whether the contract speaks of the exported `interface`, so that nothing in it is a
    /// function of the tool.
    pub(crate) fn is_in(interface: &str) -> bool {
        interface.starts_with(Self::PROMPTS) || interface.starts_with(Self::RESOURCES)
    }

    /// The function of the contract that `function` of `interface` is.
    pub(crate) fn find(interface: &str, function: &str, signature: &Signature) -> Option<Self> {
        let named = |beside: &Self| {
            interface.starts_with(beside.interface()) && beside.function() == function
        };
        let mut all = Self::OF_PROMPTS.into_iter().chain(Self::OF_RESOURCES);
        let found = all.find(named)?;
        let (parameters, result) = found.shapes();
        let given = signature.parameters.iter().map(|field| &field.shape);
        let fits = given.eq(parameters) && signature.result.as_ref() == Some(result);
        fits.then_some(found)
    }

    fn interface(self) -> &'static str {
        match self {
            Self::ListPrompts | Self::GetPrompt => Self::PROMPTS,
            Self::ListResources | Self::ListTemplates | Self::ReadResource => Self::RESOURCES,
        }
    }

    /// Its name in WIT. With a hyphen it is never taken for a function of the tool's own.
    pub(crate) fn function(self) -> &'static str {
        match self {
            Self::ListPrompts => "list-prompts",
            Self::GetPrompt => "get-prompt",
            Self::ListResources => "list-resources",
            Self::ListTemplates => "list-templates",
            Self::ReadResource => "read-resource",
        }
    }

    fn shapes(self) -> &'static Shapes {
        match self {
            Self::ListPrompts => &LIST_PROMPTS,
            Self::GetPrompt => &GET_PROMPT,
            Self::ListResources => &LIST_RESOURCES,
            Self::ListTemplates => &LIST_TEMPLATES,
            Self::ReadResource => &READ_RESOURCE,
        }
    }
}

fn list(item: &Shape) -> Shape {
    Shape::List(Box::new(item.clone()))
}

fn fallible(ok: Shape) -> Shape {
    Shape::Result(Some(Box::new(ok)), Some(Box::new(known::FAILURE.clone())))
}

impl Tool {
    /// Whether it offers prompts.
    pub fn has_prompts(&self) -> bool {
        self.exports(&Beside::OF_PROMPTS)
    }

    /// Whether it offers resources.
    pub fn has_resources(&self) -> bool {
        self.exports(&Beside::OF_RESOURCES)
    }

    fn exports(&self, needed: &[Beside]) -> bool {
        needed.iter().all(|beside| self.plan_of(*beside).is_some())
    }

    fn plan_of(&self, beside: Beside) -> Option<&Plan> {
        let mut plans = self.loaded.beside.iter();
        let found = plans.find(|(exported, _)| *exported == beside);
        found.map(|(_, plan)| plan)
    }

    /// How to call what the tool may export.
    pub(crate) fn beside(&self, beside: Beside) -> Result<&Plan, Failure> {
        self.plan_of(beside).ok_or_else(|| {
            let what = match beside {
                Beside::ListPrompts | Beside::GetPrompt => "prompts",
                _ => "resources",
            };
            let message = format!("tool `{}` offers no {what}", self.name());
            Failure::new(FailureKind::NotFound, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::wit;
    use std::path::Path;
    use wit_parser::Resolve;

    #[test]
    fn every_function_of_the_contract_is_known_by_its_types() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(directory).unwrap();
        let mut found = Vec::new();
        for name in ["prompts", "resources"] {
            let interface = resolve.packages[package].interfaces[name];
            let qualified = resolve.id_of(interface).unwrap();
            assert!(Beside::is_in(&qualified), "{qualified}");
            for (name, function) in &resolve.interfaces[interface].functions {
                let signature = wit::signature(&resolve, function).unwrap();
                let beside = Beside::find(&qualified, name, &signature);
                found.push(beside.unwrap_or_else(|| panic!("{qualified}.{name}")));
                let mut other = signature;
                other.result = None;
                assert_eq!(Beside::find(&qualified, name, &other), None);
            }
        }
        let known = [&Beside::OF_PROMPTS[..], &Beside::OF_RESOURCES].concat();
        assert_eq!(found, known);
    }
}

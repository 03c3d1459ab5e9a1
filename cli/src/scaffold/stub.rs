//! Parts of the stubs of functions: the types that they import, and the error that they return.

use tool_hub_agent::definition::interface::{Interface, WitType};

/// The answer of a function until somebody writes it, after its name.
pub(super) const NOT_WRITTEN: &str =
    "is not written yet; tell the user that the author of this tool has to write it";

/// The names of types that the signatures of `interface` use, in order and each once:
/// `named` are the interface's own, others the contract's.
pub(super) fn types_used(interface: &Interface) -> (Vec<String>, Vec<&'static str>) {
    fn collect(value: &WitType, named: &mut Vec<String>, media: &mut Vec<&'static str>) {
        match value {
            WitType::Named(name) => named.push(name.clone()),
            WitType::Contract(name) => media.push(name),
            WitType::List(inner) | WitType::Option(inner) => collect(inner, named, media),
            WitType::Tuple(items) => items.iter().for_each(|item| collect(item, named, media)),
            _ => {}
        }
    }
    let (mut named, mut media) = (Vec::new(), Vec::new());
    for operation in &interface.operations {
        for parameter in &operation.parameters {
            collect(&parameter.value, &mut named, &mut media);
        }
        collect(&operation.output, &mut named, &mut media);
    }
    named.sort();
    named.dedup();
    media.sort_unstable();
    media.dedup();
    (named, media)
}

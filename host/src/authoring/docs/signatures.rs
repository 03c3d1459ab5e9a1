//! Refuses functions for agents whose values cannot be written as JSON, with their place.

use std::collections::HashSet;

use wit_parser::{
    Function, FunctionKind, Handle, Resolve, Type, TypeDefKind, TypeId, WorldId, WorldItem,
};

use crate::error::HostError;

/// Checks every function that `world` exports of its own package. Those of others' interfaces are
/// not for agents, or are somebody else's to correct.
pub(super) fn check(resolve: &Resolve, world: WorldId) -> Result<(), HostError> {
    for item in resolve.worlds[world].exports.values() {
        match item {
            WorldItem::Function(function) => check_function(resolve, function)?,
            WorldItem::Interface { id, .. } => {
                let interface = &resolve.interfaces[*id];
                if interface.package != resolve.worlds[world].package {
                    continue;
                }
                for function in interface.functions.values() {
                    check_function(resolve, function)?;
                }
            }
            WorldItem::Type { .. } => {}
        }
    }
    Ok(())
}

fn check_function(resolve: &Resolve, function: &Function) -> Result<(), HostError> {
    let refused = |what: &str| {
        let name = &function.name;
        let place = resolve.render_location(function.span);
        HostError::Wit {
            reason: format!("`{name}` {what}, which cannot be written as JSON\n     --> {place}"),
        }
    };
    if !matches!(
        function.kind,
        FunctionKind::Freestanding | FunctionKind::AsyncFreestanding
    ) {
        return Err(refused("belongs to a resource"));
    }
    let types = function.params.iter().map(|param| &param.ty);
    let mut known = HashSet::new();
    for ty in types.chain(&function.result) {
        if let Some(found) = unwritable(resolve, ty, &mut known) {
            return Err(refused(&format!("takes or returns a {found}")));
        }
    }
    Ok(())
}

/// The part of a type that cannot be written as JSON. Types that are `known` were looked at: types
/// may name each other so often that going through all of it again would never end.
fn unwritable(resolve: &Resolve, ty: &Type, known: &mut HashSet<TypeId>) -> Option<&'static str> {
    let Type::Id(id) = ty else { return None };
    match known.insert(*id) {
        true => of_definition(resolve, *id, known),
        false => None,
    }
}

fn of_definition(
    resolve: &Resolve,
    id: TypeId,
    known: &mut HashSet<TypeId>,
) -> Option<&'static str> {
    let mut of = |ty: &Type| unwritable(resolve, ty, known);
    match &resolve.types[id].kind {
        TypeDefKind::Resource | TypeDefKind::Handle(Handle::Own(_) | Handle::Borrow(_)) => {
            Some("resource")
        }
        TypeDefKind::Stream(_) => Some("stream"),
        TypeDefKind::Future(_) => Some("future"),
        TypeDefKind::Record(record) => record.fields.iter().find_map(|field| of(&field.ty)),
        TypeDefKind::Tuple(tuple) => tuple.types.iter().find_map(of),
        TypeDefKind::Variant(variant) => {
            let payloads = variant.cases.iter().filter_map(|case| case.ty.as_ref());
            payloads.into_iter().find_map(of)
        }
        TypeDefKind::Result(result) => result.ok.iter().chain(&result.err).find_map(of),
        TypeDefKind::Option(ty)
        | TypeDefKind::List(ty)
        | TypeDefKind::FixedLengthList(ty, _)
        | TypeDefKind::Type(ty) => of(ty),
        TypeDefKind::Map(key, value) => of(key).or_else(|| of(value)),
        _ => None,
    }
}

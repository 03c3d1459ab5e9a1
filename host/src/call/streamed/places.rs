//! Finds the streams and futures among the parts of a value.

use wasmtime::component::{Type as EngineType, Val};

/// True if values of `ty` have streams or futures.
pub(crate) fn is_streamed(ty: &EngineType) -> bool {
    match ty {
        EngineType::Stream(_) | EngineType::Future(_) => true,
        EngineType::List(list) => is_streamed(&list.ty()),
        EngineType::FixedLengthList(list) => is_streamed(&list.ty()),
        EngineType::Map(map) => is_streamed(&map.value()),
        EngineType::Option(option) => is_streamed(&option.ty()),
        EngineType::Result(result) => {
            let sides = [result.ok(), result.err()];
            sides.iter().flatten().any(is_streamed)
        }
        EngineType::Tuple(tuple) => tuple.types().any(|ty| is_streamed(&ty)),
        EngineType::Record(record) => record.fields().any(|field| is_streamed(&field.ty)),
        EngineType::Variant(variant) => {
            let mut cases = variant.cases().filter_map(|case| case.ty);
            cases.any(|ty| is_streamed(&ty))
        }
        _ => false,
    }
}

/// Something that is done with each value in the place of a stream or a future.
pub(crate) type Act<'a> = dyn FnMut(&mut Val, &EngineType) -> wasmtime::Result<()> + 'a;

/// Does `act` with each part of `value` whose type is a stream or a future, always in the same
/// order.
pub(crate) fn each(value: &mut Val, ty: &EngineType, act: &mut Act<'_>) -> wasmtime::Result<()> {
    match (ty, value) {
        (EngineType::Stream(_) | EngineType::Future(_), value) => act(value, ty),
        (ty, _) if !is_streamed(ty) => Ok(()),
        (EngineType::List(list), Val::List(items)) => each_of(items, &list.ty(), act),
        (EngineType::FixedLengthList(list), Val::FixedLengthList(items)) => {
            each_of(items, &list.ty(), act)
        }
        (EngineType::Map(map), Val::Map(pairs)) => {
            let ty = map.value();
            let mut values = pairs.iter_mut().map(|(_, value)| value);
            values.try_for_each(|value| each(value, &ty, act))
        }
        (EngineType::Option(option), Val::Option(Some(value))) => each(value, &option.ty(), act),
        (EngineType::Result(result), Val::Result(side)) => {
            let (ty, value) = match side {
                Ok(value) => (result.ok(), value),
                Err(value) => (result.err(), value),
            };
            one(value.as_deref_mut(), ty, act)
        }
        (EngineType::Tuple(tuple), Val::Tuple(items)) => {
            let mut items = items.iter_mut().zip(tuple.types());
            items.try_for_each(|(item, ty)| each(item, &ty, act))
        }
        (EngineType::Record(record), Val::Record(members)) => {
            let mut members = members.iter_mut().zip(record.fields());
            members.try_for_each(|((_, value), field)| each(value, &field.ty, act))
        }
        (EngineType::Variant(variant), Val::Variant(name, value)) => {
            let case = variant.cases().find(|case| case.name == name);
            one(value.as_deref_mut(), case.and_then(|case| case.ty), act)
        }
        _ => Ok(()),
    }
}

fn each_of(items: &mut [Val], ty: &EngineType, act: &mut Act<'_>) -> wasmtime::Result<()> {
    items.iter_mut().try_for_each(|item| each(item, ty, act))
}

fn one(value: Option<&mut Val>, ty: Option<EngineType>, act: &mut Act<'_>) -> wasmtime::Result<()> {
    match (value, ty) {
        (Some(value), Some(ty)) => each(value, &ty, act),
        _ => Ok(()),
    }
}

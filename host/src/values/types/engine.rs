//! Builds the types of a function from a compiled component, so that a warm start decodes no WIT.

use wasmtime::component::Type as EngineType;
use wasmtime::component::types::ComponentFunc;

use crate::values::types::{Budget, Case, Field, Integer, Signature, Type, TypeError};

/// The types of `function`.
pub(crate) fn signature(function: &ComponentFunc) -> Result<Signature, TypeError> {
    let mut budget = Budget::new();
    let (names, types): (Vec<&str>, Vec<EngineType>) = function.params().unzip();
    let labels = budget.labels(names.into_iter())?;
    let parameters = labels
        .into_iter()
        .zip(&types)
        .map(|(label, ty)| {
            let ty = convert(ty, &mut budget, 0)?;
            Ok(Field { label, ty })
        })
        .collect::<Result<_, _>>()?;
    let result = match function.results().next() {
        Some(ty) => Some(convert(&ty, &mut budget, 0)?),
        None => None,
    };
    Ok(Signature {
        parameters,
        result,
        is_async: function.async_() || budget.has_async(),
    })
}

fn boxed(ty: &EngineType, budget: &mut Budget, depth: usize) -> Result<Box<Type>, TypeError> {
    convert(ty, budget, depth).map(Box::new)
}

fn optional(
    ty: Option<EngineType>,
    budget: &mut Budget,
    depth: usize,
) -> Result<Option<Box<Type>>, TypeError> {
    ty.map(|ty| boxed(&ty, budget, depth)).transpose()
}

fn convert(ty: &EngineType, budget: &mut Budget, depth: usize) -> Result<Type, TypeError> {
    budget.charge(depth)?;
    let deeper = depth + 1;
    Ok(match ty {
        EngineType::Bool => Type::Bool,
        EngineType::S8 => Type::Integer(Integer::S8),
        EngineType::U8 => Type::Integer(Integer::U8),
        EngineType::S16 => Type::Integer(Integer::S16),
        EngineType::U16 => Type::Integer(Integer::U16),
        EngineType::S32 => Type::Integer(Integer::S32),
        EngineType::U32 => Type::Integer(Integer::U32),
        EngineType::S64 => Type::Integer(Integer::S64),
        EngineType::U64 => Type::Integer(Integer::U64),
        EngineType::Float32 => Type::F32,
        EngineType::Float64 => Type::F64,
        EngineType::Char => Type::Char,
        EngineType::String => Type::String,
        EngineType::List(list) => match list.ty() {
            EngineType::U8 => Type::Bytes,
            item => Type::List(boxed(&item, budget, deeper)?),
        },
        EngineType::FixedLengthList(list) => {
            Type::FixedList(boxed(&list.ty(), budget, deeper)?, list.len())
        }
        EngineType::Map(map) => Type::Map(
            boxed(&map.key(), budget, deeper)?,
            boxed(&map.value(), budget, deeper)?,
        ),
        EngineType::Option(option) => Type::Option(boxed(&option.ty(), budget, deeper)?),
        EngineType::Result(result) => Type::Result(
            optional(result.ok(), budget, deeper)?,
            optional(result.err(), budget, deeper)?,
        ),
        EngineType::Tuple(tuple) => {
            let items = tuple.types().map(|ty| convert(&ty, budget, deeper));
            Type::Tuple(items.collect::<Result<_, _>>()?)
        }
        EngineType::Record(record) => {
            let labels = budget.labels(record.fields().map(|field| field.name))?;
            let fields = labels
                .into_iter()
                .zip(record.fields())
                .map(|(label, field)| {
                    let ty = convert(&field.ty, budget, deeper)?;
                    Ok(Field { label, ty })
                });
            Type::Record(fields.collect::<Result<_, _>>()?)
        }
        EngineType::Variant(variant) => {
            let labels = budget.labels(variant.cases().map(|case| case.name))?;
            let cases = labels
                .into_iter()
                .zip(variant.cases())
                .map(|(label, case)| {
                    let ty = optional(case.ty, budget, deeper)?.map(|s| *s);
                    Ok(Case { label, ty })
                });
            Type::Variant(cases.collect::<Result<_, _>>()?)
        }
        EngineType::Enum(cases) => Type::Enum(budget.labels(cases.names())?),
        EngineType::Flags(flags) => Type::Flags(budget.labels(flags.names())?),
        EngineType::Own(_) | EngineType::Borrow(_) => {
            return Err(TypeError::Handle("resource".into()));
        }
        EngineType::Future(future) => {
            budget.note_async();
            let value = optional(future.ty(), budget, deeper)?;
            Type::of_future("future", value.map(|value| *value))?
        }
        EngineType::Stream(stream) => {
            budget.note_async();
            let items = optional(stream.ty(), budget, deeper)?;
            Type::of_stream("stream", items.map(|items| *items))?
        }
        EngineType::ErrorContext => return Err(TypeError::ErrorContext("error-context".into())),
    })
}

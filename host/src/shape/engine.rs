//! Shapes from a compiled component, so that a warm start decodes nothing.

use wasmtime::component::Type;
use wasmtime::component::types::ComponentFunc;

use super::{Budget, Case, Field, Integer, Shape, ShapeError, Signature};

/// The shapes of `function`.
pub(crate) fn signature(function: &ComponentFunc) -> Result<Signature, ShapeError> {
    if function.async_() {
        return Err(ShapeError::Async);
    }
    let mut budget = Budget::new();
    let (names, types): (Vec<&str>, Vec<Type>) = function.params().unzip();
    let labels = budget.labels(names.into_iter())?;
    let parameters = labels
        .into_iter()
        .zip(&types)
        .map(|(label, ty)| {
            let shape = shape(ty, &mut budget, 0)?;
            Ok(Field { label, shape })
        })
        .collect::<Result<_, _>>()?;
    let result = match function.results().next() {
        Some(ty) => Some(shape(&ty, &mut budget, 0)?),
        None => None,
    };
    Ok(Signature { parameters, result })
}

fn boxed(ty: &Type, budget: &mut Budget, depth: usize) -> Result<Box<Shape>, ShapeError> {
    shape(ty, budget, depth).map(Box::new)
}

fn maybe(
    ty: Option<Type>,
    budget: &mut Budget,
    depth: usize,
) -> Result<Option<Box<Shape>>, ShapeError> {
    ty.map(|ty| boxed(&ty, budget, depth)).transpose()
}

fn shape(ty: &Type, budget: &mut Budget, depth: usize) -> Result<Shape, ShapeError> {
    budget.pay(depth)?;
    let deeper = depth + 1;
    Ok(match ty {
        Type::Bool => Shape::Bool,
        Type::S8 => Shape::Integer(Integer::S8),
        Type::U8 => Shape::Integer(Integer::U8),
        Type::S16 => Shape::Integer(Integer::S16),
        Type::U16 => Shape::Integer(Integer::U16),
        Type::S32 => Shape::Integer(Integer::S32),
        Type::U32 => Shape::Integer(Integer::U32),
        Type::S64 => Shape::Integer(Integer::S64),
        Type::U64 => Shape::Integer(Integer::U64),
        Type::Float32 => Shape::F32,
        Type::Float64 => Shape::F64,
        Type::Char => Shape::Char,
        Type::String => Shape::String,
        Type::List(list) => match list.ty() {
            Type::U8 => Shape::Bytes,
            item => Shape::List(boxed(&item, budget, deeper)?),
        },
        Type::FixedLengthList(list) => {
            Shape::FixedList(boxed(&list.ty(), budget, deeper)?, list.len())
        }
        Type::Map(map) => Shape::Map(
            boxed(&map.key(), budget, deeper)?,
            boxed(&map.value(), budget, deeper)?,
        ),
        Type::Option(option) => Shape::Option(boxed(&option.ty(), budget, deeper)?),
        Type::Result(result) => Shape::Result(
            maybe(result.ok(), budget, deeper)?,
            maybe(result.err(), budget, deeper)?,
        ),
        Type::Tuple(tuple) => {
            let items = tuple.types().map(|ty| shape(&ty, budget, deeper));
            Shape::Tuple(items.collect::<Result<_, _>>()?)
        }
        Type::Record(record) => {
            let labels = budget.labels(record.fields().map(|field| field.name))?;
            let fields = labels
                .into_iter()
                .zip(record.fields())
                .map(|(label, field)| {
                    let shape = shape(&field.ty, budget, deeper)?;
                    Ok(Field { label, shape })
                });
            Shape::Record(fields.collect::<Result<_, _>>()?)
        }
        Type::Variant(variant) => {
            let labels = budget.labels(variant.cases().map(|case| case.name))?;
            let cases = labels
                .into_iter()
                .zip(variant.cases())
                .map(|(label, case)| {
                    let shape = maybe(case.ty, budget, deeper)?.map(|s| *s);
                    Ok(Case { label, shape })
                });
            Shape::Variant(cases.collect::<Result<_, _>>()?)
        }
        Type::Enum(cases) => Shape::Enum(budget.labels(cases.names())?),
        Type::Flags(flags) => Shape::Flags(budget.labels(flags.names())?),
        Type::Own(_) | Type::Borrow(_) => return Err(ShapeError::Handle("resource".into())),
        Type::Future(_) => return Err(ShapeError::Concurrent("future".into(), "future")),
        Type::Stream(_) => return Err(ShapeError::Concurrent("stream".into(), "stream")),
        Type::ErrorContext => {
            return Err(ShapeError::Concurrent(
                "error-context".into(),
                "error context",
            ));
        }
    })
}

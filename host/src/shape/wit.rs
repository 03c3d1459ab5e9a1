//! Shapes from decoded WIT, which needs no engine and no compilation.

use wit_parser::{Function, Handle, Resolve, Type, TypeDefKind, TypeId};

use super::{Budget, Case, Field, Integer, Shape, ShapeError, Signature};

/// The shapes of `function`.
pub(crate) fn signature(resolve: &Resolve, function: &Function) -> Result<Signature, ShapeError> {
    if function.kind.is_async() {
        return Err(ShapeError::Async);
    }
    let mut builder = Builder {
        resolve,
        budget: Budget::new(),
    };
    let names = function.params.iter().map(|param| param.name.as_str());
    let labels = builder.budget.labels(names)?;
    let parameters = labels
        .into_iter()
        .zip(&function.params)
        .map(|(label, param)| {
            let shape = builder.shape(&param.ty, 0)?;
            Ok(Field { label, shape })
        })
        .collect::<Result<_, _>>()?;
    let result = builder.maybe(function.result.as_ref(), 0)?.map(|s| *s);
    Ok(Signature { parameters, result })
}

struct Builder<'a> {
    resolve: &'a Resolve,
    budget: Budget,
}

impl Builder<'_> {
    fn maybe(&mut self, ty: Option<&Type>, depth: usize) -> Result<Option<Box<Shape>>, ShapeError> {
        ty.map(|ty| self.boxed(ty, depth)).transpose()
    }

    fn boxed(&mut self, ty: &Type, depth: usize) -> Result<Box<Shape>, ShapeError> {
        self.shape(ty, depth).map(Box::new)
    }

    fn shape(&mut self, ty: &Type, depth: usize) -> Result<Shape, ShapeError> {
        self.budget.pay(depth)?;
        Ok(match ty {
            Type::Bool => Shape::Bool,
            Type::U8 => Shape::Integer(Integer::U8),
            Type::U16 => Shape::Integer(Integer::U16),
            Type::U32 => Shape::Integer(Integer::U32),
            Type::U64 => Shape::Integer(Integer::U64),
            Type::S8 => Shape::Integer(Integer::S8),
            Type::S16 => Shape::Integer(Integer::S16),
            Type::S32 => Shape::Integer(Integer::S32),
            Type::S64 => Shape::Integer(Integer::S64),
            Type::F32 => Shape::F32,
            Type::F64 => Shape::F64,
            Type::Char => Shape::Char,
            Type::String => Shape::String,
            Type::ErrorContext => {
                return Err(ShapeError::Concurrent(
                    "error-context".into(),
                    "error context",
                ));
            }
            Type::Id(id) => self.defined(*id, depth)?,
        })
    }

    fn defined(&mut self, id: TypeId, depth: usize) -> Result<Shape, ShapeError> {
        let resolve = self.resolve;
        let deeper = depth + 1;
        Ok(match &resolve.types[id].kind {
            TypeDefKind::Type(Type::Id(alias)) => self.defined(*alias, depth)?,
            TypeDefKind::Type(plain) => self.shape(plain, depth)?,
            TypeDefKind::List(item) if is_byte(resolve, item) => Shape::Bytes,
            TypeDefKind::List(item) => Shape::List(self.boxed(item, deeper)?),
            TypeDefKind::FixedLengthList(item, length) => {
                Shape::FixedList(self.boxed(item, deeper)?, *length)
            }
            TypeDefKind::Map(key, value) => {
                Shape::Map(self.boxed(key, deeper)?, self.boxed(value, deeper)?)
            }
            TypeDefKind::Option(inner) => Shape::Option(self.boxed(inner, deeper)?),
            TypeDefKind::Result(result) => Shape::Result(
                self.maybe(result.ok.as_ref(), deeper)?,
                self.maybe(result.err.as_ref(), deeper)?,
            ),
            TypeDefKind::Tuple(tuple) => {
                let items = tuple.types.iter().map(|ty| self.shape(ty, deeper));
                Shape::Tuple(items.collect::<Result<_, _>>()?)
            }
            TypeDefKind::Record(record) => {
                let names = record.fields.iter().map(|field| field.name.as_str());
                let labels = self.budget.labels(names)?;
                let fields = labels
                    .into_iter()
                    .zip(&record.fields)
                    .map(|(label, field)| {
                        let shape = self.shape(&field.ty, deeper)?;
                        Ok(Field { label, shape })
                    });
                Shape::Record(fields.collect::<Result<_, _>>()?)
            }
            TypeDefKind::Variant(variant) => {
                let names = variant.cases.iter().map(|case| case.name.as_str());
                let labels = self.budget.labels(names)?;
                let cases = labels.into_iter().zip(&variant.cases).map(|(label, case)| {
                    let shape = self.maybe(case.ty.as_ref(), deeper)?.map(|s| *s);
                    Ok(Case { label, shape })
                });
                Shape::Variant(cases.collect::<Result<_, _>>()?)
            }
            TypeDefKind::Enum(cases) => {
                let names = cases.cases.iter().map(|case| case.name.as_str());
                Shape::Enum(self.budget.labels(names)?)
            }
            TypeDefKind::Flags(flags) => {
                let names = flags.flags.iter().map(|flag| flag.name.as_str());
                Shape::Flags(self.budget.labels(names)?)
            }
            TypeDefKind::Handle(Handle::Own(resource) | Handle::Borrow(resource)) => {
                return Err(ShapeError::Handle(self.name(*resource)));
            }
            TypeDefKind::Resource => return Err(ShapeError::Handle(self.name(id))),
            TypeDefKind::Future(_) => {
                return Err(ShapeError::Concurrent(self.name(id), "future"));
            }
            TypeDefKind::Stream(_) => {
                return Err(ShapeError::Concurrent(self.name(id), "stream"));
            }
            TypeDefKind::Unknown => return Err(ShapeError::Handle(self.name(id))),
        })
    }

    fn name(&self, id: TypeId) -> String {
        let kind = &self.resolve.types[id];
        kind.name
            .clone()
            .unwrap_or_else(|| kind.kind.as_str().to_owned())
    }
}

/// Whether `ty` is `u8`, by whatever name.
fn is_byte(resolve: &Resolve, ty: &Type) -> bool {
    match ty {
        Type::U8 => true,
        Type::Id(id) => match &resolve.types[*id].kind {
            TypeDefKind::Type(alias) => is_byte(resolve, alias),
            _ => false,
        },
        _ => false,
    }
}

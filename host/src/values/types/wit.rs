//! Builds the types of a function from decoded WIT, which needs no engine and no compilation.

use wit_parser::{Function, Handle, Resolve, Type as WitType, TypeDefKind, TypeId};

use crate::values::types::{Budget, Case, Field, Integer, Signature, Type, TypeError};

/// The types of `function`.
pub(crate) fn signature(resolve: &Resolve, function: &Function) -> Result<Signature, TypeError> {
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
            let ty = builder.convert(&param.ty, 0)?;
            Ok(Field { label, ty })
        })
        .collect::<Result<_, _>>()?;
    let result = builder.optional(function.result.as_ref(), 0)?.map(|s| *s);
    Ok(Signature {
        parameters,
        result,
        is_async: function.kind.is_async() || builder.budget.has_async(),
    })
}

struct Builder<'a> {
    resolve: &'a Resolve,
    budget: Budget,
}

impl Builder<'_> {
    fn optional(
        &mut self,
        ty: Option<&WitType>,
        depth: usize,
    ) -> Result<Option<Box<Type>>, TypeError> {
        ty.map(|ty| self.boxed(ty, depth)).transpose()
    }

    fn boxed(&mut self, ty: &WitType, depth: usize) -> Result<Box<Type>, TypeError> {
        self.convert(ty, depth).map(Box::new)
    }

    fn convert(&mut self, ty: &WitType, depth: usize) -> Result<Type, TypeError> {
        self.budget.charge(depth)?;
        Ok(match ty {
            WitType::Bool => Type::Bool,
            WitType::U8 => Type::Integer(Integer::U8),
            WitType::U16 => Type::Integer(Integer::U16),
            WitType::U32 => Type::Integer(Integer::U32),
            WitType::U64 => Type::Integer(Integer::U64),
            WitType::S8 => Type::Integer(Integer::S8),
            WitType::S16 => Type::Integer(Integer::S16),
            WitType::S32 => Type::Integer(Integer::S32),
            WitType::S64 => Type::Integer(Integer::S64),
            WitType::F32 => Type::F32,
            WitType::F64 => Type::F64,
            WitType::Char => Type::Char,
            WitType::String => Type::String,
            WitType::ErrorContext => {
                return Err(TypeError::ErrorContext("error-context".into()));
            }
            WitType::Id(id) => self.defined(*id, depth)?,
        })
    }

    fn defined(&mut self, id: TypeId, depth: usize) -> Result<Type, TypeError> {
        let resolve = self.resolve;
        let deeper = depth + 1;
        Ok(match &resolve.types[id].kind {
            TypeDefKind::Type(WitType::Id(alias)) => self.defined(*alias, depth)?,
            TypeDefKind::Type(plain) => self.convert(plain, depth)?,
            TypeDefKind::List(item) if is_byte(resolve, item) => Type::Bytes,
            TypeDefKind::List(item) => Type::List(self.boxed(item, deeper)?),
            TypeDefKind::FixedLengthList(item, length) => {
                Type::FixedList(self.boxed(item, deeper)?, *length)
            }
            TypeDefKind::Map(key, value) => {
                Type::Map(self.boxed(key, deeper)?, self.boxed(value, deeper)?)
            }
            TypeDefKind::Option(inner) => Type::Option(self.boxed(inner, deeper)?),
            TypeDefKind::Result(result) => Type::Result(
                self.optional(result.ok.as_ref(), deeper)?,
                self.optional(result.err.as_ref(), deeper)?,
            ),
            TypeDefKind::Tuple(tuple) => {
                let items = tuple.types.iter().map(|ty| self.convert(ty, deeper));
                Type::Tuple(items.collect::<Result<_, _>>()?)
            }
            TypeDefKind::Record(record) => {
                let names = record.fields.iter().map(|field| field.name.as_str());
                let labels = self.budget.labels(names)?;
                let fields = labels
                    .into_iter()
                    .zip(&record.fields)
                    .map(|(label, field)| {
                        let ty = self.convert(&field.ty, deeper)?;
                        Ok(Field { label, ty })
                    });
                Type::Record(fields.collect::<Result<_, _>>()?)
            }
            TypeDefKind::Variant(variant) => {
                let names = variant.cases.iter().map(|case| case.name.as_str());
                let labels = self.budget.labels(names)?;
                let cases = labels.into_iter().zip(&variant.cases).map(|(label, case)| {
                    let ty = self.optional(case.ty.as_ref(), deeper)?.map(|s| *s);
                    Ok(Case { label, ty })
                });
                Type::Variant(cases.collect::<Result<_, _>>()?)
            }
            TypeDefKind::Enum(cases) => {
                let names = cases.cases.iter().map(|case| case.name.as_str());
                Type::Enum(self.budget.labels(names)?)
            }
            TypeDefKind::Flags(flags) => {
                let names = flags.flags.iter().map(|flag| flag.name.as_str());
                Type::Flags(self.budget.labels(names)?)
            }
            TypeDefKind::Handle(Handle::Own(resource) | Handle::Borrow(resource)) => {
                return Err(TypeError::Handle(self.name(*resource)));
            }
            TypeDefKind::Resource => return Err(TypeError::Handle(self.name(id))),
            TypeDefKind::Future(value) => {
                self.budget.note_async();
                let value = self.optional(value.as_ref(), deeper)?.map(|value| *value);
                Type::of_future(&self.name(id), value)?
            }
            TypeDefKind::Stream(items) => {
                self.budget.note_async();
                let items = self.optional(items.as_ref(), deeper)?.map(|items| *items);
                Type::of_stream(&self.name(id), items)?
            }
            TypeDefKind::Unknown => return Err(TypeError::Handle(self.name(id))),
        })
    }

    fn name(&self, id: TypeId) -> String {
        let kind = &self.resolve.types[id];
        kind.name
            .clone()
            .unwrap_or_else(|| kind.kind.as_str().to_owned())
    }
}

/// True if `ty` is `u8`, by whatever name.
fn is_byte(resolve: &Resolve, ty: &WitType) -> bool {
    match ty {
        WitType::U8 => true,
        WitType::Id(id) => match &resolve.types[*id].kind {
            TypeDefKind::Type(alias) => is_byte(resolve, alias),
            _ => false,
        },
        _ => false,
    }
}

//! Reads records, texts, options and lists from wasmtime's `Val`, or fails with a `TypeMismatch`.

use tool_hub_manifest::contract::{Failure, FailureKind};
use wasmtime::component::Val;

/// The value does not have the type that it is read or written by: a fault of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypeMismatch;

impl From<TypeMismatch> for Failure {
    fn from(TypeMismatch: TypeMismatch) -> Self {
        let message = "the tool's result does not have the type it was loaded with";
        Self::new(FailureKind::Internal, message)
    }
}

/// The values of a record with `N` fields, in their order.
pub(crate) fn members<const N: usize>(value: &Val) -> Result<[&Val; N], TypeMismatch> {
    let Val::Record(members) = value else {
        return Err(TypeMismatch);
    };
    let values: Vec<&Val> = members.iter().map(|(_, value)| value).collect();
    values.try_into().map_err(|_| TypeMismatch)
}

pub(crate) fn text(value: &Val) -> Result<String, TypeMismatch> {
    match value {
        Val::String(text) => Ok(text.clone()),
        _ => Err(TypeMismatch),
    }
}

pub(crate) fn optional_text(value: &Val) -> Result<Option<String>, TypeMismatch> {
    optional(value, text)
}

/// The value of an option, read by `some`.
pub(crate) fn optional<T>(
    value: &Val,
    some: impl FnOnce(&Val) -> Result<T, TypeMismatch>,
) -> Result<Option<T>, TypeMismatch> {
    match value {
        Val::Option(None) => Ok(None),
        Val::Option(Some(value)) => some(value).map(Some),
        _ => Err(TypeMismatch),
    }
}

/// The items of a list.
pub(crate) fn items(value: &Val) -> Result<&[Val], TypeMismatch> {
    match value {
        Val::List(items) => Ok(items),
        _ => Err(TypeMismatch),
    }
}

/// The bytes of a `list<u8>`.
pub(crate) fn bytes(value: &Val) -> Result<Vec<u8>, TypeMismatch> {
    let byte = |value: &Val| match value {
        Val::U8(byte) => Ok(*byte),
        _ => Err(TypeMismatch),
    };
    items(value)?.iter().map(byte).collect()
}

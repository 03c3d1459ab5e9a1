//! Converts a whole number or a string of JSON to a number, string, character or enum case.

use wasmtime::component::Val;

use crate::values::types::{Integer, Type};

/// `value` as a number of this type, if it is one.
pub(super) fn whole_number(ty: &Type, value: i128) -> Option<Val> {
    match ty {
        Type::Integer(kind) => integer(*kind, value),
        Type::F32 => Some(Val::Float32(value as f32)),
        Type::F64 => Some(Val::Float64(value as f64)),
        _ => None,
    }
}

/// `text` as a value of this type, if it is one.
pub(super) fn string(ty: &Type, text: &str) -> Option<Val> {
    match ty {
        Type::String => Some(Val::String(text.to_owned())),
        Type::Char => {
            let mut characters = text.chars();
            let first = characters.next()?;
            characters.next().is_none().then_some(Val::Char(first))
        }
        Type::Enum(cases) => {
            let case = cases.iter().find(|case| case.json == text)?;
            Some(Val::Enum(case.wit.clone()))
        }
        Type::F32 => unwritable(text).map(|value| Val::Float32(value as f32)),
        Type::F64 => unwritable(text).map(Val::Float64),
        _ => None,
    }
}

fn integer(kind: Integer, value: i128) -> Option<Val> {
    Some(match kind {
        Integer::S8 => Val::S8(value.try_into().ok()?),
        Integer::U8 => Val::U8(value.try_into().ok()?),
        Integer::S16 => Val::S16(value.try_into().ok()?),
        Integer::U16 => Val::U16(value.try_into().ok()?),
        Integer::S32 => Val::S32(value.try_into().ok()?),
        Integer::U32 => Val::U32(value.try_into().ok()?),
        Integer::S64 => Val::S64(value.try_into().ok()?),
        Integer::U64 => Val::U64(value.try_into().ok()?),
    })
}

/// The numbers for which JSON has no literal.
fn unwritable(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

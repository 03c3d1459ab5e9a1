//! Writes component values straight to JSON text of bounded length.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use wasmtime::component::Val;

use crate::values::types::{Field, Label, Type};
use crate::values::val::{self, TypeMismatch};

/// The largest whole number up to which every program reads numbers exactly: 2^53 - 1.
const EXACT_MAX: u64 = (1 << 53) - 1;

/// JSON text of bounded length. Values can be much longer as text than in memory, so what is
/// too long is not written to its end only to be thrown away.
#[derive(Debug)]
pub(crate) struct Json {
    text: String,
    bytes_max: usize,
    too_long: bool,
}

impl Json {
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self {
            text: String::new(),
            bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX),
            too_long: false,
        }
    }

    /// The text, unless it is longer than it may be.
    pub(crate) fn finish(self) -> Option<String> {
        (!self.too_long).then_some(self.text)
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        self.too_long |= bytes > self.bytes_max - self.text.len();
        !self.too_long
    }

    fn push_str(&mut self, text: &str) {
        if self.has_room(text.len()) {
            self.text.push_str(text);
        }
    }

    pub(crate) fn push(&mut self, character: char) {
        self.push_str(character.encode_utf8(&mut [0; 4]));
    }

    fn push_base64(&mut self, bytes: &[u8]) {
        if self.has_room(bytes.len().div_ceil(3) * 4) {
            STANDARD.encode_string(bytes, &mut self.text);
        }
    }
}

impl std::fmt::Write for Json {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

/// Appends `value`, which has type `ty`, to `out`.
pub(crate) fn write(ty: &Type, value: &Val, out: &mut Json) -> Result<(), TypeMismatch> {
    match (ty, value) {
        (Type::Bool, Val::Bool(value)) => out.push_str(if *value { "true" } else { "false" }),
        (Type::Integer(_), value) => integer(value, out)?,
        (Type::F32, Val::Float32(value)) => float(f64::from(*value), |out| push(out, *value), out),
        (Type::F64, Val::Float64(value)) => float(*value, |out| push(out, *value), out),
        (Type::Char, Val::Char(value)) => string(value.encode_utf8(&mut [0; 4]), out),
        (Type::String, Val::String(text)) => string(text, out),
        (Type::Bytes, bytes) => {
            out.push('"');
            out.push_base64(&val::bytes(bytes)?);
            out.push('"');
        }
        (Type::List(item), Val::List(items)) => list(items, out, |v, out| write(item, v, out))?,
        (Type::FixedList(item, _), Val::FixedLengthList(items)) => {
            list(items, out, |v, out| write(item, v, out))?;
        }
        (Type::Map(key, value), Val::Map(pairs)) if **key == Type::String => {
            map(value, pairs, out)?;
        }
        (Type::Map(key, value), Val::Map(pairs)) => list(pairs, out, |(k, v), out| {
            out.push('[');
            write(key, k, out)?;
            out.push(',');
            write(value, v, out)?;
            out.push(']');
            Ok(())
        })?,
        (Type::Tuple(types), Val::Tuple(items)) if types.len() == items.len() => {
            let mut types = types.iter();
            list(items, out, |v, out| {
                write(types.next().ok_or(TypeMismatch)?, v, out)
            })?;
        }
        (Type::Record(fields), Val::Record(members)) => record(fields, members, out)?,
        (Type::Option(_), Val::Option(None)) => out.push_str("null"),
        (Type::Option(inner), Val::Option(Some(value))) if inner.takes_null() => {
            wrapped("some", Some(inner), Some(value), out)?;
        }
        (Type::Option(inner), Val::Option(Some(value))) => write(inner, value, out)?,
        (Type::Result(ok, _), Val::Result(Ok(value))) => {
            wrapped("ok", ok.as_deref(), value.as_deref(), out)?;
        }
        (Type::Result(_, err), Val::Result(Err(value))) => {
            wrapped("err", err.as_deref(), value.as_deref(), out)?;
        }
        (Type::Enum(cases), Val::Enum(case)) => string(&find(cases.iter(), case)?.json, out),
        (Type::Flags(flags), Val::Flags(set)) => list(set, out, |flag, out| {
            string(&find(flags.iter(), flag)?.json, out);
            Ok(())
        })?,
        (Type::Variant(cases), Val::Variant(name, value)) => {
            let case = cases
                .iter()
                .find(|case| case.label.wit == *name)
                .ok_or(TypeMismatch)?;
            out.push_str("{\"tag\":");
            string(&case.label.json, out);
            if let (Some(ty), Some(value)) = (&case.ty, value) {
                out.push_str(",\"val\":");
                write(ty, value, out)?;
            }
            out.push('}');
        }
        _ => return Err(TypeMismatch),
    }
    Ok(())
}

/// Appends `text` as a JSON string.
pub(crate) fn string(text: &str, out: &mut Json) {
    if !out.has_room(text.len() + 2) {
        return;
    }
    out.push('"');
    let mut rest = text;
    while let Some(at) = special(rest.as_bytes()) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            byte => push(out, format_args!("\\u{byte:04x}")),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// The place of the first byte that cannot stand for itself in a JSON string.
fn special(bytes: &[u8]) -> Option<usize> {
    /// So many bytes are tested without a branch, which compilers turn into vector instructions.
    const TOGETHER: usize = 32;
    let is_special = |byte: &u8| (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\');
    let is_plain = |bytes: &&[u8]| !bytes.iter().fold(false, |any, byte| any | is_special(byte));
    let plain = TOGETHER * bytes.chunks_exact(TOGETHER).take_while(is_plain).count();
    let at = bytes[plain..].iter().position(is_special)?;
    Some(plain + at)
}

fn integer(value: &Val, out: &mut Json) -> Result<(), TypeMismatch> {
    match value {
        Val::S8(value) => push(out, value),
        Val::U8(value) => push(out, value),
        Val::S16(value) => push(out, value),
        Val::U16(value) => push(out, value),
        Val::S32(value) => push(out, value),
        Val::U32(value) => push(out, value),
        Val::S64(value) if value.unsigned_abs() <= EXACT_MAX => push(out, value),
        Val::U64(value) if *value <= EXACT_MAX => push(out, value),
        Val::S64(value) => push(out, format_args!("\"{value}\"")),
        Val::U64(value) => push(out, format_args!("\"{value}\"")),
        _ => return Err(TypeMismatch),
    }
    Ok(())
}

/// JSON has neither NaN nor infinities: they become strings. Whole numbers keep a point, so
/// that a reader knows the type.
fn float(value: f64, digits: impl FnOnce(&mut Json), out: &mut Json) {
    if value.is_nan() {
        out.push_str("\"NaN\"");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 {
            "\"Infinity\""
        } else {
            "\"-Infinity\""
        });
    } else {
        digits(out);
    }
}

fn list<T>(
    items: &[T],
    out: &mut Json,
    mut each: impl FnMut(&T, &mut Json) -> Result<(), TypeMismatch>,
) -> Result<(), TypeMismatch> {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        each(item, out)?;
    }
    out.push(']');
    Ok(())
}

/// Keys may come twice; the last one counts, as the component model says.
fn map(value: &Type, pairs: &[(Val, Val)], out: &mut Json) -> Result<(), TypeMismatch> {
    let mut last = std::collections::BTreeMap::new();
    for (key, value) in pairs {
        let Val::String(key) = key else {
            return Err(TypeMismatch);
        };
        last.insert(key, value);
    }
    out.push('{');
    for (index, (key, item)) in last.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        string(key, out);
        out.push(':');
        write(value, item, out)?;
    }
    out.push('}');
    Ok(())
}

fn record(fields: &[Field], members: &[(String, Val)], out: &mut Json) -> Result<(), TypeMismatch> {
    out.push('{');
    let mut first = true;
    for (field, (_, value)) in fields.iter().zip(members) {
        if matches!(value, Val::Option(None)) {
            continue;
        }
        if !first {
            out.push(',');
        }
        first = false;
        string(&field.label.json, out);
        out.push(':');
        write(&field.ty, value, out)?;
    }
    out.push('}');
    Ok(())
}

fn wrapped(
    name: &str,
    ty: Option<&Type>,
    value: Option<&Val>,
    out: &mut Json,
) -> Result<(), TypeMismatch> {
    push(out, format_args!("{{\"{name}\":"));
    match (ty, value) {
        (Some(ty), Some(value)) => write(ty, value, out)?,
        (None, None) => out.push_str("null"),
        _ => return Err(TypeMismatch),
    }
    out.push('}');
    Ok(())
}

fn find<'a>(
    mut labels: impl Iterator<Item = &'a Label>,
    name: &str,
) -> Result<&'a Label, TypeMismatch> {
    labels.find(|label| label.wit == name).ok_or(TypeMismatch)
}

fn push(out: &mut Json, value: impl std::fmt::Debug) {
    // Debug writes floats so that they read back exactly, and with a point.
    write!(out, "{value:?}").expect("writing to memory cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, max: u64, expect: Option<&str>) {
        let mut json = Json::new(max);
        let ty = Type::List(Box::new(Type::String));
        let value = Val::List(vec![Val::String(text.into()); 2]);
        write(&ty, &value, &mut json).unwrap();
        assert_eq!(json.finish().as_deref(), expect);
    }

    #[test]
    fn what_is_too_long_is_not_written() {
        check("ab", 11, Some(r#"["ab","ab"]"#));
        check("ab", 10, None);
        check("\u{1}", 19, Some(r#"["\u0001","\u0001"]"#));
        check("\u{1}", 18, None);
        check(&"x".repeat(1 << 20), 100, None);
    }

    #[test]
    fn every_character_is_found_wherever_it_is() {
        for at in 0..70 {
            for character in ('\0'..='\u{80}').chain(['\u{2028}', '🦀']) {
                let text = format!("{}{character}{}\\", "x".repeat(at), "y".repeat(40));
                let mut json = Json::new(1_000);
                string(&text, &mut json);
                let written = json.finish().unwrap();
                let read: String = serde_json::from_str(&written).unwrap();
                assert_eq!(read, text, "{at}");
            }
        }
    }
}

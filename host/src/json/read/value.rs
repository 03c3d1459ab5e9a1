//! One value: what JSON holds, met by what its shape expects.

use std::fmt;

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{DecodeError, Engine as _};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use wasmtime::component::Val;

use crate::shape::{Integer, Label, Shape};

use super::members::Members;
use super::{Context, Path, Shown, cut};

/// Padding is what agents forget most.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What is wrong with a base64 text.
struct Unreadable(DecodeError);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            DecodeError::InvalidByte(at, byte) => {
                write!(
                    f,
                    "`{}` at position {at} is no base64 digit",
                    byte.escape_ascii()
                )
            }
            _ => f.write_str("its end is missing"),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) shape: &'a Shape,
    pub(super) context: &'a Context,
    pub(super) path: &'a Path<'a>,
}

impl<'a> Value<'a> {
    fn at<'b>(&self, shape: &'b Shape, path: &'b Path<'b>) -> Value<'b>
    where
        'a: 'b,
    {
        Value {
            shape,
            context: self.context,
            path,
        }
    }

    fn wrong<E: Error>(&self, got: impl fmt::Display) -> E {
        let message = format!("should be {}, not {got}", self.shape.describe());
        self.context.fail(self.path, message, None)
    }

    fn integer<E: Error>(&self, value: i128, integer: Integer) -> Result<Val, E> {
        let (min, max) = integer.bounds();
        if value < i128::from(min) || value > i128::from(max) {
            return Err(self.wrong(value));
        }
        Ok(match integer {
            Integer::S8 => Val::S8(value as i8),
            Integer::U8 => Val::U8(value as u8),
            Integer::S16 => Val::S16(value as i16),
            Integer::U16 => Val::U16(value as u16),
            Integer::S32 => Val::S32(value as i32),
            Integer::U32 => Val::U32(value as u32),
            Integer::S64 => Val::S64(value as i64),
            Integer::U64 => Val::U64(value as u64),
        })
    }

    fn number<E: Error>(&self, value: i128) -> Result<Val, E> {
        match self.shape {
            Shape::Integer(integer) => self.integer(value, *integer),
            Shape::F32 => Ok(Val::Float32(value as f32)),
            Shape::F64 => Ok(Val::Float64(value as f64)),
            Shape::Option(inner) if !inner.takes_null() => self.some(inner, |v| v.number(value)),
            _ => Err(self.wrong(value)),
        }
    }

    /// A bare value where an optional one is expected.
    fn some<E>(
        &self,
        inner: &Shape,
        read: impl FnOnce(Value<'_>) -> Result<Val, E>,
    ) -> Result<Val, E> {
        let value = read(self.at(inner, self.path))?;
        Ok(Val::Option(Some(Box::new(value))))
    }

    fn string<E: Error>(&self, text: &str, owned: Option<String>) -> Result<Val, E> {
        match self.shape {
            Shape::String => Ok(Val::String(owned.unwrap_or_else(|| text.to_owned()))),
            Shape::Char => match (text.chars().next(), text.chars().nth(1)) {
                (Some(c), None) => Ok(Val::Char(c)),
                _ => Err(self.wrong(Shown(text))),
            },
            Shape::Bytes => self.bytes(text),
            Shape::Enum(cases) => Ok(Val::Enum(self.label(cases, text)?.wit.clone())),
            Shape::Integer(integer) if integer.is_wide() => match text.parse::<i128>() {
                Ok(value) => self.integer(value, *integer),
                Err(_) => Err(self.wrong(Shown(text))),
            },
            Shape::F32 | Shape::F64 => match (text, self.shape) {
                ("NaN", Shape::F32) => Ok(Val::Float32(f32::NAN)),
                ("Infinity", Shape::F32) => Ok(Val::Float32(f32::INFINITY)),
                ("-Infinity", Shape::F32) => Ok(Val::Float32(f32::NEG_INFINITY)),
                ("NaN", _) => Ok(Val::Float64(f64::NAN)),
                ("Infinity", _) => Ok(Val::Float64(f64::INFINITY)),
                ("-Infinity", _) => Ok(Val::Float64(f64::NEG_INFINITY)),
                _ => Err(self.wrong(Shown(text))),
            },
            Shape::Option(inner) if !inner.takes_null() => {
                self.some(inner, |v| v.string(text, owned))
            }
            _ => Err(self.wrong(Shown(text))),
        }
    }

    fn bytes<E: Error>(&self, text: &str) -> Result<Val, E> {
        match BASE64.decode(text) {
            Ok(bytes) => Ok(Val::List(bytes.into_iter().map(Val::U8).collect())),
            Err(error) => {
                let message = format!("is not base64: {}", Unreadable(error));
                let fix = "encode the bytes with the standard base64 alphabet (RFC 4648)";
                Err(self.context.fail(self.path, message, Some(fix.into())))
            }
        }
    }

    fn label<'l, E: Error>(&self, known: &'l [Label], text: &str) -> Result<&'l Label, E> {
        match known.iter().find(|label| label.json == text) {
            Some(label) => Ok(label),
            None => Err(self.wrong(Shown(text))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = Val;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Val, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = Val;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shape.describe())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Val, E> {
        match self.shape {
            Shape::Bool => Ok(Val::Bool(value)),
            Shape::Option(inner) if !inner.takes_null() => {
                self.some(inner, |v| v.visit_bool(value))
            }
            _ => Err(self.wrong(value)),
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Val, E> {
        self.number(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Val, E> {
        self.number(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Val, E> {
        match self.shape {
            Shape::F64 => Ok(Val::Float64(value)),
            Shape::F32 => Ok(Val::Float32(value as f32)),
            // 3.0 is a whole number in JSON.
            Shape::Integer(integer) if value.fract() == 0.0 && value.abs() < 1e20 => {
                self.integer(value as i128, *integer)
            }
            Shape::Option(inner) if !inner.takes_null() => self.some(inner, |v| v.visit_f64(value)),
            _ => Err(self.wrong(value)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Val, E> {
        self.string(text, None)
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Val, E> {
        let shown = if matches!(self.shape, Shape::String) {
            return Ok(Val::String(text));
        } else {
            text
        };
        self.string(&shown, None)
    }

    fn visit_unit<E: Error>(self) -> Result<Val, E> {
        match self.shape {
            Shape::Option(_) => Ok(Val::Option(None)),
            _ => Err(self.wrong("null")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Val, A::Error> {
        match self.shape {
            Shape::List(item) => self.list(items, item).map(Val::List),
            Shape::FixedList(item, length) => {
                let list = self.list(items, item)?;
                if list.len() == *length as usize {
                    Ok(Val::FixedLengthList(list))
                } else {
                    Err(self.wrong(format_args!("{} items", list.len())))
                }
            }
            Shape::Tuple(shapes) => self.tuple(&mut items, shapes).map(Val::Tuple),
            Shape::Map(key, value) if **key != Shape::String => {
                let mut pairs = Vec::new();
                let pair = Shape::Tuple(vec![(**key).clone(), (**value).clone()]);
                loop {
                    let path = Path::Item(self.path, pairs.len());
                    match items.next_element_seed(self.at(&pair, &path))? {
                        Some(Val::Tuple(pair)) => {
                            pairs.extend(<[Val; 2]>::try_from(pair).map(|[k, v]| (k, v)))
                        }
                        _ => return Ok(Val::Map(pairs)),
                    }
                }
            }
            Shape::Flags(flags) => {
                let one = Shape::Enum(flags.clone());
                let mut set = Vec::new();
                for value in self.list(items, &one)? {
                    if let Val::Enum(flag) = value
                        && !set.contains(&flag)
                    {
                        set.push(flag);
                    }
                }
                Ok(Val::Flags(set))
            }
            Shape::Option(inner) if !inner.takes_null() => self.some(inner, |v| v.visit_seq(items)),
            _ => Err(self.wrong("an array")),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Val, A::Error> {
        match self.shape {
            Shape::Record(fields) => {
                let seed = Members {
                    fields,
                    context: self.context,
                    path: self.path,
                };
                let values = seed.visit_map(members)?;
                let named = |(field, value): (usize, Val)| (fields[field].label.wit.clone(), value);
                Ok(Val::Record(values.into_iter().map(named).collect()))
            }
            Shape::Map(key, value) if **key == Shape::String => {
                let mut pairs = Vec::new();
                while let Some(name) = members.next_key::<String>()? {
                    let path = Path::Member(self.path, &name);
                    let value = members.next_value_seed(self.at(value, &path))?;
                    pairs.push((Val::String(name), value));
                }
                Ok(Val::Map(pairs))
            }
            Shape::Variant(_) => self.variant(members),
            Shape::Result(ok, err) => {
                let (name, value) = self.single(
                    &mut members,
                    &[("ok", ok.as_deref()), ("err", err.as_deref())],
                )?;
                let value = value.map(Box::new);
                Ok(Val::Result(if name == "ok" {
                    Ok(value)
                } else {
                    Err(value)
                }))
            }
            Shape::Option(inner) if inner.takes_null() => {
                let (_, value) = self.single(&mut members, &[("some", Some(inner))])?;
                Ok(Val::Option(value.map(Box::new)))
            }
            Shape::Option(inner) => self.some(inner, |v| v.visit_map(members)),
            _ => Err(self.wrong("an object")),
        }
    }
}

impl Value<'_> {
    fn list<'de, A: SeqAccess<'de>>(
        &self,
        mut items: A,
        item: &Shape,
    ) -> Result<Vec<Val>, A::Error> {
        let mut list = Vec::new();
        loop {
            let path = Path::Item(self.path, list.len());
            match items.next_element_seed(self.at(item, &path))? {
                Some(value) => list.push(value),
                None => return Ok(list),
            }
        }
    }

    fn tuple<'de, A: SeqAccess<'de>>(
        &self,
        items: &mut A,
        shapes: &[Shape],
    ) -> Result<Vec<Val>, A::Error> {
        let mut values = Vec::with_capacity(shapes.len());
        for (index, shape) in shapes.iter().enumerate() {
            let path = Path::Item(self.path, index);
            match items.next_element_seed(self.at(shape, &path))? {
                Some(value) => values.push(value),
                None => return Err(self.wrong(format_args!("{index} items"))),
            }
        }
        match items.next_element::<serde::de::IgnoredAny>()? {
            None => Ok(values),
            Some(_) => Err(self.wrong("more items")),
        }
    }

    /// An object with exactly one of the `cases` as its only member.
    fn single<'de, 'c, A: MapAccess<'de>>(
        &self,
        members: &mut A,
        cases: &[(&'c str, Option<&Shape>)],
    ) -> Result<(&'c str, Option<Val>), A::Error> {
        let Some(name) = members.next_key::<String>()? else {
            return Err(self.wrong("an empty object"));
        };
        let Some((known, shape)) = cases.iter().find(|(known, _)| *known == name) else {
            return Err(self.wrong(format_args!("member `{}`", cut(&name))));
        };
        let path = Path::Member(self.path, known);
        let value = match shape {
            Some(shape) => Some(members.next_value_seed(self.at(shape, &path))?),
            None => members.next_value::<()>().map(|()| None)?,
        };
        match members.next_key::<String>()? {
            None => Ok((known, value)),
            Some(more) => Err(self.wrong(format_args!("another member `{}`", cut(&more)))),
        }
    }

    /// `{"tag": …, "val": …}`. The tag may come second, so a value that comes first is kept
    /// as text until the tag is known.
    fn variant<'de, A: MapAccess<'de>>(&self, mut members: A) -> Result<Val, A::Error> {
        let Shape::Variant(cases) = self.shape else {
            return Err(self.wrong("an object"));
        };
        let mut case = None;
        let mut early: Option<Box<serde_json::value::RawValue>> = None;
        let mut value = None;
        while let Some(name) = members.next_key::<String>()? {
            match (name.as_str(), case) {
                ("tag", None) => {
                    let tag = members.next_value::<String>()?;
                    match cases.iter().find(|case| case.label.json == tag) {
                        Some(found) => case = Some(found),
                        None => return Err(self.wrong(Shown(&tag))),
                    }
                }
                ("val", None) if early.is_none() => early = Some(members.next_value()?),
                ("val", Some(case)) if early.is_none() && value.is_none() => {
                    let path = Path::Member(self.path, "val");
                    match &case.shape {
                        Some(shape) => {
                            value = Some(members.next_value_seed(self.at(shape, &path))?);
                        }
                        None => members.next_value::<()>()?,
                    }
                }
                _ => return Err(self.wrong(format_args!("member `{}`", cut(&name)))),
            }
        }
        let Some(case) = case else {
            return Err(self.wrong("an object without `tag`"));
        };
        if let (Some(text), Some(shape)) = (early, &case.shape) {
            let path = Path::Member(self.path, "val");
            let mut json = serde_json::Deserializer::from_str(text.get());
            let read = self.at(shape, &path).deserialize(&mut json);
            value = Some(read.map_err(A::Error::custom)?);
        }
        match (&case.shape, value) {
            (None, _) => Ok(Val::Variant(case.label.wit.clone(), None)),
            (Some(_), Some(value)) => {
                Ok(Val::Variant(case.label.wit.clone(), Some(Box::new(value))))
            }
            (Some(shape), None) => {
                let message = format!("lacks `val`, {}", shape.describe());
                Err(self.context.fail(self.path, message, None))
            }
        }
    }
}

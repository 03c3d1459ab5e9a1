//! Deserialises JSON into component values by type: values, record members and arguments.
//! They are in one file because each is read by way of the other.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use wasmtime::component::Val;

use crate::values::json::read::error::{Context, Path, QuotedString, cut};
use crate::values::json::read::{base64, scalar};
use crate::values::types::{Field, Type};

#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) ty: &'a Type,
    pub(super) context: &'a Context,
    pub(super) path: &'a Path<'a>,
}

impl Value<'_> {
    fn at<'b>(&'b self, ty: &'b Type, path: &'b Path<'b>) -> Value<'b> {
        Value {
            ty,
            context: self.context,
            path,
        }
    }

    fn wrong<E: Error>(&self, got: impl fmt::Display) -> E {
        let message = format!("should be {}, not {got}", self.ty.describe());
        self.context.fail(self.path, message, None)
    }

    fn number<E: Error>(&self, value: i128) -> Result<Val, E> {
        match self.ty {
            Type::Option(inner) if !inner.takes_null() => self.some(inner, |v| v.number(value)),
            ty => scalar::whole_number(ty, value).ok_or_else(|| self.wrong(value)),
        }
    }

    /// A bare value where an optional one is expected.
    fn some<E>(
        &self,
        inner: &Type,
        read: impl FnOnce(Value<'_>) -> Result<Val, E>,
    ) -> Result<Val, E> {
        let value = read(self.at(inner, self.path))?;
        Ok(Val::Option(Some(Box::new(value))))
    }

    fn string<E: Error>(&self, text: &str) -> Result<Val, E> {
        // Each byte of base64 becomes a value.
        match self.ty {
            Type::Bytes => self.context.take(text.len(), 0, self.path)?,
            _ => self.context.take(0, text.len(), self.path)?,
        }
        match self.ty {
            Type::Bytes => self.bytes(text),
            Type::Integer(integer) if integer.is_wide() => match text.parse::<i128>() {
                Ok(value) => self.number(value),
                Err(_) => Err(self.wrong(QuotedString(text))),
            },
            Type::Option(inner) if !inner.takes_null() => self.some(inner, |v| v.string(text)),
            ty => {
                let value = scalar::string(ty, text);
                value.ok_or_else(|| self.wrong(QuotedString(text)))
            }
        }
    }

    fn bytes<E: Error>(&self, text: &str) -> Result<Val, E> {
        match base64::decode(text) {
            Ok(bytes) => Ok(Val::List(bytes.into_iter().map(Val::U8).collect())),
            Err(error) => {
                let message = format!("is not base64: {error}");
                let fix = "encode the bytes with the standard base64 alphabet (RFC 4648)";
                Err(self.context.fail(self.path, message, Some(fix.into())))
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = Val;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Val, D::Error> {
        self.context.take(1, 0, self.path)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = Val;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ty.describe())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Val, E> {
        match self.ty {
            Type::Bool => Ok(Val::Bool(value)),
            Type::Option(inner) if !inner.takes_null() => self.some(inner, |v| v.visit_bool(value)),
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
        match self.ty {
            Type::F64 => Ok(Val::Float64(value)),
            Type::F32 => Ok(Val::Float32(value as f32)),
            // 3.0 is a whole number in JSON.
            Type::Integer(_) if value.fract() == 0.0 && value.abs() < 1e20 => {
                self.number(value as i128)
            }
            Type::Option(inner) if !inner.takes_null() => self.some(inner, |v| v.visit_f64(value)),
            _ => Err(self.wrong(value)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Val, E> {
        self.string(text)
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Val, E> {
        match self.ty {
            Type::String => {
                self.context.take(0, text.len(), self.path)?;
                Ok(Val::String(text))
            }
            _ => self.string(&text),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Val, E> {
        match self.ty {
            Type::Option(_) => Ok(Val::Option(None)),
            _ => Err(self.wrong("null")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Val, A::Error> {
        match self.ty {
            Type::List(item) => self.list(items, item).map(Val::List),
            Type::FixedList(item, length) => {
                let list = self.list(items, item)?;
                if list.len() == *length as usize {
                    Ok(Val::FixedLengthList(list))
                } else {
                    Err(self.wrong(format_args!("{} items", list.len())))
                }
            }
            Type::Tuple(types) => self.tuple(&mut items, types).map(Val::Tuple),
            Type::Map(key, value) if **key != Type::String => {
                let mut pairs = Vec::new();
                let pair = Type::Tuple(vec![(**key).clone(), (**value).clone()]);
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
            Type::Flags(flags) => {
                let one = Type::Enum(flags.clone());
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
            Type::Option(inner) if !inner.takes_null() => self.some(inner, |v| v.visit_seq(items)),
            _ => Err(self.wrong("an array")),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Val, A::Error> {
        match self.ty {
            Type::Record(fields) => {
                // Each field has its name, and a value although the text may lack it.
                let names = fields.iter().map(|field| field.label.wit.len());
                self.context
                    .take(2 * fields.len(), names.sum(), self.path)?;
                let seed = Members {
                    fields,
                    context: self.context,
                    path: self.path,
                };
                let values = seed.visit_map(members)?;
                let named = |(field, value): (usize, Val)| (fields[field].label.wit.clone(), value);
                Ok(Val::Record(values.into_iter().map(named).collect()))
            }
            Type::Map(key, value) if **key == Type::String => {
                let mut pairs = Vec::new();
                while let Some(name) = members.next_key::<String>()? {
                    self.context.take(1, name.len(), self.path)?;
                    let path = Path::Member(self.path, &name);
                    let value = members.next_value_seed(self.at(value, &path))?;
                    pairs.push((Val::String(name), value));
                }
                Ok(Val::Map(pairs))
            }
            Type::Variant(_) => self.variant(members),
            Type::Result(ok, err) => {
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
            Type::Option(inner) if inner.takes_null() => {
                let (_, value) = self.single(&mut members, &[("some", Some(inner))])?;
                Ok(Val::Option(value.map(Box::new)))
            }
            Type::Option(inner) => self.some(inner, |v| v.visit_map(members)),
            _ => Err(self.wrong("an object")),
        }
    }
}

impl Value<'_> {
    fn list<'de, A: SeqAccess<'de>>(
        &self,
        mut items: A,
        item: &Type,
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
        types: &[Type],
    ) -> Result<Vec<Val>, A::Error> {
        let mut values = Vec::with_capacity(types.len());
        for (index, ty) in types.iter().enumerate() {
            let path = Path::Item(self.path, index);
            match items.next_element_seed(self.at(ty, &path))? {
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
        cases: &[(&'c str, Option<&Type>)],
    ) -> Result<(&'c str, Option<Val>), A::Error> {
        let Some(name) = members.next_key::<String>()? else {
            return Err(self.wrong("an empty object"));
        };
        let Some((known, ty)) = cases.iter().find(|(known, _)| *known == name) else {
            return Err(self.wrong(format_args!("member `{}`", cut(&name))));
        };
        let path = Path::Member(self.path, known);
        let value = match ty {
            Some(ty) => Some(members.next_value_seed(self.at(ty, &path))?),
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
        let Type::Variant(cases) = self.ty else {
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
                        None => return Err(self.wrong(QuotedString(&tag))),
                    }
                }
                ("val", None) if early.is_none() => early = Some(members.next_value()?),
                ("val", Some(case)) if early.is_none() && value.is_none() => {
                    let path = Path::Member(self.path, "val");
                    match &case.ty {
                        Some(ty) => {
                            value = Some(members.next_value_seed(self.at(ty, &path))?);
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
        if let (Some(text), Some(ty)) = (early, &case.ty) {
            let path = Path::Member(self.path, "val");
            let mut json = serde_json::Deserializer::from_str(text.get());
            let read = self.at(ty, &path).deserialize(&mut json);
            value = Some(read.map_err(A::Error::custom)?);
        }
        match (&case.ty, value) {
            (None, _) => Ok(Val::Variant(case.label.wit.clone(), None)),
            (Some(_), Some(value)) => {
                Ok(Val::Variant(case.label.wit.clone(), Some(Box::new(value))))
            }
            (Some(ty), None) => {
                let message = format!("lacks `val`, {}", ty.describe());
                Err(self.context.fail(self.path, message, None))
            }
        }
    }
}

/// The members of a record, or the arguments of a function.
pub(super) struct Members<'a> {
    pub(super) fields: &'a [Field],
    pub(super) context: &'a Context,
    pub(super) path: &'a Path<'a>,
}

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = Vec<(usize, Val)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = Vec<(usize, Val)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut values: Vec<Option<Val>> = vec![None; self.fields.len()];
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            let Some(index) = self
                .fields
                .iter()
                .position(|field| field.label.json == name)
            else {
                return Err(self.context.unknown(self.path, &name, self.fields));
            };
            let path = Path::Member(self.path, &name);
            if values[index].is_some() {
                let message = "is given twice".to_owned();
                return Err(self.context.fail(&path, message, None));
            }
            let seed = Value {
                ty: &self.fields[index].ty,
                context: self.context,
                path: &path,
            };
            values[index] = Some(members.next_value_seed(seed)?);
        }
        let mut complete = Vec::with_capacity(values.len());
        for (index, (field, value)) in self.fields.iter().zip(values).enumerate() {
            match (value, &field.ty) {
                (Some(value), _) => complete.push((index, value)),
                (None, Type::Option(_)) => complete.push((index, Val::Option(None))),
                (None, _) => return Err(self.context.missing(self.path, field)),
            }
        }
        Ok(complete)
    }
}

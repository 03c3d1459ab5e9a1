//! Named values: the members of a record, the arguments of a function.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use wasmtime::component::Val;

use crate::shape::{Field, Shape, labels};

use super::value::Value;
use super::{Context, Path};

/// The members of a record, or the arguments of a function.
pub(super) struct Members<'a> {
    pub(super) fields: &'a [Field],
    pub(super) context: &'a Context,
    pub(super) path: &'a Path<'a>,
}

impl Members<'_> {
    fn unknown<E: Error>(&self, name: &str) -> E {
        let fix = if self.fields.is_empty() {
            "leave it out, nothing is expected here".to_owned()
        } else {
            format!(
                "use {}",
                labels(self.fields.iter().map(|field| &field.label))
            )
        };
        let path = Path::Member(self.path, name);
        self.context.fail(&path, "is unknown".to_owned(), Some(fix))
    }

    fn missing<E: Error>(&self, field: &Field) -> E {
        let fix = format!("give {}", field.shape.describe());
        let path = Path::Member(self.path, &field.label.json);
        self.context.fail(&path, "is missing".to_owned(), Some(fix))
    }
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
        while let Some(name) = members.next_key::<std::borrow::Cow<'de, str>>()? {
            let Some(index) = self
                .fields
                .iter()
                .position(|field| field.label.json == name)
            else {
                return Err(self.unknown(&name));
            };
            let path = Path::Member(self.path, &name);
            if values[index].is_some() {
                let message = "is given twice".to_owned();
                return Err(self.context.fail(&path, message, None));
            }
            let seed = Value {
                shape: &self.fields[index].shape,
                context: self.context,
                path: &path,
            };
            values[index] = Some(members.next_value_seed(seed)?);
        }
        let mut complete = Vec::with_capacity(values.len());
        for (index, (field, value)) in self.fields.iter().zip(values).enumerate() {
            match (value, &field.shape) {
                (Some(value), _) => complete.push((index, value)),
                (None, Shape::Option(_)) => complete.push((index, Val::Option(None))),
                (None, _) => return Err(self.missing(field)),
            }
        }
        Ok(complete)
    }
}

//! Maps types in a Rust file to JSON Schemas, and to the `RustType` by which values are converted.

use std::cell::Cell;
use std::collections::HashMap;

use serde_json::{Map, Value, json};
use syn::{
    Fields, GenericArgument, Item, ItemEnum, ItemStruct, PathArguments, PathSegment, Type,
    Visibility,
};

use super::comment::Comment;
use super::signature::RustType;
use crate::description::{describe, describe_values};
use crate::error::FaultKind;
use crate::limits::TYPES_MAX;

/// The deepest nesting of types, and the longest chain of names.
const DEPTH_MAX: usize = 32;

const CUSTOM: &str = "is none of text, numbers, `bool`, `Vec`, `Option`, `HashMap`, tuples, and `pub` structs and enums of this file";

type Schema = Map<String, Value>;

/// The result of a function.
pub(super) struct ReturnValue {
    pub(super) schema: Option<Schema>,
    pub(super) rust: RustType,
    pub(super) is_fallible: bool,
}

impl ReturnValue {
    pub(super) fn nothing() -> Self {
        Self {
            schema: None,
            rust: RustType::Nothing,
            is_fallible: false,
        }
    }
}

/// The types of a file.
pub(super) struct Types<'a> {
    structs: HashMap<String, &'a ItemStruct>,
    enums: HashMap<String, &'a ItemEnum>,
    aliases: HashMap<String, &'a Type>,
    /// The number of types that were looked at.
    seen: Cell<usize>,
}

impl<'a> Types<'a> {
    pub(super) fn of(items: &'a [Item]) -> Self {
        let mut types = Self {
            structs: HashMap::new(),
            enums: HashMap::new(),
            aliases: HashMap::new(),
            seen: Cell::new(0),
        };
        for item in items {
            match item {
                Item::Struct(item) => {
                    types.structs.insert(item.ident.to_string(), item);
                }
                Item::Enum(item) => {
                    types.enums.insert(item.ident.to_string(), item);
                }
                Item::Type(item) if item.generics.params.is_empty() => {
                    types.aliases.insert(item.ident.to_string(), &item.ty);
                }
                _ => {}
            }
        }
        types
    }

    /// The type of a parameter, which may be borrowed.
    pub(super) fn parameter(&self, of: &Type) -> Result<(Schema, RustType), FaultKind> {
        let Type::Reference(reference) = of else {
            let option = last_segment(of).filter(|it| it.ident == "Option");
            return match option.map(arguments).as_deref() {
                // `Option<&str>`
                Some([Type::Reference(inner)]) if is_str(&inner.elem) => {
                    let text = RustType::Reference(Box::new(RustType::Text));
                    let schema = nullable(typed("string"));
                    Ok((schema, RustType::Option(Box::new(text))))
                }
                _ => self.read(of, 0),
            };
        };
        if reference.mutability.is_some() {
            return Err(unsupported(of, "is changed by the function; take a value"));
        }
        let (schema, rust) = match &*reference.elem {
            Type::Slice(slice) => {
                let (item, rust) = self.read(&slice.elem, 0)?;
                (array(item), RustType::List(Box::new(rust)))
            }
            Type::Path(path) if path.path.is_ident("str") => (typed("string"), RustType::Text),
            other => self.read(other, 0)?,
        };
        Ok((schema, RustType::Reference(Box::new(rust))))
    }

    /// The type that is returned; of a `Result` that of its success.
    pub(super) fn returned(&self, of: &Type) -> Result<ReturnValue, FaultKind> {
        let result = last_segment(of).filter(|it| it.ident == "Result");
        let inner = result.and_then(|segment| arguments(segment).first().copied());
        let value = inner.unwrap_or(of);
        let is_fallible = inner.is_some();
        if matches!(value, Type::Tuple(tuple) if tuple.elems.is_empty()) {
            return Ok(ReturnValue {
                is_fallible,
                ..ReturnValue::nothing()
            });
        }
        let (schema, rust) = match value {
            Type::Reference(reference) if is_str(&reference.elem) => {
                (typed("string"), RustType::Text)
            }
            value => self.read(value, 0)?,
        };
        Ok(ReturnValue {
            schema: Some(schema),
            rust,
            is_fallible,
        })
    }

    fn read(&self, of: &Type, depth: usize) -> Result<(Schema, RustType), FaultKind> {
        self.seen.set(self.seen.get() + 1);
        if depth > DEPTH_MAX || self.seen.get() > TYPES_MAX {
            return Err(unsupported(of, "is nested too deep or holds itself"));
        }
        match of {
            Type::Paren(inner) => self.read(&inner.elem, depth + 1),
            Type::Group(inner) => self.read(&inner.elem, depth + 1),
            Type::Tuple(tuple) if !tuple.elems.is_empty() => {
                let items = tuple.elems.iter().map(|item| self.read(item, depth + 1));
                let items = items.collect::<Result<Vec<_>, _>>()?;
                let (schemas, rust): (Vec<Schema>, _) = items.into_iter().unzip();
                let mut schema = typed("array");
                schema.insert("prefixItems".to_owned(), json!(schemas));
                Ok((schema, RustType::Tuple(rust)))
            }
            Type::Path(path) if path.qself.is_none() => match path.path.segments.last() {
                Some(segment) => self.named(of, segment, depth),
                None => Err(unsupported(of, CUSTOM)),
            },
            _ => Err(unsupported(of, CUSTOM)),
        }
    }

    fn named(
        &self,
        of: &Type,
        segment: &PathSegment,
        depth: usize,
    ) -> Result<(Schema, RustType), FaultKind> {
        let name = segment.ident.to_string();
        let below = |inner| self.read(inner, depth + 1);
        Ok(match (name.as_str(), &arguments(segment)[..]) {
            ("String", []) => (typed("string"), RustType::Text),
            ("bool", []) => (typed("boolean"), RustType::Bool),
            ("f32" | "f64", []) => (typed("number"), RustType::Float(name)),
            ("Value", []) => (Schema::new(), RustType::Json),
            ("Vec", [item]) => {
                let (schema, rust) = below(item)?;
                (array(schema), RustType::List(Box::new(rust)))
            }
            ("Option", [inner]) => {
                let (schema, rust) = below(inner)?;
                (nullable(schema), RustType::Option(Box::new(rust)))
            }
            ("HashMap" | "BTreeMap", [key, value]) if is_text(key) => {
                let mut schema = typed("object");
                let (value, _) = below(value)?;
                schema.insert("additionalProperties".to_owned(), Value::Object(value));
                (schema, RustType::Json)
            }
            (_, []) => match integer(&name) {
                Some(schema) => (schema, RustType::Integer(name)),
                None => self.declared(of, &name, depth)?,
            },
            _ => return Err(unsupported(of, CUSTOM)),
        })
    }

    /// A type that the file declares.
    fn declared(
        &self,
        of: &Type,
        name: &str,
        depth: usize,
    ) -> Result<(Schema, RustType), FaultKind> {
        if let Some(alias) = self.aliases.get(name) {
            return self.read(alias, depth + 1);
        }
        if let Some(item) = self.enums.get(name) {
            return enumeration(item)
                .ok_or_else(|| unsupported(of, "has variants that hold values, or is not `pub`"));
        }
        let Some(item) = self.structs.get(name) else {
            return Err(match name.starts_with(char::is_uppercase) {
                true => FaultKind::UnknownName {
                    name: name.to_owned(),
                },
                false => unsupported(of, CUSTOM),
            });
        };
        let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
        let Fields::Named(fields) = &item.fields else {
            return Err(unsupported(of, "has fields without names"));
        };
        let are_public = fields.named.iter().all(|field| is_public(&field.vis));
        if !is_public(&item.vis) || !are_public || !item.generics.params.is_empty() {
            return Err(unsupported(of, "is not `pub` with all its fields"));
        }
        let (mut properties, mut required, mut members) = (Map::new(), Vec::new(), Vec::new());
        for field in &fields.named {
            let Some(ident) = &field.ident else {
                continue;
            };
            let name = ident.to_string().trim_start_matches("r#").to_owned();
            let (mut schema, rust) = self.read(&field.ty, depth + 1)?;
            let text = Comment::of(&field.attrs).description;
            describe(&mut schema, &text);
            if !matches!(rust, RustType::Option(_)) {
                required.push(name.clone());
            }
            properties.insert(name.clone(), Value::Object(schema));
            members.push((name, rust));
        }
        let mut schema = typed("object");
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        Ok((schema, RustType::Struct(name.to_owned(), members)))
    }
}

/// An enum whose variants hold nothing. Their values are their names as snake_case.
fn enumeration(item: &ItemEnum) -> Option<(Schema, RustType)> {
    let is_plain = item
        .variants
        .iter()
        .all(|variant| variant.fields.is_empty());
    let is_public = matches!(item.vis, Visibility::Public(_));
    if !is_plain || !is_public || item.variants.is_empty() {
        return None;
    }
    let names = item
        .variants
        .iter()
        .map(|variant| variant.ident.to_string());
    let variants: Vec<(String, String)> = names.map(|it| (it.clone(), snake(&it))).collect();
    let described = item.variants.iter().zip(&variants);
    let described: Vec<(String, String)> = described
        .map(|(variant, (_, value))| {
            let comment = Comment::of(&variant.attrs);
            (value.clone(), comment.description)
        })
        .collect();
    let values: Vec<&str> = variants.iter().map(|(_, value)| value.as_str()).collect();
    let mut schema = typed("string");
    schema.insert("enum".to_owned(), json!(values));
    describe_values(&mut schema, &described);
    Some((schema, RustType::Enum(item.ident.to_string(), variants)))
}

fn snake(name: &str) -> String {
    let mut text = String::new();
    for (index, character) in name.trim_start_matches("r#").chars().enumerate() {
        if character.is_uppercase() && index > 0 {
            text.push('_');
        }
        text.extend(character.to_lowercase());
    }
    text
}

/// The bounds of an integer. Components have 32 bits for `usize`.
fn integer(name: &str) -> Option<Schema> {
    let (least, most): (i64, u64) = match name {
        "i8" => (i8::MIN.into(), 127),
        "i16" => (i16::MIN.into(), 32_767),
        "i32" | "isize" => (i32::MIN.into(), 2_147_483_647),
        "i64" => (i64::MIN, 9_223_372_036_854_775_807),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" | "usize" => (0, u32::MAX.into()),
        "u64" => (0, u64::MAX),
        _ => return None,
    };
    let mut schema = typed("integer");
    schema.insert("minimum".to_owned(), json!(least));
    schema.insert("maximum".to_owned(), json!(most));
    Some(schema)
}

fn typed(name: &str) -> Schema {
    Schema::from_iter([("type".to_owned(), json!(name))])
}

fn array(item: Schema) -> Schema {
    let mut schema = typed("array");
    schema.insert("items".to_owned(), Value::Object(item));
    schema
}

/// The schema with `null` beside it, as Transformers marks it.
fn nullable(mut schema: Schema) -> Schema {
    schema.insert("nullable".to_owned(), json!(true));
    schema
}

fn last_segment(of: &Type) -> Option<&PathSegment> {
    match of {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

fn arguments(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return Vec::new();
    };
    let arguments = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(of) => Some(of),
        _ => None,
    });
    arguments.collect()
}

fn is_str(of: &Type) -> bool {
    last_segment(of).is_some_and(|segment| segment.ident == "str")
}

fn is_text(of: &Type) -> bool {
    last_segment(of).is_some_and(|segment| segment.ident == "String")
}

fn unsupported(of: &Type, reason: &'static str) -> FaultKind {
    FaultKind::UnsupportedType {
        name: written(of),
        reason,
    }
}

/// A short form of the type, for errors.
fn written(of: &Type) -> String {
    match of {
        Type::Path(path) => {
            let names = path.path.segments.iter().map(|it| it.ident.to_string());
            names.collect::<Vec<_>>().join("::")
        }
        Type::Reference(reference) => format!("&{}", written(&reference.elem)),
        Type::Slice(slice) => format!("[{}]", written(&slice.elem)),
        Type::Tuple(_) => "()".to_owned(),
        Type::ImplTrait(_) => "impl …".to_owned(),
        _ => "…".to_owned(),
    }
}

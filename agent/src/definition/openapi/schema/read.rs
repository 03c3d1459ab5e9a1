//! Reads a schema of OpenAPI as the JSON Schema of an argument or of a member.

use serde_json::{Map, Value, json};

use super::super::error::PartError;
use super::super::text;
use super::keywords::{NOTE, example, flag, is_required, keep, kind, member_names, outline_text};
use super::reader::{DEPTH_MAX, SchemaReader};
use crate::definition::loss::LossKind;
use crate::schema::json_pointer::escape;

/// The deepest nesting of objects that are types of their own; what is below is JSON text.
const OBJECTS_MAX: usize = 3;
/// The longest description of an argument or a member.
const DESCRIPTION_CHARACTERS_MAX: usize = 240;

/// A schema that was read.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::definition::openapi) struct ReadSchema {
    /// Its keywords in JSON Schema, without null among the values.
    pub(in crate::definition::openapi) keywords: Map<String, Value>,
    /// True if null is a value too.
    pub(in crate::definition::openapi) nullable: bool,
    /// True if an API gives the value and never takes it.
    pub(in crate::definition::openapi) read_only: bool,
}

/// The members of an object, each with true if it is required.
type ObjectMembers = Vec<(String, ReadSchema, bool)>;

impl SchemaReader<'_> {
    /// The schema of an argument, at `pointer` of the function's own.
    pub(in crate::definition::openapi) fn argument(
        &mut self,
        schema: &Value,
        pointer: &str,
    ) -> Result<ReadSchema, PartError> {
        self.begin_argument();
        self.read(schema, pointer, Depth::default())
    }

    /// The members of a schema that is an object with named members, each with true if it is
    /// required; nothing for another schema.
    pub(in crate::definition::openapi) fn members(
        &mut self,
        schema: &Value,
    ) -> Result<Option<ObjectMembers>, PartError> {
        let followed = self.followed.len();
        let flat = self.flat(schema, "", 0)?;
        let flat = self.without_alternatives(flat, "", 0)?;
        let members = match flat.get("properties") {
            Some(Value::Object(properties)) if !properties.is_empty() => {
                let mut found = Vec::new();
                for (name, schema) in properties {
                    let pointer = format!("/properties/{}", escape(name));
                    let read = self.argument(schema, &pointer)?;
                    if !read.read_only {
                        found.push((name.clone(), read, is_required(&flat, name)));
                    }
                }
                Some(found)
            }
            _ => None,
        };
        if members.is_some()
            && flat
                .get("additionalProperties")
                .is_some_and(|it| *it != json!(false))
        {
            self.weakened("", "additionalProperties");
        }
        self.followed.truncate(followed);
        Ok(members)
    }

    /// The names of the members of a schema's values, and true if these are in a list.
    pub(in crate::definition::openapi) fn outline(
        &mut self,
        schema: &Value,
    ) -> Result<(Vec<String>, bool), PartError> {
        let followed = self.followed.len();
        let mut flat = self.flat(schema, "", 0)?;
        let items = flat.remove("items");
        let is_list = items.is_some();
        if let Some(items) = items {
            flat = self.flat(&items, "", 0)?;
        }
        self.followed.truncate(followed);
        Ok((member_names(&flat), is_list))
    }

    fn read(
        &mut self,
        schema: &Value,
        pointer: &str,
        depth: Depth,
    ) -> Result<ReadSchema, PartError> {
        let followed = self.followed.len();
        let flat = self.flat(schema, pointer, depth.schemas)?;
        let flat = self.without_alternatives(flat, pointer, depth.schemas)?;
        let read = self.of_flat(&flat, pointer, depth);
        self.followed.truncate(followed);
        read
    }

    fn of_flat(
        &mut self,
        flat: &Map<String, Value>,
        pointer: &str,
        depth: Depth,
    ) -> Result<ReadSchema, PartError> {
        let (kind, has_null) = kind(flat);
        let mut keywords = Map::new();
        let mut note = String::new();
        let values = flat.get("enum").and_then(Value::as_array);
        let deeper = Depth {
            schemas: depth.schemas + 1,
            ..depth
        };
        match (values, kind.as_deref()) {
            (Some(values), _) => {
                let values = values.iter().filter(|value| !value.is_null());
                keywords.insert("enum".to_owned(), values.cloned().collect());
            }
            (None, Some("object")) => match self.object(flat, pointer, depth)? {
                Some(object) => keywords = object,
                None => note = outline_text(flat),
            },
            (None, Some("array")) => {
                let read = match flat.get("items") {
                    Some(items) if depth.schemas < DEPTH_MAX => {
                        self.read(items, &format!("{pointer}/items"), deeper)?
                    }
                    _ => ReadSchema::anything(),
                };
                keywords.insert("type".to_owned(), "array".into());
                keywords.insert("items".to_owned(), read.or_null());
            }
            (None, Some(kind @ ("string" | "integer" | "number" | "boolean"))) => {
                keywords.insert("type".to_owned(), kind.into());
            }
            (None, _) => {}
        }
        if keywords.contains_key("type") {
            keep(flat, &mut keywords);
        } else if let Some(default) = flat.get("default") {
            keywords.insert("default".to_owned(), default.clone());
        }
        let description = self.description(flat, &note);
        if !description.is_empty() {
            keywords.insert("description".to_owned(), description.into());
        }
        let holds_null = |values: &Vec<Value>| values.iter().any(Value::is_null);
        Ok(ReadSchema {
            keywords,
            nullable: has_null || flag(flat, "nullable") || values.is_some_and(holds_null),
            read_only: flag(flat, "readOnly"),
        })
    }

    /// The schema of an object that is a type of its own; nothing for one that is JSON text.
    fn object(
        &mut self,
        flat: &Map<String, Value>,
        pointer: &str,
        depth: Depth,
    ) -> Result<Option<Map<String, Value>>, PartError> {
        let Some(Value::Object(properties)) = flat.get("properties") else {
            return Ok(None);
        };
        let fits = depth.objects < OBJECTS_MAX && depth.schemas < DEPTH_MAX;
        if properties.is_empty() || !fits || !self.take_members(properties.len()) {
            return Ok(None);
        }
        let deeper = Depth {
            schemas: depth.schemas + 1,
            objects: depth.objects + 1,
        };
        let (mut members, mut required) = (Map::new(), Vec::new());
        for (name, schema) in properties {
            let pointer = format!("{pointer}/properties/{}", escape(name));
            let read = self.read(schema, &pointer, deeper)?;
            if read.read_only {
                continue;
            }
            let value = match is_required(flat, name) {
                true => {
                    required.push(Value::from(name.as_str()));
                    read.or_null()
                }
                false => self.optional(read, &pointer),
            };
            members.insert(name.clone(), value);
        }
        if members.is_empty() {
            return Ok(None);
        }
        let mut keywords = Map::new();
        keywords.insert("type".to_owned(), "object".into());
        keywords.insert("properties".to_owned(), members.into());
        keywords.insert("required".to_owned(), required.into());
        if let Some(rest) = flat
            .get("additionalProperties")
            .filter(|it| **it != json!(false))
        {
            keywords.insert("additionalProperties".to_owned(), rest.clone());
            if rest.is_object() {
                // Its schema would be one of OpenAPI; that there may be others is all it says here.
                keywords.insert("additionalProperties".to_owned(), true.into());
            }
        }
        Ok(Some(keywords))
    }

    /// The schema of a value that may be left out, which is all that its type says of null.
    pub(in crate::definition::openapi) fn optional(
        &mut self,
        read: ReadSchema,
        pointer: &str,
    ) -> Value {
        if read.nullable {
            self.narrowed(pointer, "null");
        }
        read.keywords.into()
    }

    /// The description with what a schema says in other keywords.
    fn description(&mut self, flat: &Map<String, Value>, note: &str) -> String {
        let whole = flat
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let (own, is_cut) = text::plain(whole, DESCRIPTION_CHARACTERS_MAX);
        if is_cut {
            self.losses.push(LossKind::DescriptionCut {
                characters: whole.chars().count(),
                characters_max: DESCRIPTION_CHARACTERS_MAX,
            });
        }
        let mut words = vec![own];
        let added = flat.get(NOTE).and_then(Value::as_str).unwrap_or_default();
        words.extend([added.to_owned(), note.to_owned()]);
        let format = flat
            .get("format")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if format == "byte" {
            words.push("In base64.".to_owned());
        }
        words.extend(example(flat));
        words.retain(|text| !text.is_empty());
        if words.len() > 1 {
            words[0] = text::as_sentence(std::mem::take(&mut words[0]));
        }
        words.join(" ")
    }
}

/// The number of schemas, and of objects, around a schema.
#[derive(Debug, Clone, Copy, Default)]
struct Depth {
    schemas: usize,
    objects: usize,
}

impl ReadSchema {
    fn anything() -> Self {
        Self {
            keywords: Map::new(),
            nullable: false,
            read_only: false,
        }
    }

    /// The schema with null among its values where it is one.
    pub(in crate::definition::openapi) fn or_null(mut self) -> Value {
        if !self.nullable {
            return self.keywords.into();
        }
        let Some(description) = self.keywords.remove("description") else {
            return json!({"anyOf": [self.keywords, {"type": "null"}]});
        };
        json!({"anyOf": [self.keywords, {"type": "null"}], "description": description})
    }
}

//! Makes functions of operations: their schemas, and the places of their arguments in a request.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tool_hub_manifest::{Annotations, FunctionSpec};

use super::body::{ApiBody, BodyKind, FoundBody};
use super::credential::ApiCredential;
use super::document::{OpenApiDocument, shown};
use super::error::PartError;
use super::name::{TakenNames, function_name};
use super::operation::ApiOperation;
use super::parameter::FoundParameter;
use super::place::{ApiArgument, ApiPlace, ApiStyle};
use super::schema::{ReadSchema, SchemaReader, example};
use super::text;
use crate::definition::loss::{Loss, LossKind};

/// The most arguments of a function.
const ARGUMENTS_MAX: usize = 100;
/// The longest description of a function, before what it returns, and of an argument.
const DESCRIPTION_CHARACTERS_MAX: usize = 400;
const ARGUMENT_CHARACTERS_MAX: usize = 240;

/// A function that calls an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiFunction {
    /// The function.
    pub spec: FunctionSpec,
    /// The method, in capitals.
    pub method: &'static str,
    /// The path, with its parameters in braces.
    pub path: String,
    /// The server's address, which may be relative to the document's.
    pub server: String,
    /// The media type that is asked for.
    pub accept: String,
    /// The arguments, in the order of the function's schema.
    pub arguments: Vec<ApiArgument>,
    /// The body, if the request has one.
    pub body: Option<ApiBody>,
    /// The credentials that the request needs.
    pub credentials: Vec<ApiCredential>,
}

/// The functions for chosen operations.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiFunctions {
    /// Those that there are, in the order of the operations.
    pub functions: Vec<ApiFunction>,
    /// The operations that were left out, each with the reason.
    pub skipped: Vec<String>,
    /// The security schemes that no request can carry.
    pub refused_schemes: Vec<String>,
    /// The parts of the operations that the functions do not have.
    pub losses: Vec<Loss>,
}

impl OpenApiDocument {
    /// The functions that call `operations`.
    pub fn functions(&self, operations: &[ApiOperation<'_>]) -> ApiFunctions {
        let mut made = ApiFunctions {
            functions: Vec::new(),
            skipped: Vec::new(),
            refused_schemes: Vec::new(),
            losses: Vec::new(),
        };
        let (mut names, mut refused) = (TakenNames::default(), BTreeSet::new());
        for operation in operations {
            let mut reader = SchemaReader::new(self);
            match self.function(operation, &mut reader) {
                Ok(mut function) => {
                    function.spec.name = names.take(&function.spec.name, "call");
                    refused.extend(self.credentials(operation).refused);
                    made.losses
                        .extend(reader.losses.into_iter().map(|kind| Loss {
                            function: function.spec.name.clone(),
                            kind,
                        }));
                    made.functions.push(function);
                }
                Err(reason) => made
                    .skipped
                    .push(format!("`{}`: {reason}", shown(&operation.shown()))),
            }
        }
        made.refused_schemes = refused.into_iter().collect();
        made
    }

    fn function(
        &self,
        operation: &ApiOperation<'_>,
        reader: &mut SchemaReader<'_>,
    ) -> Result<ApiFunction, PartError> {
        let mut arguments = Arguments::default();
        let parameters = self.parameters(operation, |place, name| self.is_key(place, name))?;
        for parameter in &parameters {
            arguments.add_parameter(parameter, reader)?;
        }
        let body = self.body(operation)?;
        if let Some(body) = &body {
            arguments.add_body(body, reader)?;
        }
        if arguments.found.len() > ARGUMENTS_MAX {
            return Err(PartError::Arguments {
                count: arguments.found.len(),
                count_max: ARGUMENTS_MAX,
            });
        }
        check_path(operation, &arguments)?;
        let answer = self.answer(operation);
        let spec = FunctionSpec {
            name: function_name(operation),
            title: None,
            description: description(operation, &answer.sentence, reader),
            input_schema: arguments.schema(),
            output_schema: None,
            annotations: annotations(operation.method),
        };
        Ok(ApiFunction {
            spec,
            method: operation.method,
            path: operation.path.to_owned(),
            server: self.server(operation),
            accept: answer.accept,
            arguments: arguments.in_order(),
            body: body.map(|body| body.body),
            credentials: self.credentials(operation).credentials,
        })
    }
}

/// Every parameter of the path has an argument, or its braces would be sent.
fn check_path(operation: &ApiOperation<'_>, arguments: &Arguments) -> Result<(), PartError> {
    let given: Vec<&str> = arguments
        .found
        .iter()
        .filter(|(argument, _)| matches!(argument.place, ApiPlace::Path(_)))
        .map(|(argument, _)| argument.wire.as_str())
        .collect();
    let mut rest = operation.path;
    while let Some((_, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        if !given.contains(&name) {
            return Err(PartError::Parameter {
                name: shown(name),
                reason: "is in the path and is not described".to_owned(),
            });
        }
        rest = after;
    }
    Ok(())
}

fn annotations(method: &str) -> Annotations {
    let reads = matches!(method, "GET" | "HEAD");
    Annotations {
        read_only: Some(reads),
        // What reads changes nothing, so that saying more of it would say nothing.
        idempotent: (!reads).then_some(matches!(method, "PUT" | "DELETE")),
        destructive: (!reads).then_some(matches!(method, "PUT" | "PATCH" | "DELETE")),
        open_world: Some(true),
    }
}

fn description(
    operation: &ApiOperation<'_>,
    returns: &str,
    reader: &mut SchemaReader<'_>,
) -> String {
    let (summary, _) = text::plain(operation.summary(), DESCRIPTION_CHARACTERS_MAX);
    let whole = operation.text("description");
    let (about, is_cut) = text::plain(text::first_paragraph(whole), DESCRIPTION_CHARACTERS_MAX);
    if is_cut {
        reader.losses.push(LossKind::DescriptionCut {
            characters: whole.chars().count(),
            characters_max: DESCRIPTION_CHARACTERS_MAX,
        });
    }
    let mut sentences: Vec<String> = Vec::new();
    if !summary.is_empty() && !about.starts_with(&summary) {
        sentences.push(text::as_sentence(summary));
    }
    sentences.push(text::as_sentence(about));
    if operation.is_deprecated() {
        sentences.push("The API asks to use it no more.".to_owned());
    }
    sentences.push(returns.to_owned());
    sentences.retain(|sentence| !sentence.is_empty());
    if sentences.len() == 1 {
        let (method, path) = (operation.method, shown(operation.path));
        sentences.insert(0, format!("Calls {method} {path}."));
    }
    sentences.join(" ")
}

/// The arguments of a function, each with its schema.
#[derive(Default)]
struct Arguments {
    found: Vec<(ApiArgument, Value)>,
    names: TakenNames,
}

impl Arguments {
    fn add_parameter(
        &mut self,
        parameter: &FoundParameter<'_>,
        reader: &mut SchemaReader<'_>,
    ) -> Result<(), PartError> {
        let pointer = format!("/properties/{}", parameter.name);
        let mut read = reader.argument(parameter.schema, &pointer)?;
        describe(&mut read, parameter.keywords);
        // A parameter that is null is one that is left out.
        read.nullable = false;
        self.add(
            parameter.name,
            parameter.place,
            parameter.required,
            read,
            reader,
        );
        Ok(())
    }

    fn add_body(
        &mut self,
        found: &FoundBody<'_>,
        reader: &mut SchemaReader<'_>,
    ) -> Result<(), PartError> {
        if matches!(found.body.kind, BodyKind::Text | BodyKind::Bytes) {
            let mut read = reader.argument(found.schema, "/properties/body")?;
            let mut keywords = Map::from_iter([("type".to_owned(), Value::from("string"))]);
            if found.body.kind == BodyKind::Bytes {
                keywords.insert("contentEncoding".to_owned(), "base64".into());
            }
            keywords.extend(read.keywords.remove_entry("description"));
            read.keywords = keywords;
            read.nullable = false;
            self.add_whole(found, read, reader);
            return Ok(());
        }
        let Some(members) = reader.members(found.schema)? else {
            let read = reader.argument(found.schema, "/properties/body")?;
            self.add_whole(found, read, reader);
            return Ok(());
        };
        let is_needed = members.iter().any(|(.., required)| *required);
        if is_needed && !found.body.required {
            // Most documents that do not say so mean it; without its members there is no body.
            reader.losses.push(LossKind::Narrowed {
                pointer: String::new(),
                keyword: "requestBody".to_owned(),
            });
        }
        for (name, read, required) in members {
            let place = match found.body.kind {
                BodyKind::Form => ApiPlace::Field(field_style(&name, found.encoding)),
                _ => ApiPlace::Member,
            };
            self.add(&name, place, required, read, reader);
        }
        Ok(())
    }

    fn add_whole(
        &mut self,
        found: &FoundBody<'_>,
        mut read: ReadSchema,
        reader: &mut SchemaReader<'_>,
    ) {
        let own = Map::from_iter([("description".to_owned(), Value::from(found.description))]);
        describe(&mut read, &own);
        self.add("body", ApiPlace::Body, found.body.required, read, reader);
    }

    fn add(
        &mut self,
        wire: &str,
        place: ApiPlace,
        required: bool,
        read: ReadSchema,
        reader: &mut SchemaReader<'_>,
    ) {
        let name = self.names.take(wire, "value");
        let schema = match required {
            true => read.or_null(),
            false => reader.optional(read, &format!("/properties/{name}")),
        };
        let argument = ApiArgument {
            name,
            wire: wire.to_owned(),
            place,
            required,
        };
        self.found.push((argument, schema));
    }

    /// Those that are required first.
    fn sorted(&self) -> Vec<&(ApiArgument, Value)> {
        let mut sorted: Vec<_> = self.found.iter().collect();
        sorted.sort_by_key(|(argument, _)| !argument.required);
        sorted
    }

    fn in_order(&self) -> Vec<ApiArgument> {
        let sorted = self.sorted().into_iter();
        sorted.map(|(argument, _)| argument.clone()).collect()
    }

    fn schema(&self) -> Value {
        let sorted = self.sorted();
        let properties: Map<String, Value> = sorted
            .iter()
            .map(|(argument, schema)| (argument.name.clone(), schema.clone()))
            .collect();
        let required = sorted.iter().filter(|(argument, _)| argument.required);
        let required: Vec<&str> = required
            .map(|(argument, _)| argument.name.as_str())
            .collect();
        serde_json::json!({"type": "object", "properties": properties, "required": required})
    }
}

/// The description of a parameter before that of its schema, and its example.
fn describe(read: &mut ReadSchema, keywords: &Map<String, Value>) {
    let own = keywords
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let (own, _) = text::plain(own, ARGUMENT_CHARACTERS_MAX);
    let inner = read
        .keywords
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut sentences = vec![own.clone()];
    if !own.contains(inner) {
        sentences.push(text::as_sentence(inner.to_owned()));
    }
    sentences.extend(example(keywords).filter(|example| !inner.contains(example.as_str())));
    sentences.retain(|sentence| !sentence.is_empty());
    if sentences.len() > 1 {
        sentences[0] = text::as_sentence(std::mem::take(&mut sentences[0]));
    }
    if !sentences.is_empty() {
        read.keywords
            .insert("description".to_owned(), sentences.join(" ").into());
    }
}

/// The style of a form's member: as `encoding` says it, else exploded.
fn field_style(name: &str, encoding: Option<&Map<String, Value>>) -> ApiStyle {
    let own = encoding.and_then(|encoding| encoding.get(name));
    let style = own
        .and_then(|it| it.get("style"))
        .and_then(Value::as_str)
        .unwrap_or("form");
    let explode = own
        .and_then(|it| it.get("explode"))
        .and_then(Value::as_bool);
    ApiStyle::of(style, explode.unwrap_or(style == "form")).unwrap_or(ApiStyle::FormExploded)
}

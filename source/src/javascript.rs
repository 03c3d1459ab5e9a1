//! Reads the functions that a JavaScript or TypeScript module exports, with types and JSDoc.

mod comment;
mod frameworks;
pub(crate) mod grammar_of;
pub(crate) mod imports;
mod object;
mod scope;
mod type_schema;
mod types;
mod union;
mod zod;

use serde_json::{Map, Value, json};
use tree_sitter::Node;

use crate::definition::{Definition, Function, Signature};
use crate::description::describe;
use crate::error::{Fault, FaultKind, SourceError};
use crate::function_count::check_function_count;
use crate::language::Language;
use crate::position::Lines;
use crate::syntax::{self, children, text_of};
use comment::{Comment, Param};
use grammar_of::grammar;
use scope::{DeclaredFunction, Scope};
use type_schema::TypeSchema;
use types::Types;

/// The name of a destructured parameter that JSDoc does not name.
const UNNAMED: &str = "options";

/// The functions that `text` exports by names that do not begin with `_`.
pub(crate) fn read(text: &str, language: Language) -> Result<Vec<Function>, SourceError> {
    let text = text.trim_start_matches('\u{feff}');
    let tree = syntax::parse(text, &grammar(language), language)?;
    let lines = Lines::of(text);
    let tools = frameworks::tools(tree.root_node(), text, &lines);
    check_function_count(tools.len())?;
    if !tools.is_empty() {
        return Ok(tools);
    }
    let scope = Scope::of(tree.root_node(), text);
    let reader = Reader {
        text,
        lines,
        types: Types::new(&scope, text),
    };
    check_function_count(scope.exported.len())?;
    let exported = scope.exported.iter();
    Ok(exported
        .filter(|(name, _)| !name.starts_with('_'))
        .map(|(name, declared)| reader.function(name, declared))
        .collect())
}

struct Reader<'a> {
    text: &'a str,
    lines: Lines<'a>,
    types: Types<'a>,
}

/// An error, and the byte at which it is.
type KindAndOffset = (FaultKind, usize);

impl Reader<'_> {
    fn function(&self, name: &str, declared: &DeclaredFunction<'_>) -> Function {
        Function {
            name: name.to_owned(),
            position: self.lines.position(declared.offset),
            definition: self
                .definition(name, declared)
                .map_err(|(kind, offset)| Fault {
                    function: name.to_owned(),
                    position: self.lines.position(offset),
                    kind,
                }),
        }
    }

    fn definition(
        &self,
        name: &str,
        declared: &DeclaredFunction<'_>,
    ) -> Result<Definition, KindAndOffset> {
        let comment = Comment::before(declared.statement, self.text);
        let comment = comment.filter(|comment| !comment.description.is_empty());
        let comment = comment.ok_or((FaultKind::NoDescription, declared.offset))?;
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for (index, node) in parameters(declared.function).into_iter().enumerate() {
            let parameter = self.parameter(node, index, &comment)?;
            if parameter.is_required {
                required.push(parameter.name.clone());
            }
            properties.insert(parameter.name, parameter.schema);
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        Ok(Definition {
            name: name.to_owned(),
            output: self.output(declared.function, &comment),
            description: comment.description,
            parameters: Value::Object(schema),
            is_async: syntax::is_async(declared.function),
            signature: Signature::Dynamic,
            tool: None,
        })
    }

    fn parameter(
        &self,
        node: Node<'_>,
        index: usize,
        comment: &Comment,
    ) -> Result<Parameter, KindAndOffset> {
        let pattern = node.child_by_field_name("pattern").unwrap_or(node);
        let value = node.child_by_field_name("value");
        // A default stands within the pattern where there are no types.
        let (pattern, value) = match pattern.kind() {
            "assignment_pattern" => (
                pattern.child_by_field_name("left").unwrap_or(pattern),
                pattern.child_by_field_name("right").or(value),
            ),
            _ => (pattern, value),
        };
        let at = |kind| (kind, pattern.start_byte());
        let (name, param) = match pattern.kind() {
            "identifier" => {
                let name = text_of(pattern, self.text);
                (name.to_owned(), comment.param(name))
            }
            "rest_pattern" => {
                let name = text_of(pattern, self.text);
                let reason = "takes any number of values; take a list instead";
                let name = name.to_owned();
                return Err(at(FaultKind::UnsupportedType { name, reason }));
            }
            // A destructured parameter has the name that JSDoc gives in its place.
            _ => {
                let param = comment.roots().nth(index);
                let name = param.map_or(UNNAMED, |param| param.name.as_str());
                (name.to_owned(), param)
            }
        };
        let found = self
            .type_of(node, value, &name, comment, param)
            .map_err(at)?;
        let is_optional = found.is_optional
            || value.is_some()
            || node.kind() == "optional_parameter"
            || param.is_some_and(|param| param.is_optional);
        let text = param.map(|param| param.text.as_str()).unwrap_or_default();
        if text.is_empty() {
            return Err(at(FaultKind::NoParameterDescription { parameter: name }));
        }
        let mut schema = found.schema;
        describe(&mut schema, text);
        Ok(Parameter {
            name,
            schema: Value::Object(schema),
            is_required: !is_optional,
        })
    }

    /// The type of a parameter: as it is annotated, as the comment says, or that of its default.
    fn type_of(
        &self,
        node: Node<'_>,
        value: Option<Node<'_>>,
        name: &str,
        comment: &Comment,
        param: Option<&Param>,
    ) -> Result<TypeSchema, FaultKind> {
        if let Some(annotation) = node.child_by_field_name("type") {
            return self.types.annotated(annotation);
        }
        if let Some(text) = param.and_then(|param| param.of.as_deref()) {
            return self.types.documented(text, comment.members_of(name));
        }
        let default = value.and_then(|value| match value.kind() {
            "string" | "template_string" => Some("string"),
            "number" => Some("number"),
            "true" | "false" => Some("boolean"),
            _ => None,
        });
        default
            .map(TypeSchema::plain)
            .ok_or_else(|| FaultKind::NoType {
                parameter: name.to_owned(),
            })
    }

    /// The result, where it has a type with a schema.
    fn output(&self, function: Node<'_>, comment: &Comment) -> Option<Value> {
        let annotation = function.child_by_field_name("return_type");
        let found = match (annotation, &comment.returns) {
            (Some(annotation), _) => self.types.annotated(annotation),
            (None, Some(Param { of: Some(text), .. })) => self.types.documented(text, &[]),
            _ => return None,
        };
        let mut schema = found.ok().filter(|found| !found.is_nothing)?.schema;
        let text = comment.returns.as_ref().map(|returns| &returns.text);
        describe(&mut schema, text.map_or("", String::as_str));
        Some(Value::Object(schema))
    }
}

struct Parameter {
    name: String,
    schema: Value,
    is_required: bool,
}

/// The nodes of a function's parameters.
fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    let list = function.child_by_field_name("parameters");
    match (list, function.child_by_field_name("parameter")) {
        (Some(list), _) => children(list),
        // `x => …`
        (None, Some(only)) => vec![only],
        (None, None) => Vec::new(),
    }
}

#[cfg(test)]
mod tests;

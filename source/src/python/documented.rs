//! Describes a function by its hints and docstring, as `get_json_schema` of Transformers does.

use serde_json::{Map, Value, json};
use tree_sitter::Node;

use super::docstring::{self, Docstring};
use super::fault::KindAndOffset;
use super::hint::Hint;
use super::module::Scope;
use super::schema;
use super::signature::{self, Parameter};
use crate::definition::{Definition, Function, Signature};
use crate::error::{Fault, FaultKind};
use crate::position::Lines;
use crate::syntax::{self, text_of};

/// Reads functions of a file.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) lines: &'a Lines<'a>,
    pub(super) scope: &'a Scope,
}

impl Reader<'_> {
    /// The function at `node`.
    pub(super) fn function(&self, node: Node<'_>) -> Function {
        let name_node = node.child_by_field_name("name").unwrap_or(node);
        let name = text_of(name_node, self.text).to_owned();
        let definition = self.definition(node, &name, name_node.start_byte());
        Function {
            position: self.lines.position(name_node.start_byte()),
            definition: definition.map_err(|(kind, offset)| Fault {
                function: name.clone(),
                position: self.lines.position(offset),
                kind,
            }),
            name,
        }
    }

    /// The definition. What is wrong is found in the order in which Transformers finds it.
    pub(super) fn definition(
        &self,
        node: Node<'_>,
        name: &str,
        at: usize,
    ) -> Result<Definition, KindAndOffset> {
        let docstring = docstring::of(node, self.text).map_err(|kind| (kind, at))?;
        let docstring = docstring.ok_or((FaultKind::NoDescription, at))?;
        let parameters = signature::parameters(node, self.text);
        let hints = self.hints(&parameters)?;
        let output = match node.child_by_field_name("return_type") {
            Some(node) => Some(self.hint(text_of(node, self.text), node.start_byte())?),
            None => None,
        };
        if let Some(parameter) = parameters.iter().find(|it| it.annotation.is_none()) {
            let parameter_name = parameter.name.clone();
            let kind = FaultKind::NoType {
                parameter: parameter_name,
            };
            return Err((kind, parameter.offset));
        }
        let properties = properties(&hints, &docstring)?;
        let required: Vec<&str> = parameters
            .iter()
            .filter(|parameter| !parameter.has_default)
            .map(|parameter| parameter.name.as_str())
            .collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        // A model never writes what is returned: a type without a schema is left out there.
        let mut output = output.and_then(|hint| schema::of(&hint).ok());
        if let (Some(output), Some(text)) = (&mut output, docstring.returns) {
            output.insert("description".to_owned(), json!(text));
        }
        Ok(Definition {
            name: name.to_owned(),
            description: docstring.description,
            parameters: Value::Object(schema),
            output: output.map(Value::Object),
            is_async: syntax::is_async(node),
            signature: Signature::Dynamic,
            tool: None,
        })
    }

    /// The hints of the parameters that have one, in the order in which Python keeps them:
    /// those that are positional only come after the others without a star.
    fn hints<'p>(
        &self,
        parameters: &'p [Parameter<'_>],
    ) -> Result<Vec<(&'p Parameter<'p>, Hint)>, KindAndOffset> {
        let mut order: Vec<&Parameter<'_>> = parameters.iter().collect();
        order.sort_by_key(|parameter| parameter.kind);
        let annotated = order.into_iter().filter_map(|parameter| {
            let (annotation, offset) = parameter.annotation?;
            Some(self.hint(annotation, offset).map(|hint| (parameter, hint)))
        });
        annotated.collect()
    }

    fn hint(&self, annotation: &str, offset: usize) -> Result<Hint, KindAndOffset> {
        let hint = self.scope.hint(annotation);
        hint.map_err(|name| (FaultKind::UnknownName { name }, offset))
    }
}

fn properties(
    hints: &[(&Parameter<'_>, Hint)],
    docstring: &Docstring,
) -> Result<Map<String, Value>, KindAndOffset> {
    let mut properties = Vec::new();
    for (parameter, hint) in hints {
        let (annotation, at) = parameter.annotation.unwrap_or(("", parameter.offset));
        let schema = schema::of(hint).map_err(|unsupported| (unsupported.fault(annotation), at))?;
        properties.push((parameter, schema));
    }
    properties
        .into_iter()
        .map(|(parameter, mut schema)| {
            let at = |kind| (kind, parameter.offset);
            let name = parameter.name.clone();
            let Some(text) = docstring.parameters.get(&name) else {
                return Err(at(FaultKind::NoParameterDescription { parameter: name }));
            };
            let mut text = text.as_str();
            if let Some((before, choices)) = docstring::choices(text) {
                let Some(choices) = choices else {
                    return Err(at(FaultKind::Choices { parameter: name }));
                };
                schema.insert("enum".to_owned(), Value::Array(choices));
                text = before;
            }
            schema.insert("description".to_owned(), json!(text));
            Ok((name, Value::Object(schema)))
        })
        .collect()
}

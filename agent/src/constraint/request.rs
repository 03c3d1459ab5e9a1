//! Writes constraints as members of requests, in the form that each server expects.

use serde_json::{Map, Value, json};
use tool_hub_manifest::{Annotations, FunctionSpec};

use super::backend::Backend;
use super::compile::{Constraint, Kind};
use super::error::ConstraintError;
use super::format::Format;
use crate::definition::export::export;
use crate::definition::{Dialect, Loss};

/// A constraint as a server wants it.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestMembers {
    /// Members to add to the body of the request.
    pub members: Map<String, Value>,
    /// Known limits of the server: it may enforce less of a schema than it accepts.
    pub losses: Vec<Loss>,
}

/// The name of the answer for servers that ask for one.
const ANSWER: &str = "answer";

impl Constraint {
    /// The constraint for `backend`.
    ///
    /// # Errors
    /// When the server does not support such a constraint, or would refuse it.
    pub fn for_backend(&self, backend: Backend) -> Result<RequestMembers, ConstraintError> {
        match backend {
            Backend::Tgi => self.for_tgi(),
            Backend::Vllm => self.for_vllm(),
            Backend::LlamaCpp => match &self.kind {
                Kind::Json(schema) => Ok(member("json_schema", schema.clone())),
                Kind::Calls(calls) => Ok(member("json_schema", calls.schema().clone())),
                _ => self.compiled("grammar", Format::Gbnf, backend),
            },
            Backend::Sglang => self.for_sglang(),
            Backend::OpenAi => self.for_openai(),
        }
    }

    fn for_tgi(&self) -> Result<RequestMembers, ConstraintError> {
        let schema = match &self.kind {
            Kind::Json(schema) => Some(schema),
            Kind::Calls(calls) => Some(calls.schema()),
            _ => None,
        };
        // It refuses a schema that does not begin with properties.
        match schema.filter(|schema| schema.get("properties").is_some_and(Value::is_object)) {
            Some(schema) => Ok(member("grammar", json!({"type": "json", "value": schema}))),
            None => {
                let mut regex = self.compiled("grammar", Format::Regex, Backend::Tgi)?;
                let value = regex.members["grammar"].take();
                regex.members["grammar"] = json!({"type": "regex", "value": value});
                Ok(regex)
            }
        }
    }

    fn for_vllm(&self) -> Result<RequestMembers, ConstraintError> {
        let (name, value) = match &self.kind {
            Kind::Json(schema) => ("json", schema.clone()),
            Kind::Calls(calls) => ("json", calls.schema().clone()),
            Kind::Regex(regex) => ("regex", regex.as_str().into()),
            Kind::Choice(texts) => ("choice", texts.clone().into()),
            Kind::Grammar(_, grammar) => ("grammar", grammar.as_str().into()),
        };
        let value = Map::from_iter([(name.to_owned(), value)]);
        Ok(member("structured_outputs", value.into()))
    }

    fn for_sglang(&self) -> Result<RequestMembers, ConstraintError> {
        match &self.kind {
            Kind::Json(schema) => Ok(schema_format(schema.clone())),
            Kind::Calls(calls) => Ok(schema_format(calls.schema().clone())),
            Kind::Regex(_) | Kind::Choice(_) => {
                self.compiled("regex", Format::Regex, Backend::Sglang)
            }
            Kind::Grammar(_, grammar) => Ok(member("ebnf", grammar.as_str().into())),
        }
    }

    fn for_openai(&self) -> Result<RequestMembers, ConstraintError> {
        let backend = Backend::OpenAi;
        let hint = match &self.kind {
            Kind::Json(schema) => return strict_format(schema),
            Kind::Calls(_) => "send `tools` with `\"strict\": true`, and `tool_choice`",
            _ => "say it as a JSON schema",
        };
        let what = self.description();
        Err(ConstraintError::Backend {
            backend,
            what,
            hint,
        })
    }

    /// One member with the constraint in `format`.
    fn compiled(
        &self,
        name: &str,
        format: Format,
        backend: Backend,
    ) -> Result<RequestMembers, ConstraintError> {
        if matches!(&self.kind, Kind::Grammar(written, _) if *written != format) {
            return Err(ConstraintError::Backend {
                backend,
                what: self.description(),
                hint: match format {
                    Format::Gbnf => "write the grammar in GBNF",
                    _ => "say it as a regular expression or a JSON schema",
                },
            });
        }
        let compiled = self.compile(format)?;
        Ok(RequestMembers {
            losses: compiled.losses,
            ..member(name, compiled.text.into())
        })
    }
}

fn member(name: &str, value: Value) -> RequestMembers {
    RequestMembers {
        members: Map::from_iter([(name.to_owned(), value)]),
        losses: Vec::new(),
    }
}

fn schema_format(schema: Value) -> RequestMembers {
    let format = json!({
        "type": "json_schema",
        "json_schema": {"name": ANSWER, "schema": schema},
    });
    member("response_format", format)
}

/// The schema as the strict mode takes it: that of a function with such arguments.
fn strict_format(schema: &Value) -> Result<RequestMembers, ConstraintError> {
    let spec = FunctionSpec {
        name: ANSWER.to_owned(),
        title: None,
        description: String::new(),
        input_schema: schema.clone(),
        output_schema: None,
        annotations: Annotations::default(),
    };
    let mut export = export(&[spec], Dialect::OpenAiStrict);
    if let Some(loss) = export.losses.iter().find(|loss| loss.kind.is_refusal()) {
        return Err(ConstraintError::Refused {
            backend: Backend::OpenAi,
            loss: loss.clone(),
        });
    }
    let strict = export.tools[0]["function"]["parameters"].take();
    let mut constrained = schema_format(strict);
    constrained.members["response_format"]["json_schema"]["strict"] = true.into();
    constrained.losses = export.losses;
    Ok(constrained)
}

//! The one form of what the files of frameworks find.

use serde_json::{Map, Value};

use crate::definition::{Definition, Signature};
use crate::error::FaultKind;
use crate::framework::{Framework, FrameworkTool, Setting};
use crate::python::expression::Expression;
use crate::python::pydantic::{Schemas, Texts};
use crate::python::source_file::SourceFile;

/// A tool as its framework lists it.
pub(super) struct Tool {
    pub(super) framework: Framework,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) parameters: Map<String, Value>,
    pub(super) is_async: bool,
    pub(super) object: String,
    pub(super) method: Option<String>,
    pub(super) settings: Vec<Setting>,
}

impl Tool {
    /// Its definition. What it returns is text, as frameworks give it to a model.
    pub(super) fn definition(self) -> Definition {
        Definition {
            name: self.name,
            description: self.description,
            parameters: Value::Object(self.parameters),
            output: None,
            is_async: self.is_async,
            signature: Signature::Dynamic,
            tool: Some(FrameworkTool {
                framework: self.framework,
                object: self.object,
                method: self.method,
                settings: self.settings,
            }),
        }
    }
}

/// The name and the description that a call gives, by the arguments that hold them.
pub(super) fn name_and_description(
    file: &SourceFile<'_>,
    call: &Expression,
    (name, position): (&str, Option<usize>),
    description: &str,
) -> Result<(Option<String>, Option<String>), FaultKind> {
    let positional = position.and_then(|at| call.positional().into_iter().nth(at));
    let name = text(file, name, call.keyword(name).or(positional))?;
    Ok((name, text(file, description, call.keyword(description))?))
}

/// The text that the argument or attribute `name` has. An error if it is given and no constant.
pub(super) fn text(
    file: &SourceFile<'_>,
    name: &str,
    given: Option<&Expression>,
) -> Result<Option<String>, FaultKind> {
    let Some(given) = given else {
        return Ok(None);
    };
    match Schemas::new(file.scope, Texts::Ignored).value(given) {
        Some(value) => Ok(value.as_str().map(str::to_owned)),
        None => Err(FaultKind::Computed {
            argument: name.to_owned(),
        }),
    }
}

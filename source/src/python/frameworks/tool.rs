//! The one form of what the files of frameworks find.

use serde_json::{Map, Value};

use crate::definition::{Definition, Signature};
use crate::framework::{Framework, FrameworkTool, Setting};
use crate::python::expression::Expression;
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

/// The text that a call has as `name`, or as its first argument where `is_first`.
pub(super) fn text_argument(
    file: &SourceFile<'_>,
    call: &Expression,
    name: &str,
    position: Option<usize>,
) -> Option<String> {
    let positional = position.and_then(|at| call.positional().into_iter().nth(at));
    let given = call.keyword(name).or(positional)?;
    text(file, given)
}

/// The text that an expression of constants has.
pub(super) fn text(file: &SourceFile<'_>, expression: &Expression) -> Option<String> {
    use crate::python::pydantic::{Schemas, Texts};
    let value = Schemas::new(file.scope, Texts::Ignored).value(expression)?;
    value.as_str().map(str::to_owned)
}

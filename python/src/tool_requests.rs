//! The classes `Question` and `Call`: a running tool asks something of Python, which answers.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tool_hub_embed::{
    Asked, Failure, HumanAnswer, Outcome, PerProcess, ToolQuestion, failure_of_kind, text_reply,
    value_reply,
};

/// A question of a tool to the person.
#[pyclass(frozen, module = "tool_hub._native")]
pub(crate) struct Question {
    question: ToolQuestion,
    asked: Mutex<PerProcess<Asked<HumanAnswer>>>,
}

/// A call of a function beside the tool.
#[pyclass(frozen, module = "tool_hub._native")]
pub(crate) struct Call {
    /// The function.
    #[pyo3(get)]
    name: String,
    /// Its arguments, the text of a JSON object.
    #[pyo3(get)]
    arguments: String,
    asked: Mutex<PerProcess<Asked<Outcome>>>,
}

impl Question {
    pub(crate) fn new(question: ToolQuestion, asked: Asked<HumanAnswer>) -> Self {
        Self {
            question,
            asked: Mutex::new(PerProcess::with(asked)),
        }
    }
}

impl Call {
    pub(crate) fn new(name: String, arguments: String, asked: Asked<Outcome>) -> Self {
        Self {
            name,
            arguments,
            asked: Mutex::new(PerProcess::with(asked)),
        }
    }
}

#[pymethods]
impl Question {
    #[getter]
    fn key(&self) -> &str {
        &self.question.key
    }

    #[getter]
    fn text(&self) -> &str {
        &self.question.text
    }

    /// JSON Schema of the answer, as JSON.
    #[getter]
    fn schema(&self) -> String {
        self.question.schema.to_string()
    }

    /// Answers with JSON; with none, the person said no.
    #[pyo3(signature = (json = None))]
    fn answer(&self, json: Option<&str>) -> PyResult<()> {
        let answer = match json {
            None => HumanAnswer::Declined,
            Some(json) => {
                let read = serde_json::from_str(json);
                HumanAnswer::Given(read.map_err(|error| PyValueError::new_err(error.to_string()))?)
            }
        };
        give(&self.asked, answer);
        Ok(())
    }

    /// Closes the question without an answer.
    fn cancel(&self) {
        give(&self.asked, HumanAnswer::Cancelled);
    }
}

#[pymethods]
impl Call {
    /// Answers with the value as JSON.
    fn answer(&self, json: String) {
        give(&self.asked, value_reply(json));
    }

    /// Answers with text.
    fn answer_text(&self, text: String) {
        give(&self.asked, text_reply(text));
    }

    /// Answers that it failed.
    #[pyo3(signature = (kind, message, fix = None, argument = None, retryable = false))]
    fn fail(
        &self,
        kind: &str,
        message: String,
        fix: Option<String>,
        argument: Option<String>,
        retryable: bool,
    ) {
        let failure = failure(kind, message, fix, argument, retryable);
        give(&self.asked, Outcome::Failure(failure));
    }
}

/// A failure of a function of Python's own.
pub(crate) fn failure(
    kind: &str,
    message: String,
    fix: Option<String>,
    argument: Option<String>,
    retryable: bool,
) -> Failure {
    Failure {
        fix,
        argument,
        retryable,
        ..failure_of_kind(kind, message)
    }
}

/// Answers, once, and not in a child of the process that was asked.
fn give<T>(asked: &Mutex<PerProcess<Asked<T>>>, answer: T) {
    let asked = asked.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(asked) = asked {
        asked.answer(answer);
    }
}

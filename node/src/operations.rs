//! The `Operations` of a JavaScript thread that are under way, and the questions that wait for it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::Value;
use tokio::task::AbortHandle;
use tool_hub_embed::{self as embed, HumanAnswer, Outcome, failure_of_kind, value_reply};

/// Operations by the numbers that JavaScript gave them. When the thread ends, all are dropped,
/// which stops their guests.
#[derive(Default)]
pub(crate) struct Operations {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    under_way: HashMap<u32, AbortHandle>,
    questions: HashMap<u32, Question>,
    last_question: u32,
    is_closed: bool,
}

struct Question {
    operation: u32,
    asked: Asked,
}

/// Somebody whom a guest asks something.
pub(crate) enum Asked {
    /// The person.
    Person(embed::Asked<HumanAnswer>),
    /// A function beside the tool.
    Function(embed::Asked<Outcome>),
}

/// The outcome of a function beside the tool, as JavaScript tells it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum FunctionOutcome {
    Value(Value),
    Failure { kind: String, message: String },
}

impl Operations {
    /// Begins an operation by `begin`.
    pub(crate) fn begin(&self, number: u32, begin: impl FnOnce() -> AbortHandle) {
        let mut state = self.state();
        // It may end before it is noted here: then `end` waits for the lock.
        if !state.is_closed {
            let handle = begin();
            state.under_way.insert(number, handle);
        }
    }

    /// Forgets an operation that has ended.
    pub(crate) fn end(&self, number: u32) {
        let mut state = self.state();
        state.under_way.remove(&number);
        state.forget_questions(number);
    }

    /// Drops an operation, if it is under way.
    pub(crate) fn abort(&self, number: u32) {
        let mut state = self.state();
        let handle = state.under_way.remove(&number);
        state.forget_questions(number);
        drop(state);
        if let Some(handle) = handle {
            handle.abort();
        }
    }

    /// Takes note of a question of an operation, and gives it a number.
    pub(crate) fn ask(&self, operation: u32, asked: Asked) -> u32 {
        let mut state = self.state();
        state.last_question = state.last_question.wrapping_add(1);
        let number = state.last_question;
        let question = Question { operation, asked };
        state.questions.insert(number, question);
        number
    }

    /// Answers a question, if somebody still waits for the answer.
    pub(crate) fn answer(&self, number: u32, answer: &str) -> serde_json::Result<()> {
        let Some(question) = self.state().questions.remove(&number) else {
            return Ok(());
        };
        match question.asked {
            Asked::Person(asked) => asked.answer(match serde_json::from_str(answer)? {
                Value::Null => HumanAnswer::Declined,
                Value::String(word) if word == "cancelled" => HumanAnswer::Cancelled,
                given => HumanAnswer::Given(given),
            }),
            Asked::Function(asked) => asked.answer(match serde_json::from_str(answer)? {
                FunctionOutcome::Value(value) => value_reply(value.to_string()),
                FunctionOutcome::Failure { kind, message } => {
                    failure_of_kind(&kind, message).into()
                }
            }),
        }
        Ok(())
    }

    /// Drops all operations, and begins no more: the thread ends.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let questions = std::mem::take(&mut state.questions);
        let under_way = std::mem::take(&mut state.under_way);
        drop(state);
        drop(questions);
        for handle in under_way.into_values() {
            handle.abort();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget_questions(&mut self, operation: u32) {
        self.questions.retain(|_, it| it.operation != operation);
    }
}

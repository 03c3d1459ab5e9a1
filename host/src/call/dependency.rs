//! Calls a function of a dependency for a guest: in a sandbox of its own, within the guest's time.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tool_hub_manifest::contract::{Failure, FailureKind, Question, Reply};
use tool_hub_manifest::{Confirmation, Digest, ToolName};
use tracing::Instrument as _;
use wasmtime::component::Val;

use crate::call::confirmation::{ConfirmedCall, of_values};
use crate::call::plan::Plan;
use crate::call::record::Record;
use crate::call::stop::Stop;
use crate::call::{SandboxTemplate, audit, failure, guest, timeout};
use crate::interaction::{Answer, Interaction, LogEntry};

/// The digits of a question's digest that tell it from others with the same key.
const QUESTION_DIGITS: usize = 16;

/// A function of a dependency, as the guest that imports it calls it.
pub(crate) struct DependencyFunction {
    /// The caller's name for the dependency.
    pub(crate) dependency: ToolName,
    /// The name of the function in logs.
    pub(crate) name: String,
    pub(crate) plan: Arc<Plan>,
    pub(crate) template: Arc<SandboxTemplate>,
    pub(crate) confirm: Option<Confirmation>,
}

impl DependencyFunction {
    /// Calls the function with `arguments` for the guest whose call `caller` records. What either
    /// tool keeps secret does not reach the other.
    ///
    /// # Errors
    /// A failure that ends the caller's guest, because the function's type has no place for it,
    /// such as a trap or a limit; and a question that has to be answered first.
    pub(crate) async fn call(
        &self,
        caller: &Record,
        arguments: Vec<Val>,
    ) -> Result<Option<Val>, Stop> {
        let policy = &self.template.policy;
        let interaction = DependencyInteraction {
            dependency: self.dependency.clone(),
            caller: caller.interaction.clone(),
        };
        let record = Record::of_dependency(policy, caller, Arc::new(interaction));
        let record = Arc::new(record);
        let arguments = arguments.into_iter();
        let arguments: Vec<Val> = arguments
            .map(|it| caller.secrets.mask_component_value(it))
            .collect();
        let span = tracing::info_span!(
            target: "tool_hub_host::call",
            "call",
            tool = policy.tool.name,
            function = self.name,
            outcome = tracing::field::Empty,
        );
        let called = async {
            let result = self.attempt(&record, arguments).await;
            let result =
                result.map(|value| value.map(|it| record.secrets.mask_component_value(it)));
            let said = result.as_ref().map(|_| Reply::default());
            let told = record.released(said.map_err(Clone::clone));
            record.close(&told);
            told.and(result)
        };
        let result = called.instrument(span).await;
        caller.add_dependency(&record);
        let outcome = match &result {
            Ok(_) => "answered",
            Err(failure) => failure.kind.as_str(),
        };
        let name = format!("{}.{}", self.dependency, self.name);
        audit::called_dependency(&caller.tool.name, &name, outcome);
        result.map_err(|failure| match failure.kind {
            FailureKind::InputRequired(question) => {
                Stop::Question(Box::new(asked_by(&self.dependency, &question)))
            }
            _ => Stop::Dependency(name, Box::new(failure)),
        })
    }

    async fn attempt(
        &self,
        record: &Arc<Record>,
        arguments: Vec<Val>,
    ) -> Result<Option<Val>, Failure> {
        if let Some(needed) = &self.confirm {
            let call = ConfirmedCall {
                tool: &record.tool.name,
                function: &self.name,
                needed,
                arguments: of_values(self.plan.parameters(), &arguments),
            };
            record.time.pause();
            let confirmed = call.confirm(record).await;
            record.time.resume();
            confirmed?;
        }
        audit::granted(&record.tool.name, &self.template.policy.grants);
        // The guest's turns are part of its caller's, whose place among the calls it uses.
        let guest = guest(
            self.template.clone(),
            &self.plan,
            arguments,
            record.clone(),
            (),
        );
        tokio::select! {
            biased;
            result = guest => result,
            () = timeout(record) => Err(failure::of_stop(&Stop::Wall, &record.limits)),
        }
    }
}

/// The agent's side of a dependency's call: it answers questions, which name the dependency, and
/// takes the log. It offers no functions, and takes no progress.
struct DependencyInteraction {
    dependency: ToolName,
    caller: Arc<dyn Interaction>,
}

impl Interaction for DependencyInteraction {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        let question = asked_by(&self.dependency, question);
        Box::pin(async move { self.caller.ask(&question).await })
    }

    fn logged(&self, entry: &LogEntry) {
        self.caller.logged(&LogEntry {
            context: format!("{}: {}", self.dependency, entry.context),
            ..entry.clone()
        });
    }
}

/// The question of a dependency as its caller's side is asked it. The key is one of its own for
/// each text: a person who confirmed one call has not confirmed the next.
fn asked_by(dependency: &ToolName, question: &Question) -> Question {
    let digest = Digest::of(question.text.as_bytes()).hex();
    let digits = digest.get(..QUESTION_DIGITS).unwrap_or_default();
    Question {
        key: format!("{dependency}.{}.{digits}", question.key),
        text: format!(
            "`{dependency}`, which this tool calls, asks: {}",
            question.text
        ),
        schema: question.schema.clone(),
    }
}

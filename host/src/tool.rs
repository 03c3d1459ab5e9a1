//! A loaded tool: compiled once, called in a fresh sandbox each time.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use tool_hub_manifest::{Capabilities, Grants, Limits, Pin, ToolName};
use tracing::Instrument as _;
use wasmtime::component::InstancePre;
use wasmtime_wasi_config::WasiConfigVariables;

use crate::call::record::Record;
use crate::call::state::CallState;
use crate::call::{self, trouble};
use crate::grant::{Denial, Known};
use crate::host::Shared;
use crate::json::{ArgumentError, arguments};
use crate::plan::Plan;
use crate::secret::Secrets;
use crate::{CallableFunction, Failure, FailureKind, Interaction, Nobody, Outcome, Storage};

/// A tool that is ready to be called, by as many tasks at once as the host allows. Cloning
/// is cheap.
#[derive(Clone)]
pub struct Tool {
    loaded: Arc<Loaded>,
}

/// What all clones of a tool share.
pub(crate) struct Loaded {
    pub(crate) host: Arc<Shared>,
    pub(crate) name: ToolName,
    pub(crate) pin: Pin,
    pub(crate) known: Arc<Known>,
    pub(crate) grants: Arc<Grants>,
    pub(crate) asked: Arc<Capabilities>,
    pub(crate) limits: Limits,
    /// The granted variables that have a value.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) settings: Arc<WasiConfigVariables>,
    pub(crate) secrets: Secrets,
    /// Where it keeps things, where that is granted.
    pub(crate) storage: Option<Storage>,
    pub(crate) absent: Arc<[Denial]>,
    pub(crate) functions: Vec<CallableFunction>,
    /// In the order of `functions`.
    pub(crate) plans: Vec<Plan>,
    pub(crate) pre: InstancePre<CallState>,
}

impl Tool {
    pub(crate) fn new(loaded: Loaded) -> Self {
        Self {
            loaded: Arc::new(loaded),
        }
    }

    /// The tool's name.
    pub fn name(&self) -> &ToolName {
        &self.loaded.name
    }

    /// The digests of what it was loaded from.
    pub fn pin(&self) -> Pin {
        self.loaded.pin
    }

    /// What can be called, in the manifest's order.
    pub fn functions(&self) -> &[CallableFunction] {
        &self.loaded.functions
    }

    /// The limits that hold for each call: the host's, lowered to what the manifest asks.
    pub fn limits(&self) -> &Limits {
        &self.loaded.limits
    }

    /// Calls `function` with `arguments`, the text of a JSON object with a member for each
    /// argument. Nobody is shown progress or asked anything; see [`Tool::call_with`].
    ///
    /// The guest runs in a fresh sandbox and is gone when the call is over. Dropping the
    /// future stops it. Whatever goes wrong is a [`Failure`] written for the agent.
    ///
    /// # Panics
    /// Outside of a tokio runtime with its timer and I/O enabled.
    pub async fn call(&self, function: &str, arguments: &str) -> Outcome {
        self.call_with(function, arguments, Arc::new(Nobody)).await
    }

    /// Calls `function` as [`Tool::call`] does, with someone there for progress and
    /// questions.
    ///
    /// # Panics
    /// As [`Tool::call`].
    pub async fn call_with(
        &self,
        function: &str,
        arguments: &str,
        interaction: Arc<dyn Interaction>,
    ) -> Outcome {
        let record = Arc::new(Record::new(&self.loaded, interaction));
        record.counts.input_bytes.add(arguments.len() as u64);
        let span = tracing::info_span!(
            target: "tool_hub_host::call",
            "call",
            tool = self.loaded.known.name,
            function = %shown(function),
            outcome = tracing::field::Empty,
        );
        let called = async {
            let outcome = self.attempt(function, arguments, &record).await;
            record.close(&outcome);
            outcome
        };
        called.instrument(span).await
    }

    async fn attempt(&self, function: &str, arguments: &str, record: &Arc<Record>) -> Outcome {
        let loaded = &self.loaded;
        let Some(plan) = self.plan(function) else {
            return self.unknown(function).into();
        };
        let max = loaded.limits.input_bytes;
        if arguments.len() as u64 > max {
            return trouble::limit("input_bytes", max, "its arguments are too long").into();
        }
        let patience = Duration::from_millis(loaded.limits.call_ms);
        // Values take more memory than their text, so they too are for those with a place.
        let place = loaded.host.places.enter(patience).await;
        record.queued();
        let place = match place {
            Ok(place) => place,
            Err(failure) => return failure.into(),
        };
        let values = match self::arguments(plan.parameters(), arguments) {
            Ok(values) => values,
            Err(error) => return wrong_argument(error).into(),
        };
        call::run(loaded, plan, values, record, place).await
    }

    fn plan(&self, function: &str) -> Option<&Plan> {
        let functions = self.functions().iter();
        let index = functions
            .map(|known| known.name.as_str())
            .position(|name| name == function)?;
        self.loaded.plans.get(index)
    }

    fn unknown(&self, function: &str) -> Failure {
        let known: Vec<String> = self
            .functions()
            .iter()
            .map(|function| format!("`{}`", function.name))
            .collect();
        let (tool, function) = (self.name(), shown(function));
        Failure::new(
            FailureKind::UnknownFunction,
            format!("tool `{tool}` has no function `{function}`"),
        )
        .with_fix(format!("call {}", known.join(", ")))
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", self.name())
            .finish_non_exhaustive()
    }
}

/// What may be anything and stands in a line of ours.
fn shown(function: &str) -> impl fmt::Display {
    let escaped = function.chars().take(80).flat_map(char::escape_debug);
    fmt::from_fn(move |f| escaped.clone().try_for_each(|c| f.write_char(c)))
}

fn wrong_argument(error: ArgumentError) -> Failure {
    let message = match error.path.as_str() {
        "" => error.message,
        path => format!("argument `{path}` {}", error.message),
    };
    Failure {
        kind: FailureKind::MalformedArgument,
        message,
        fix: error.fix,
        argument: Some(error.path).filter(|path| !path.is_empty()),
        retryable: false,
    }
}

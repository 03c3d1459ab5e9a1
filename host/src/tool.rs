//! A loaded tool: compiled once, called in a fresh sandbox each time.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use tool_hub_manifest::{Capabilities, Grants, Icon, Limits, Pin, ToolName, VariableName};
use tracing::Instrument as _;
use wasmtime::component::{InstancePre, Val};
use wasmtime_wasi_config::WasiConfigVariables;

use crate::admission::CallerKey;
use crate::beside::Beside;
use crate::call::record::Record;
use crate::call::state::CallState;
use crate::call::{self, trouble};
use crate::directories::Guard;
use crate::grant::{Denial, ToolIdentity};
use crate::host::Shared;
use crate::json::{ArgumentError, arguments};
use crate::plan::Plan;
use crate::secret::{Mask, Secrets};
use crate::size::Size;
use crate::{CallableFunction, Failure, FailureKind, Interaction, Nobody, Outcome, Storage};

/// A tool that is ready to be called, by as many tasks at once as the host allows. Cloning
/// is cheap.
#[derive(Clone)]
pub struct Tool {
    pub(crate) loaded: Arc<Loaded>,
    /// The caller that calls are made for, if the embedder tells callers apart.
    caller: Option<CallerKey>,
}

/// What all clones of a tool share.
pub(crate) struct Loaded {
    pub(crate) host: Arc<Shared>,
    pub(crate) name: ToolName,
    pub(crate) icon: Option<Icon>,
    pub(crate) pin: Pin,
    pub(crate) known: Arc<ToolIdentity>,
    pub(crate) grants: Arc<Grants>,
    pub(crate) asked: Arc<Capabilities>,
    pub(crate) limits: Limits,
    /// The granted variables that have a value.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) settings: Arc<WasiConfigVariables>,
    pub(crate) secrets: Secrets,
    /// The variables whose values are secret but not masked, because they are too short.
    pub(crate) unmasked: Vec<VariableName>,
    /// Where it keeps things, where that is granted.
    pub(crate) storage: Option<Storage>,
    pub(crate) absent: Arc<[Denial]>,
    /// The names that the tool may not touch in directories with write access.
    pub(crate) guard: Arc<Guard>,
    pub(crate) functions: Vec<CallableFunction>,
    /// In the order of `functions`.
    pub(crate) plans: Vec<Plan>,
    /// What it exports beside functions.
    pub(crate) beside: Vec<(Beside, Plan)>,
    pub(crate) pre: InstancePre<CallState>,
}

/// What is asked of a tool.
pub(crate) struct Asked<'a> {
    /// What logs call it.
    pub(crate) name: &'a str,
    pub(crate) plan: Result<&'a Plan, Failure>,
    pub(crate) input_bytes: usize,
}

impl Tool {
    pub(crate) fn new(loaded: Loaded) -> Self {
        Self {
            loaded: Arc::new(loaded),
            caller: None,
        }
    }

    /// The tool's name.
    pub fn name(&self) -> &ToolName {
        &self.loaded.name
    }

    /// The picture beside its name, where it has one.
    pub fn icon(&self) -> Option<&Icon> {
        self.loaded.icon.as_ref()
    }

    /// Returns a clone whose calls, prompts and resources are requested for `caller`. They use that
    /// caller's fair share of the host's places, and wait behind no caller that holds more.
    /// Requests without a caller are the embedder's own and may use all places.
    #[must_use]
    pub fn for_caller(&self, caller: CallerKey) -> Self {
        Self {
            loaded: self.loaded.clone(),
            caller: Some(caller),
        }
    }

    /// Whether this is a clone of `other`.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.loaded, &other.loaded)
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

    /// The granted variables whose values are secret but too short to be masked: if the tool
    /// repeats one, it is shown.
    pub fn unmasked_variables(&self) -> &[VariableName] {
        &self.loaded.unmasked
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
        let asked = Asked {
            name: function,
            plan: self.plan(function).ok_or_else(|| self.unknown(function)),
            input_bytes: arguments.len(),
        };
        let values = |plan: &Plan| {
            let values = self::arguments(plan.parameters(), arguments);
            values.map_err(wrong_argument)
        };
        let max = self.loaded.limits.outcome_bytes;
        let read = |plan: &Plan, result: Option<&Val>| plan.outcome(result, max);
        match self.answer(asked, interaction, values, read).await {
            Ok(reply) => Outcome::Reply(reply),
            Err(failure) => Outcome::Failure(failure),
        }
    }

    /// Answers what is `asked`: with `values` for its parameters, and what `read` makes of its
    /// result. This is the one way to a guest.
    pub(crate) async fn answer<T: Size + Mask>(
        &self,
        asked: Asked<'_>,
        interaction: Arc<dyn Interaction>,
        values: impl FnOnce(&Plan) -> Result<Vec<Val>, Failure>,
        read: impl FnOnce(&Plan, Option<&Val>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let record = Arc::new(Record::new(&self.loaded, interaction));
        record.counts.input_bytes.add(asked.input_bytes as u64);
        let span = tracing::info_span!(
            target: "tool_hub_host::call",
            "call",
            tool = self.loaded.known.name,
            function = %shown(asked.name),
            outcome = tracing::field::Empty,
        );
        let called = async {
            let came = self.attempt(asked, &record, values, read).await;
            record.close(&came);
            came
        };
        called.instrument(span).await
    }

    async fn attempt<T: Size + Mask>(
        &self,
        asked: Asked<'_>,
        record: &Arc<Record>,
        values: impl FnOnce(&Plan) -> Result<Vec<Val>, Failure>,
        read: impl FnOnce(&Plan, Option<&Val>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let loaded = &self.loaded;
        let plan = asked.plan?;
        let max = loaded.limits.input_bytes;
        if asked.input_bytes as u64 > max {
            return Err(trouble::limit(
                "input_bytes",
                max,
                "its arguments are too long",
            ));
        }
        let timeout = Duration::from_millis(loaded.limits.call_ms);
        // Values take more memory than their text, so they too are for those with a place.
        let limiter = &loaded.host.limiter;
        let permit = limiter.acquire(self.caller.as_ref(), timeout).await;
        record.queued();
        let (permit, values) = (permit?, values(plan)?);
        call::run(loaded, plan, values, record, permit, |result| {
            read(plan, result)
        })
        .await
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

//! A loaded tool: compiled once, called in a fresh sandbox each time.

use std::sync::Arc;
use std::time::Duration;

use tool_hub_manifest::{Capabilities, Grants, Limits, ToolName};
use wasmtime::component::InstancePre;
use wasmtime_wasi_config::WasiConfigVariables;

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
        let place = match loaded.host.places.enter(patience).await {
            Ok(place) => place,
            Err(failure) => return failure.into(),
        };
        let values = match self::arguments(plan.parameters(), arguments) {
            Ok(values) => values,
            Err(error) => return wrong_argument(error).into(),
        };
        call::run(loaded, plan, values, interaction, place).await
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
        let shown: String = function
            .chars()
            .take(80)
            .flat_map(char::escape_debug)
            .collect();
        Failure::new(
            FailureKind::UnknownFunction,
            format!("tool `{}` has no function `{shown}`", self.name()),
        )
        .with_fix(format!("call {}", known.join(", ")))
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool")
            .field("name", self.name())
            .finish_non_exhaustive()
    }
}

fn wrong_argument(error: ArgumentError) -> Failure {
    let message = match error.path.as_str() {
        "" => error.message,
        path => format!("argument `{path}` {}", error.message),
    };
    Failure {
        kind: FailureKind::InvalidArgument,
        message,
        fix: error.fix,
        argument: Some(error.path).filter(|path| !path.is_empty()),
        retryable: false,
    }
}

//! The loaded `Tool`: compiled once, calls its functions in a fresh sandbox each time.

mod preparation;
mod prompts;
mod resources;

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use tool_hub_manifest::contract::{Failure, FailureKind, Outcome};
use tool_hub_manifest::{
    CallLimits, Confirmation, ExportName, Icon, Limits, Pin, ToolName, VariableName,
};
use tracing::Instrument as _;
use wasmtime::component::Val;

use crate::call::admission::caller::CallerKey;
use crate::call::confirmation::{ConfirmedCall, of_values};
use crate::call::dependency::DependencyFunction;
use crate::call::plan::Plan;
use crate::call::policy::Policy;
use crate::call::record::Record;
use crate::call::size::Size;
use crate::call::{self, SandboxTemplate, limit};
use crate::component::contract_exports::ContractExport;
use crate::component::function::CallableFunction;
use crate::component::links::Link;
use crate::interaction::{Interaction, Nobody};
use crate::secret::mask::Mask;
use crate::server;
use crate::server::connection::ServerConnection;
use crate::values::json::read::error::ArgumentError;
use crate::values::types::Signature;

/// A tool that is ready to be called, by as many tasks at once as the host allows. Cloning
/// is cheap.
#[derive(Clone)]
pub struct Tool {
    loaded: Arc<LoadedTool>,
    /// The caller that calls are made for, if the embedder tells callers apart.
    caller: Option<CallerKey>,
    limits: Limits,
}

/// Shared by all clones of a tool.
pub(crate) struct LoadedTool {
    pub(crate) name: ToolName,
    pub(crate) icon: Option<Icon>,
    pub(crate) pin: Pin,
    /// The variables whose values are secret but not masked, because they are too short.
    pub(crate) unmasked: Vec<VariableName>,
    pub(crate) functions: Vec<CallableFunction>,
    pub(crate) policy: Arc<Policy>,
    pub(crate) code: ToolCode,
}

/// The part of a tool that answers its calls.
pub(crate) enum ToolCode {
    Component(LoadedComponent),
    /// A process or a service outside of the sandbox.
    Server(Arc<dyn ServerConnection>),
}

/// A component, ready to be called.
pub(crate) struct LoadedComponent {
    /// In the order of the tool's functions.
    pub(crate) plans: Vec<Arc<Plan>>,
    /// The exports that the contract defines.
    pub(crate) contract_plans: Vec<(ContractExport, Plan)>,
    pub(crate) template: Arc<SandboxTemplate>,
    /// The tools that it calls.
    pub(crate) dependencies: Vec<Arc<LoadedTool>>,
}

/// A request to run one of a tool's exports.
pub(crate) struct Request<'a> {
    /// The name in logs.
    pub(crate) name: &'a str,
    pub(crate) plan: Result<&'a Plan, Failure>,
    /// The confirmation that a person has to give.
    pub(crate) confirm: Option<&'a Confirmation>,
    pub(crate) input_bytes: usize,
}

impl Tool {
    pub(crate) fn new(loaded: LoadedTool) -> Self {
        Self {
            limits: loaded.policy.limits,
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
            caller: Some(caller),
            ..self.clone()
        }
    }

    /// Returns a clone whose calls, prompts and resources have lower limits. A limit that `lower`
    /// does not name, or names a higher value for, stays as it is.
    #[must_use]
    pub fn limited(&self, lower: &CallLimits) -> Self {
        Self {
            limits: self.limits.lowered_by(lower),
            ..self.clone()
        }
    }

    /// True if this is a clone of `other`.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.loaded, &other.loaded)
    }

    /// The digests of what it was loaded from.
    pub fn pin(&self) -> Pin {
        self.loaded.pin
    }

    /// The functions that can be called, in the manifest's order.
    pub fn functions(&self) -> &[CallableFunction] {
        &self.loaded.functions
    }

    /// The limits that hold for each call: the host's, lowered to what the manifest asks, and by
    /// [`limited`](Self::limited).
    pub fn limits(&self) -> &Limits {
        &self.limits
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
    /// The same as [`Tool::call`].
    pub async fn call_with(
        &self,
        function: &str,
        arguments: &str,
        interaction: Arc<dyn Interaction>,
    ) -> Outcome {
        if let ToolCode::Server(connection) = &self.loaded.code {
            return self
                .call_server(&**connection, function, arguments, interaction)
                .await;
        }
        let request = Request {
            name: function,
            plan: self.plan(function).ok_or_else(|| self.unknown(function)),
            confirm: self.confirmation(function),
            input_bytes: arguments.len(),
        };
        let values = |plan: &Plan| plan.arguments(arguments).map_err(wrong_argument);
        let max = self.limits().outcome_bytes;
        let read = |plan: &Plan, result: Option<&Val>| plan.outcome(result, max);
        self.run(request, interaction, values, read).await.into()
    }

    async fn call_server(
        &self,
        connection: &dyn ServerConnection,
        function: &str,
        arguments: &str,
        interaction: Arc<dyn Interaction>,
    ) -> Outcome {
        if !self
            .functions()
            .iter()
            .any(|it| it.name.as_str() == function)
        {
            return self.unknown(function).into();
        }
        let policy = &self.loaded.policy;
        let record = Arc::new(Record::new(policy, self.limits, interaction));
        let call = server::call::CheckedCall {
            connection,
            function,
            arguments,
            confirm: self.confirmation(function),
        };
        call.run(policy, &record).await.into()
    }

    /// True if it offers prompts.
    pub fn has_prompts(&self) -> bool {
        self.has(&ContractExport::OF_PROMPTS)
    }

    /// True if it offers resources.
    pub fn has_resources(&self) -> bool {
        self.has(&ContractExport::OF_RESOURCES)
    }

    fn has(&self, needed: &[ContractExport]) -> bool {
        let mut needed = needed.iter();
        needed.all(|export| self.contract_plan(*export).is_ok())
    }

    /// The plan of an export that the contract defines.
    pub(crate) fn contract_plan(&self, export: ContractExport) -> Result<&Plan, Failure> {
        let component = self.loaded.component();
        let mut plans = component.iter().flat_map(|it| &it.contract_plans);
        let found = plans.find(|(exported, _)| *exported == export);
        found.map(|(_, plan)| plan).ok_or_else(|| {
            let what = match export {
                ContractExport::ListPrompts | ContractExport::GetPrompt => "prompts",
                _ => "resources",
            };
            let message = format!("tool `{}` offers no {what}", self.name());
            Failure::new(FailureKind::NotFound, message)
        })
    }

    /// Runs what is requested, with `values` for its parameters and what `read` makes of its
    /// result. This is the one way to a guest.
    pub(crate) async fn run<T: Size + Mask>(
        &self,
        request: Request<'_>,
        interaction: Arc<dyn Interaction>,
        values: impl FnOnce(&Plan) -> Result<Vec<Val>, Failure>,
        read: impl FnOnce(&Plan, Option<&Val>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let policy = &self.loaded.policy;
        let record = Arc::new(Record::new(policy, self.limits, interaction));
        record.counts.input_bytes.add(request.input_bytes as u64);
        let span = tracing::info_span!(
            target: "tool_hub_host::call",
            "call",
            tool = policy.tool.name,
            function = %escaped(request.name),
            outcome = tracing::field::Empty,
        );
        let called = async {
            let result = self.attempt(request, &record, values, read).await;
            record.close(&result);
            result
        };
        called.instrument(span).await
    }

    async fn attempt<T: Size + Mask>(
        &self,
        request: Request<'_>,
        record: &Arc<Record>,
        values: impl FnOnce(&Plan) -> Result<Vec<Val>, Failure>,
        read: impl FnOnce(&Plan, Option<&Val>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let plan = request.plan?;
        let component = self.loaded.component().ok_or_else(no_component)?;
        let template = &component.template;
        let max = record.limits.input_bytes;
        if request.input_bytes as u64 > max {
            return Err(limit::failure(
                "input_bytes",
                max,
                "its arguments are too long",
            ));
        }
        self.loaded.prepare().await?;
        let timeout = Duration::from_millis(record.limits.call_ms);
        // Values take more memory than their text, so they too are only for admitted calls.
        let limiter = &template.executor.limiter;
        let caller = self.caller.as_ref();
        let permit = limiter.acquire(caller, component.places(), timeout).await;
        record.queued();
        let (permit, values) = (permit?, values(plan)?);
        if let Some(needed) = request.confirm {
            let call = ConfirmedCall {
                tool: &template.policy.tool.name,
                function: request.name,
                needed,
                arguments: of_values(plan.parameters(), &values),
            };
            call.confirm(record).await?;
        }
        call::run(template, plan, values, record, permit, |result| {
            read(plan, result)
        })
        .await
    }

    fn plan(&self, function: &str) -> Option<&Plan> {
        let functions = self.functions().iter();
        let index = functions
            .map(|known| known.name.as_str())
            .position(|name| name == function)?;
        let plans = &self.loaded.component()?.plans;
        plans.get(index).map(|plan| &**plan)
    }

    fn confirmation(&self, function: &str) -> Option<&Confirmation> {
        let mut functions = self.functions().iter();
        let function = functions.find(|known| known.name.as_str() == function)?;
        function.confirm.as_ref()
    }

    fn unknown(&self, function: &str) -> Failure {
        let known: Vec<String> = self
            .functions()
            .iter()
            .map(|function| format!("`{}`", function.name))
            .collect();
        let (tool, function) = (self.name(), escaped(function));
        Failure::new(
            FailureKind::UnknownFunction,
            format!("tool `{tool}` has no function `{function}`"),
        )
        .with_fix(format!("call {}", known.join(", ")))
    }
}

impl LoadedTool {
    /// The functions that a tool which depends on this one can import, with their types.
    pub(crate) fn exports(&self) -> impl Iterator<Item = (&ExportName, &Signature)> {
        let plans = self.component().into_iter().flat_map(|it| &it.plans);
        let exports = self.functions.iter().map(|function| &function.export);
        exports.zip(plans.map(|plan| &plan.signature))
    }

    /// The functions that `link` is to.
    pub(crate) fn linked_functions(&self, link: &Link) -> Vec<(String, DependencyFunction)> {
        let Some(component) = self.component() else {
            return Vec::new();
        };
        let functions = self.functions.iter().zip(&component.plans);
        let found = link.functions.iter().filter_map(|(name, export)| {
            let mut functions = functions.clone();
            let (function, plan) = functions.find(|(function, _)| function.export == *export)?;
            let linked = DependencyFunction {
                dependency: link.dependency.clone(),
                name: function.name.to_string(),
                plan: plan.clone(),
                template: component.template.clone(),
                confirm: function.confirm.clone(),
            };
            Some((name.clone(), linked))
        });
        found.collect()
    }

    pub(crate) fn component(&self) -> Option<&LoadedComponent> {
        match &self.code {
            ToolCode::Component(component) => Some(component),
            ToolCode::Server(_) => None,
        }
    }
}

impl LoadedComponent {
    /// The places that a call takes: a guest that calls a dependency keeps its own meanwhile.
    pub(crate) fn places(&self) -> u32 {
        let dependencies = self.dependencies.iter();
        let components = dependencies.filter_map(|it| it.component());
        1 + components.map(Self::places).max().unwrap_or_default()
    }
}

/// A server has no plans, so no request of its gets as far as needing a component.
fn no_component() -> Failure {
    Failure::new(FailureKind::Internal, "a server has no component")
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", self.name())
            .finish_non_exhaustive()
    }
}

/// The beginning of a caller's text, for a message of the host.
fn escaped(function: &str) -> impl fmt::Display {
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

//! Prepares the program of a tool once for all calls.

use std::sync::Arc;
use std::time::Duration;

use tool_hub_manifest::contract::{Failure, Reply};
use tracing::Instrument as _;
use wasmtime::component::Val;

use crate::call;
use crate::call::plan::{Callee, Plan};
use crate::call::record::Record;
use crate::error::HostError;
use crate::interaction::Nobody;
use crate::tool::{LoadedComponent, LoadedTool, Tool};
use crate::values::types::Signature;

impl Tool {
    /// Has the interpreter load the program of the tool, once for all calls, if that was not done
    /// before. The first call does it otherwise, and takes longer. Of a tool without a program
    /// there is nothing to prepare.
    ///
    /// # Errors
    /// [`HostError::Program`] if the program cannot be loaded within the limits of a call.
    ///
    /// # Panics
    /// The same as [`Tool::call`].
    pub async fn prepare(&self) -> Result<(), HostError> {
        let prepared = self.loaded.prepare().await;
        prepared.map_err(|failure| HostError::Program {
            tool: self.name().clone(),
            reason: failure.message,
        })
    }
}

impl LoadedTool {
    /// Prepares the program, if there is one that is not prepared. Those who come meanwhile wait.
    pub(crate) async fn prepare(&self) -> Result<(), Failure> {
        match self.component() {
            Some(component) => component.prepare().await,
            None => Ok(()),
        }
    }
}

impl LoadedComponent {
    async fn prepare(&self) -> Result<(), Failure> {
        for dependency in &self.dependencies {
            // It has no place among the calls, so none has to wait for another.
            Box::pin(dependency.prepare()).await?;
        }
        let Some(program) = &self.template.program else {
            return Ok(());
        };
        let prepared = program.prepared.get_or_try_init(|| self.run_preparation());
        prepared.await.copied()
    }

    /// Prepares the program in a sandbox of its own, with the tool's rights and limits, because
    /// what comes of it is for the calls of everybody. Nobody is there to be asked.
    async fn run_preparation(&self) -> Result<(), Failure> {
        let template = &self.template;
        let limits = template.policy.limits;
        let record = Arc::new(Record::new(&template.policy, limits, Arc::new(Nobody)));
        let signature = Signature {
            parameters: Vec::new(),
            result: None,
            is_async: false,
        };
        let plan = Plan::new(Callee::Preparation, signature);
        let timeout = Duration::from_millis(limits.call_ms);
        let span = tracing::info_span!(
            target: "tool_hub_host::call",
            "call",
            tool = template.policy.tool.name,
            function = "(loading)",
            outcome = tracing::field::Empty,
        );
        let prepared = async {
            let limiter = &template.executor.limiter;
            let permit = limiter.acquire(None, self.places(), timeout).await?;
            let nothing = |_: Option<&Val>| Ok(Reply::default());
            let result = call::run(template, &plan, Vec::new(), &record, permit, nothing).await;
            record.close(&result);
            result.map(|_| ())
        };
        prepared.instrument(span).await
    }
}

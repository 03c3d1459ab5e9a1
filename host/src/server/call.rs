//! Calls a function of an MCP server under the limits, the mask and the record of any other call.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tool_hub_manifest::Confirmation;
use tool_hub_manifest::contract::{Failure, FailureKind, Reply};
use tracing::Instrument as _;

use crate::call::confirmation::{ConfirmedCall, of_json};
use crate::call::limit;
use crate::call::policy::Policy;
use crate::call::record::Record;
use crate::call::size::Size as _;
use crate::server::connection::{ServerCall, ServerConnection};

/// A call of a server's function, before it is checked.
pub(crate) struct CheckedCall<'a> {
    pub(crate) connection: &'a dyn ServerConnection,
    pub(crate) function: &'a str,
    /// The text of a JSON object.
    pub(crate) arguments: &'a str,
    /// The confirmation that a person has to give.
    pub(crate) confirm: Option<&'a Confirmation>,
}

impl CheckedCall<'_> {
    /// Makes the call, once a person has confirmed it if that is needed.
    pub(crate) async fn run(self, policy: &Policy, record: &Arc<Record>) -> Result<Reply, Failure> {
        record.counts.input_bytes.add(self.arguments.len() as u64);
        let span = tracing::info_span!(
            target: "tool_hub_host::call",
            "call",
            tool = policy.tool.name,
            function = self.function,
            outcome = tracing::field::Empty,
        );
        let called = async {
            let result = self.within_limits(policy, record).await;
            let result = record.released(result);
            record.close(&result);
            result
        };
        called.instrument(span).await
    }

    async fn within_limits(&self, policy: &Policy, record: &Record) -> Result<Reply, Failure> {
        let limits = &record.limits;
        let arguments = self.arguments(limits.input_bytes)?;
        if let Some(needed) = self.confirm {
            let call = ConfirmedCall {
                tool: &policy.tool.name,
                function: self.function,
                needed,
                arguments: of_json(&arguments),
            };
            call.confirm(record).await?;
        }
        let call = self.connection.call(ServerCall {
            function: self.function,
            arguments,
            interaction: &*record.interaction,
        });
        let called = tokio::time::timeout(Duration::from_millis(limits.call_ms), call).await;
        let reply = called.map_err(|_| {
            let why = "the server did not answer in time";
            limit::failure("call_ms", limits.call_ms, why)
        })??;
        match reply.bytes() as u64 <= limits.outcome_bytes {
            true => Ok(reply),
            false => Err(limit::outcome_too_long(limits.outcome_bytes)),
        }
    }

    fn arguments(&self, bytes_max: u64) -> Result<Map<String, Value>, Failure> {
        if self.arguments.len() as u64 > bytes_max {
            let why = "its arguments are too long";
            return Err(limit::failure("input_bytes", bytes_max, why));
        }
        match serde_json::from_str(self.arguments) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) => Err(malformed("the arguments are not a JSON object")),
            Err(error) => Err(malformed(&format!("the arguments are not JSON: {error}"))),
        }
    }
}

fn malformed(message: &str) -> Failure {
    Failure::new(FailureKind::MalformedArgument, message)
        .with_fix("send a JSON object with a member for each argument")
}

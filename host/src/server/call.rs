//! Calls a function of an MCP server under the limits, the mask and the record of any other call.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tool_hub_manifest::contract::{Failure, FailureKind, Reply};
use tracing::Instrument as _;

use crate::call::limit;
use crate::call::policy::Policy;
use crate::call::record::Record;
use crate::call::size::Size as _;
use crate::server::connection::{ServerCall, ServerConnection};

/// Calls `function` with `arguments`, the text of a JSON object.
pub(crate) async fn call(
    connection: &dyn ServerConnection,
    function: &str,
    arguments: &str,
    policy: &Policy,
    record: &Arc<Record>,
) -> Result<Reply, Failure> {
    record.counts.input_bytes.add(arguments.len() as u64);
    let span = tracing::info_span!(
        target: "tool_hub_host::call",
        "call",
        tool = policy.tool.name,
        function,
        outcome = tracing::field::Empty,
    );
    let called = async {
        let result = within_limits(connection, function, arguments, record).await;
        let result = record.released(result);
        record.close(&result);
        result
    };
    called.instrument(span).await
}

async fn within_limits(
    connection: &dyn ServerConnection,
    function: &str,
    arguments: &str,
    record: &Record,
) -> Result<Reply, Failure> {
    let limits = &record.limits;
    if arguments.len() as u64 > limits.input_bytes {
        let why = "its arguments are too long";
        return Err(limit::failure("input_bytes", limits.input_bytes, why));
    }
    let arguments = match serde_json::from_str(arguments) {
        Ok(Value::Object(arguments)) => arguments,
        Ok(_) => return Err(malformed("the arguments are not a JSON object")),
        Err(error) => return Err(malformed(&format!("the arguments are not JSON: {error}"))),
    };
    let call = connection.call(ServerCall {
        function,
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

fn malformed(message: &str) -> Failure {
    Failure::new(FailureKind::MalformedArgument, message)
        .with_fix("send a JSON object with a member for each argument")
}

//! Shared by the benchmarks: the sandboxed functions, a bare rmcp server, and timing of calls.

#[path = "../../examples/serve_file/sandbox.rs"]
mod sandbox;

use std::time::Duration;
use std::{fs, io};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tool_hub_serve::{Catalogue, Offer};

/// The guest's eight functions under the key `guest`, and as many more times under other keys
/// as `count` says.
pub(crate) async fn catalogue(count: usize) -> Result<Catalogue, Box<dyn std::error::Error>> {
    let component = wat::parse_str(include_str!("../../tests/mcp/guest.wat"))?;
    let tool = sandbox::load(component, "guest").await?;
    let mut offers = Offer::all(&"guest".parse()?, &tool)?;
    for number in 1..count {
        offers.extend(Offer::all(&format!("guest_{number}").parse()?, &tool)?);
    }
    Ok(Catalogue::new(offers)?)
}

/// rmcp as its documentation uses it, without a sandbox.
#[derive(Clone)]
pub(crate) struct Bare;

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let number = |name: &str| arguments.get(name).and_then(Value::as_u64).unwrap_or(0);
        let (text, structured) = match &*request.name {
            "guest__add" => {
                let sum = number("a") + number("b");
                (sum.to_string(), json!({"result": sum}))
            }
            _ => {
                let text = arguments.get("text").and_then(Value::as_str);
                let text = text.unwrap_or_default();
                (text.to_owned(), json!({"result": text}))
            }
        };
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = Some(structured);
        Ok(result.into())
    }
}

/// The times that calls of one server took, and the processor time of all of them.
#[derive(Default)]
pub(crate) struct Taken {
    times: Vec<Duration>,
    processor: Duration,
}

impl Taken {
    /// Makes so many calls of the server that is process `pid`.
    pub(crate) fn add<E: From<io::Error>>(
        &mut self,
        pid: u32,
        calls: usize,
        mut call: impl FnMut() -> Result<Duration, E>,
    ) -> Result<(), E> {
        let before = processor_time(pid)?;
        for _ in 0..calls {
            self.times.push(call()?);
        }
        self.processor += processor_time(pid)?.saturating_sub(before);
        Ok(())
    }

    /// The processor time of a call, on all threads of the server, in microseconds.
    pub(crate) fn processor_us(&self) -> f64 {
        self.processor.as_secs_f64() * 1e6 / self.times.len() as f64
    }

    pub(crate) fn spread(&self) -> Spread {
        Spread::of(self.times.clone())
    }
}

/// The processor time of the living threads of a process, as Linux counts it.
fn processor_time(pid: u32) -> io::Result<Duration> {
    let mut nanoseconds = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let counted = fs::read_to_string(thread?.path().join("schedstat"))?;
        let on_processor = counted.split(' ').next().and_then(|text| text.parse().ok());
        nanoseconds += on_processor.unwrap_or(0);
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// In milliseconds.
pub(crate) struct Spread {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

impl Spread {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e3;
        Self {
            p50: at(50),
            p99: at(99),
        }
    }
}

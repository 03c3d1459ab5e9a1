//! A guest that sends the given requests, through `wasi:http`.

mod guest;

use serde_json::json;
use tool_hub_host::{Approved, FailureKind, Outcome, Tool};
use tool_hub_manifest::{Grants, Methods, Verified};

use self::guest::{ERRORS, component};
use super::either_wasi;
use crate::support::{HOST, advised, package};

/// The guest with a manifest that asks for `origins`.
pub(crate) fn asking(origins: &[String]) -> Verified {
    let component = match either_wasi::is_wasi_3() {
        true => guest::wasi_3::component(),
        false => component(),
    };
    package(component, |manifest| {
        for origin in origins {
            let origin = origin.parse().unwrap();
            manifest.capabilities.network.insert(origin, Methods::Any);
        }
    })
}

/// The guest with everything granted that it asks for: `origins`, with `methods`.
pub(crate) async fn granted(origins: &[String], methods: &Methods) -> Tool {
    let mut grants = Grants::none();
    for origin in origins {
        grants = grants.network(origin.parse().unwrap(), methods.clone());
    }
    let approved = Approved::from_lock_record(asking(origins), grants).unwrap();
    HOST.load(advised(approved)).await.unwrap()
}

/// A request that a guest is told to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) scheme: &'a str,
    pub(crate) authority: &'a str,
    pub(crate) path: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: &'a str,
    pub(crate) timeout_ns: i64,
}

impl<'a> Request<'a> {
    pub(crate) fn get(scheme: &'a str, authority: &'a str) -> Self {
        Self {
            method: "GET",
            scheme,
            authority,
            path: "/",
            headers: &[],
            body: "",
            timeout_ns: -1,
        }
    }
}

/// The result of a request.
#[derive(Debug, PartialEq)]
pub(crate) enum RequestResult {
    /// An answer: its status and the length of its body.
    Answered(u64, u64),
    /// The request cannot even be written down.
    Malformed,
    /// The request failed with this error.
    Failed(&'static str),
    /// The body of the request was not taken, for this reason where there is one.
    BodyRefused(Option<&'static str>),
    /// The body of the answer broke off.
    Broken,
    /// The call ended.
    Stopped(FailureKind, String),
}

/// Has `tool` send `request`.
pub(crate) async fn send(tool: &Tool, request: Request<'_>) -> RequestResult {
    use base64::Engine as _;
    let bytes = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let headers: Vec<_> = request
        .headers
        .iter()
        .map(|(name, value)| json!([name, bytes(value)]))
        .collect();
    let arguments = json!({
        "method": request.method,
        "scheme": u32::from(request.scheme == "https"),
        "authority": request.authority,
        "path": request.path,
        "headers": headers,
        "body": request.body,
        "timeout_ns": request.timeout_ns,
    });
    let outcome = tool.call("fetch", &arguments.to_string()).await;
    let failure = match outcome {
        Outcome::Reply(reply) => {
            let value: [u64; 2] = serde_json::from_str(&reply.structured.unwrap()).unwrap();
            return RequestResult::Answered(value[0], value[1]);
        }
        Outcome::Failure(failure) => failure,
    };
    let numbers = failure.message.strip_prefix("the tool failed: ");
    let numbers = numbers.and_then(|text| text.split_inclusive(']').next());
    let Some(Ok([stage, error])) = numbers.map(serde_json::from_str::<[usize; 2]>) else {
        return RequestResult::Stopped(failure.kind, failure.message);
    };
    match stage {
        1 => RequestResult::Malformed,
        2 | 3 => RequestResult::Failed(ERRORS[error].0),
        4 => RequestResult::BodyRefused(None),
        5 => RequestResult::BodyRefused(Some(ERRORS[error].0)),
        6 => RequestResult::Broken,
        other => panic!("stage {other}"),
    }
}

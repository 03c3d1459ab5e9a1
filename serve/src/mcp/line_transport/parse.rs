//! Parses one line of the transport as an MCP message.
//! A call is read here, everything else by rmcp.

use std::borrow::Cow;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, InputResponses,
    RequestId, RequestMetaObject,
};
use rmcp::{ErrorData, model::Extensions};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::quoted_text::quoted_error;

const UTF8_BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The arguments of a call as the client wrote them, in the extensions of its request, whose own
/// arguments stay empty.
#[derive(Clone)]
pub(in crate::mcp) struct RawArguments(pub(in crate::mcp) String);

pub(super) enum Parsed {
    Message(Box<ClientJsonRpcMessage>),
    /// A request that cannot be read, and what to answer.
    Refused {
        id: RequestId,
        error: ErrorData,
    },
    /// Nothing that needs an answer.
    Nothing,
}

/// The members that tell a call from other messages, found in one pass. Members of other messages
/// may be of any type.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input_responses: Option<&'a RawValue>,
    #[serde(borrow, default)]
    request_state: Option<&'a RawValue>,
}

pub(super) fn parse(line: &[u8]) -> Parsed {
    let line = line.strip_prefix(UTF8_BYTE_ORDER_MARK).unwrap_or(line);
    let line = line.trim_ascii();
    if line.is_empty() {
        return Parsed::Nothing;
    }
    if let Ok(Envelope {
        id: Some(id),
        method: Some(method),
        params: Some(params),
    }) = serde_json::from_slice(line)
        && method == "tools/call"
    {
        return match call(&params) {
            Ok(request) => {
                let request = ClientRequest::CallToolRequest(request);
                Parsed::Message(Box::new(ClientJsonRpcMessage::request(request, id)))
            }
            Err(error) => {
                let error = ErrorData::invalid_params(
                    format!("tools/call: {}", quoted_error(&error)),
                    None,
                );
                Parsed::Refused { id, error }
            }
        };
    }
    match serde_json::from_slice(line) {
        Ok(message) => Parsed::Message(Box::new(message)),
        Err(error) => unreadable(line, &error),
    }
}

fn call(params: &Params<'_>) -> Result<CallToolRequest, serde_json::Error> {
    let name: String = match params.name {
        Some(name) => serde_json::from_str(name.get())?,
        None => return Err(serde::de::Error::missing_field("name")),
    };
    let mut call = CallToolRequestParams::new(name);
    call.input_responses = read::<InputResponses>(params.input_responses)?;
    call.request_state = read::<String>(params.request_state)?;
    let mut extensions = Extensions::new();
    if let Some(meta) = read::<RequestMetaObject>(params.meta)? {
        extensions.insert(meta);
    }
    let arguments = match params.arguments.map(RawValue::get) {
        None | Some("null") => "{}",
        Some(arguments) => arguments,
    };
    extensions.insert(RawArguments(arguments.to_owned()));
    let mut request = CallToolRequest::new(call);
    request.extensions = extensions;
    Ok(request)
}

fn read<T: DeserializeOwned>(raw: Option<&RawValue>) -> Result<Option<T>, serde_json::Error> {
    raw.map_or(Ok(None), |raw| serde_json::from_str(raw.get()))
}

/// Text that is no JSON gets no answer: there is no id to answer to, and a peer that
/// echoes what it reads would be answered for ever.
fn unreadable(line: &[u8], error: &serde_json::Error) -> Parsed {
    let error = quoted_error(error);
    tracing::debug!(error, "a message cannot be read");
    #[derive(Deserialize)]
    struct Identified {
        id: RequestId,
    }
    match serde_json::from_slice(line) {
        Ok(Identified { id }) => Parsed::Refused {
            id,
            error: ErrorData::invalid_request(format!("invalid request: {error}"), None),
        },
        Err(_) => Parsed::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{GetMeta, JsonRpcMessage, ProgressToken};

    #[track_caller]
    fn check(line: &str, expect: &str) {
        let parsed = match parse(line.as_bytes()) {
            Parsed::Nothing => "nothing".to_owned(),
            Parsed::Refused { id, error } => {
                format!("refused {id} {} {}", error.code.0, error.message)
            }
            Parsed::Message(message) => match *message {
                JsonRpcMessage::Request(request) => request.request.method().to_owned(),
                JsonRpcMessage::Notification(_) => "notification".to_owned(),
                JsonRpcMessage::Response(_) => "response".to_owned(),
                JsonRpcMessage::Error(_) => "error".to_owned(),
            },
        };
        assert_eq!(parsed, expect, "{line}");
    }

    #[test]
    fn every_kind_of_message() {
        for (line, expect) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "ping"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#,
                "tools/list",
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                "notification",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#,
                "response",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
                "error",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"x/y","params":{}}"#,
                "x/y",
            ),
            ("", "nothing"),
            ("hello", "nothing"),
            ("{", "nothing"),
            (r#"{"jsonrpc":"2.0"}"#, "nothing"),
        ] {
            check(line, expect);
        }
    }

    #[test]
    fn a_request_that_cannot_be_read_is_answered() {
        for (line, expect) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[1]}"#,
                "refused 7 -32600 invalid request: unrecognized JSON-RPC message",
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}"#,
                "refused 7 -32602 tools/call: missing field `name`",
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":3}}"#,
                "refused 7 -32602 tools/call: invalid type: integer `3`, expected a string at line 1 column 1",
            ),
        ] {
            check(line, expect);
        }
    }

    #[track_caller]
    fn check_arguments(params: &str, expect: &str) {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"a"{params}}}}}"#
        );
        let Parsed::Message(message) = parse(line.as_bytes()) else {
            panic!("{line}");
        };
        let JsonRpcMessage::Request(request) = *message else {
            panic!("{line}");
        };
        let ClientRequest::CallToolRequest(call) = request.request else {
            panic!("{line}");
        };
        assert_eq!(call.params.name, "a");
        assert_eq!(call.extensions.get::<RawArguments>().unwrap().0, expect);
    }

    #[test]
    fn arguments_stay_the_text_they_are() {
        for (params, expect) in [
            ("", "{}"),
            (r#","arguments":null"#, "{}"),
            (
                r#","arguments":{"n": 1e2, "n": 123456789012345678901234567890}"#,
                r#"{"n": 1e2, "n": 123456789012345678901234567890}"#,
            ),
            // No object: the host says what it expected.
            (r#","arguments":[1]"#, "[1]"),
        ] {
            check_arguments(params, expect);
        }
    }

    #[test]
    fn metadata_stays_with_the_request() {
        let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",
            "_meta":{"progressToken":"t"},"requestState":"s","inputResponses":{"k":{"action":"cancel"}}}}"#;
        let Parsed::Message(message) = parse(line.as_bytes()) else {
            panic!();
        };
        let JsonRpcMessage::Request(request) = *message else {
            panic!();
        };
        let token = request.request.get_meta().get_progress_token().unwrap();
        assert_eq!(token, ProgressToken(RequestId::String("t".into())));
        let ClientRequest::CallToolRequest(call) = request.request else {
            panic!();
        };
        assert_eq!(call.params.request_state.as_deref(), Some("s"));
        assert!(call.params.input_responses.unwrap().contains_key("k"));
    }
}

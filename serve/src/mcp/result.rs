//! Builds the MCP result of a call from a tool's reply or failure, and marks whose text it is.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResultType};
use tool_hub_agent::conversation::failure::{FailureText, next_text};
use tool_hub_agent::definition::result::ResultShape;
use tool_hub_manifest::contract::{Failure, FailureKind, Reply};

use super::content::block;

/// The member in which a program finds the failure that the model reads as text.
const FAILURE_META: &str = "tool-hub/failure";

/// The result of a function that answered. `declared` is the shape its output schema
/// promises, where it has one.
pub(crate) fn of_reply(declared: Option<ResultShape>, reply: Reply) -> CallToolResult {
    let mut result = CallToolResult::default();
    result.result_type = Some(ResultType::COMPLETE);
    result.is_error = Some(false);
    let mut has_text = false;
    result.content.reserve(reply.content.len() + 2);
    for content in reply.content {
        let block = block(content);
        has_text |= matches!(block, ContentBlock::Text(_));
        result.content.push(block);
    }
    if let Some(json) = reply.structured {
        let shape = declared.unwrap_or_else(|| ResultShape::of_json(&json));
        match serde_json::from_str(&json) {
            Ok(value) => result.structured_content = Some(shape.value(value)),
            Err(error) => {
                tracing::warn!(%error, "the structured part of a reply is not valid JSON")
            }
        }
        // Clients that know nothing of structured content show the text.
        if !has_text {
            result.content.push(ContentBlock::text(json));
        }
    }
    if let Some(next) = reply.next {
        result.content.push(ContentBlock::text(next_text(&next)));
    }
    result
}

/// A failure is a result, not a protocol error: the model shall read it and mend its call.
pub(crate) fn of_failure(function: &str, failure: &Failure) -> CallToolResult {
    let text = FailureText { function, failure };
    let mut result = CallToolResult::error(vec![ContentBlock::text(text.to_string())]);
    if let Ok(value) = serde_json::to_value(failure) {
        let mut meta = MetaObject::new();
        meta.0.insert(FAILURE_META.to_owned(), value);
        result.meta = Some(meta);
    }
    result
}

/// The error for a request, such as one for a prompt, whose result cannot be a failure.
pub(super) fn error(failure: &Failure) -> ErrorData {
    let data = serde_json::to_value(failure).ok();
    let message = failure.to_string();
    match failure.kind {
        FailureKind::InvalidArgument | FailureKind::NotFound => {
            ErrorData::invalid_params(message, data)
        }
        _ => ErrorData::internal_error(message, data),
    }
}

/// A result that also says whose text it is.
pub(super) fn marked(
    mut result: CallToolResult,
    provenance: Option<&MetaObject>,
) -> CallToolResult {
    match (&mut result.meta, provenance) {
        (Some(meta), Some(provenance)) => meta.0.extend(provenance.0.clone()),
        (meta, provenance) => *meta = meta.take().or_else(|| provenance.cloned()),
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use tool_hub_manifest::contract::{Content, ContentBody};

    #[track_caller]
    fn check(declared: Option<ResultShape>, reply: Reply, content: Value, structured: Value) {
        let result = serde_json::to_value(of_reply(declared, reply)).unwrap();
        assert_eq!(result["content"], content);
        assert_eq!(result["structuredContent"], structured);
        assert_eq!(result["isError"], false);
    }

    fn text(text: &str) -> Value {
        json!({"type": "text", "text": text})
    }

    fn reply(content: &[&str], structured: &str) -> Reply {
        Reply {
            content: content.iter().map(|text| Content::text(*text)).collect(),
            structured: Some(structured.to_owned()),
            next: None,
        }
    }

    #[test]
    fn plain_values_are_wrapped_as_their_schema_says() {
        check(
            Some(ResultShape::Wrapped),
            reply(&["3"], "3"),
            json!([text("3")]),
            json!({"result": 3}),
        );
        check(
            Some(ResultShape::Object),
            reply(&[r#"{"n":3}"#], r#"{"n":3}"#),
            json!([text(r#"{"n":3}"#)]),
            json!({"n": 3}),
        );
        // A result that may be an object but need not is wrapped even when it is one.
        check(
            Some(ResultShape::Wrapped),
            reply(&["{}"], "{}"),
            json!([text("{}")]),
            json!({"result": {}}),
        );
    }

    #[test]
    fn undeclared_results_speak_for_themselves() {
        for (structured, expect) in [
            (r#"{"n":3}"#, json!({"n": 3})),
            ("[1]", json!({"result": [1]})),
        ] {
            check(
                None,
                reply(&["see"], structured),
                json!([text("see")]),
                expect,
            );
        }
    }

    #[test]
    fn a_text_copy_stands_in_for_missing_text() {
        let mut reply = reply(&[], r#"{"n":3}"#);
        reply.content.push(Content::from(ContentBody::Image {
            media_type: "image/png".into(),
            data: vec![1, 2, 3],
        }));
        reply.next = Some("Look at it.".into());
        check(
            None,
            reply,
            json!([
                {"type": "image", "data": "AQID", "mimeType": "image/png"},
                text(r#"{"n":3}"#),
                text("Next: Look at it."),
            ]),
            json!({"n": 3}),
        );
    }

    #[test]
    fn structured_text_that_is_no_json_stays_text() {
        check(None, reply(&[], "{"), json!([text("{")]), Value::Null);
    }

    #[test]
    fn a_failure_is_a_result_for_the_model() {
        let failure = Failure::new(FailureKind::InvalidArgument, "cannot add `m` and `kg`")
            .with_fix("use units of one kind")
            .with_argument("expression");
        let result = serde_json::to_value(of_failure("evaluate", &failure)).unwrap();
        assert_eq!(
            result,
            json!({
                "resultType": "complete",
                "content": [text(
                    "`evaluate` failed (invalid argument): cannot add `m` and `kg`\n\
                     Argument at fault: `expression`\n\
                     To mend it: use units of one kind\n\
                     Call again with changed arguments."
                )],
                "isError": true,
                "_meta": {"tool-hub/failure": {
                    "kind": "invalid-argument",
                    "message": "cannot add `m` and `kg`",
                    "fix": "use units of one kind",
                    "argument": "expression",
                    "retryable": false,
                }},
            })
        );
    }
}

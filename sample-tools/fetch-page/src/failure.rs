//! Turns faults of a fetch into failures that tell an agent how to correct its call.

use crate::bindings::tool_hub::tool::types::{Failure, FailureKind};
use crate::http_get::Fault;

/// The failure for an agent.
pub(crate) fn describe(fault: Fault) -> Failure {
    match fault {
        Fault::Address(address, reason) => failure(
            FailureKind::InvalidArgument,
            format!("`{address}` cannot be fetched: {reason}"),
            "pass an absolute address such as `https://example.com/page`",
        ),
        Fault::Denied(origin) => failure(
            FailureKind::PermissionDenied,
            format!("this tool may not reach `{origin}`"),
            format!(
                "ask the user to grant the tool network access to `{origin}`, or use a page of a granted host"
            ),
        ),
        Fault::Status(status, url) => status_failure(status, &url),
        Fault::Redirects(url) => failure(
            FailureKind::LimitReached,
            format!("there are more than 5 redirects; the last one leads to `{url}`"),
            "fetch the address of the page itself",
        ),
        Fault::Downgrade(url) => failure(
            FailureKind::PermissionDenied,
            format!("the page redirects from `https` to `{url}`, which is not encrypted"),
            "fetch that address directly if it is really wanted",
        ),
        Fault::Unreachable(url, reason) => Failure {
            retryable: true,
            argument: None,
            ..failure(
                FailureKind::Unavailable,
                format!("`{url}` could not be fetched: {reason}"),
                "check the host in the address, or try again later",
            )
        },
        Fault::Encoded(url) => failure(
            FailureKind::Unavailable,
            format!("the server sends `{url}` compressed although it was asked not to"),
            "use another page; this server does not follow HTTP",
        ),
        Fault::NotText(media_type) => failure(
            FailureKind::InvalidArgument,
            format!("the page is `{media_type}`, which is no text"),
            "fetch a page of HTML, plain text, Markdown, JSON or XML",
        ),
    }
}

/// The failure for a number that is too small or too large.
pub(crate) fn out_of_range(argument: &str, given: u32, least: u32, most: u32) -> Failure {
    Failure {
        argument: Some(argument.to_owned()),
        ..failure(
            FailureKind::InvalidArgument,
            format!("`{argument}` is {given}"),
            format!("use {least} to {most}"),
        )
    }
}

fn status_failure(status: u16, url: &str) -> Failure {
    let message = format!("the server answered `{url}` with status {status}");
    match status {
        404 | 410 => failure(
            FailureKind::NotFound,
            message,
            "check the address; the page does not exist",
        ),
        401 | 403 | 407 => failure(
            FailureKind::PermissionDenied,
            message,
            "the page is not public; this tool sends no passwords",
        ),
        408 | 425 | 429 | 500..=599 => Failure {
            retryable: true,
            ..failure(FailureKind::Unavailable, message, "try again later")
        },
        _ => failure(FailureKind::Unavailable, message, "use another address"),
    }
}

fn failure(kind: FailureKind, message: String, fix: impl Into<String>) -> Failure {
    Failure {
        kind,
        message,
        fix: Some(fix.into()),
        argument: Some("url".to_owned()),
        retryable: false,
    }
}

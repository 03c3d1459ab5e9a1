//! Declares the modules of the gateway's end-to-end tests.
//! They have a scripted endpoint, a real component in the real sandbox, and requests as clients
//! make them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod bad_replies;
mod chat;
mod chat_replies;
mod chat_stream;
mod disconnects;
mod forwarding;
mod grammar_enforcement;
mod malformed_responses;
mod responses;
mod responses_replies;
mod support;

use std::time::Duration;

/// The longest time that a test waits for an answer.
const PATIENCE: Duration = Duration::from_secs(20);
